"""The node `select`: decide what is next by the first rule that holds, and on which ideas.

The choice is written into state for the router; the full terms of every score go to the decision
ledger (`decide`). Weak branches are given up before the choice (`pruning`).
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass, field, replace
from hashlib import sha256

from langgraph.types import Overwrite

from ddax.dynamics.rigidity import enter_protect, is_due
from ddax.dynamics.state import Mind
from ddax.graph.services import Session
from ddax.graph.state import Decision, State, Update
from ddax.ideas import dag, grow
from ddax.ideas.idea import Patch, apply_patches, is_final
from ddax.nodes import together
from ddax.nodes.coding import evolution_due
from ddax.nodes.decide import decide
from ddax.nodes.doubting import weighed_before
from ddax.nodes.frontier import Descent, descend, frontier, policy_row
from ddax.nodes.gather import usage_row
from ddax.nodes.human import CHOSEN
from ddax.nodes.impasse import Resolved, by_utility
from ddax.nodes.lookahead import Lookahead, look_ahead, one_at_a_time
from ddax.nodes.pruning import given_up, log_cuts, outside_beam, weak_branches
from ddax.nodes.replan import MAX_REPLANS, replans, surprising
from ddax.nodes.solved import spared
from ddax.nodes.steering import before_the_end, forced, standstill
from ddax.nodes.widen import Width
from ddax.types import Idea, JsonDict, NodeName

MAX_ROWS = 200
"""Scored candidates whose terms the decision log keeps."""


@dataclass(frozen=True)
class Choice:
    """What is next and why."""

    next: NodeName
    rule: str
    focus: tuple[str, ...] = ()
    mode: str = ""
    stop: tuple[str, str] = ("", "")
    targets: frozenset[str] = field(default_factory=frozenset)
    k: int = 1


@dataclass(frozen=True)
class Left:
    """The state a choice is made in: `patch` gives up the weak branches and what lookahead holds back."""

    state: State
    patch: Patch
    cuts: dict[str, str]
    ahead: Lookahead


@dataclass(frozen=True)
class Picked:
    """What a choice came to: the ideas that were found, what the beam cut, and what the ledger is told."""

    choice: Choice
    found: Descent
    mind: JsonDict = field(default_factory=dict)
    cuts: dict[str, str] = field(default_factory=dict)
    facts: JsonDict = field(default_factory=dict)


async def select(state: State, *, session: Session) -> Update:
    """Choose the next node and the ideas it works on."""
    step = state.get("step", 0) + 1
    seconds = session.tick(state["work"]["thread"])
    left = await _left(state, session, step)
    spent = state.get("usage", {}).get("seconds", 0.0) + seconds
    choice = choose(left.state, session, step=step, seconds=spent)
    picked = await _picked(left, choice, session, step)
    beyond = given_up(left.state["ideas"], state["work"]["root"], picked.cuts)
    left = replace(left, patch=apply_patches(left.patch, [beyond]))
    decision = await _decided(left, picked, session, step)
    return _update(left, picked, decision, seconds)


async def _left(state: State, session: Session, step: int) -> Left:
    """Give up what is not worth a choice: branches too weak, and actions whose forecast is bad."""
    root = state["work"]["root"]
    done = spared(state, session)
    await log_cuts(state, session, step, done, kind="solved")
    cuts = done or weak_branches(state, session)
    if not done:
        await log_cuts(state, session, step, cuts, kind="value")
    patch = given_up(state["ideas"], root, cuts)
    now = _with_ideas(state, patch)
    ahead = await look_ahead(now, session, step)
    patch = apply_patches(patch, [grow.give_up(now["ideas"], root, ahead.patch)])
    now = _with_ideas(state, patch)
    now = State(**now) | State(questions={**now.get("questions", {}), **ahead.questions})
    return Left(now, patch, cuts, ahead)


async def _picked(left: Left, choice: Choice, session: Session, step: int) -> Picked:
    """Descend by the score to some of the targets of a choice; those a human chose come first."""
    if not choice.targets:
        return Picked(choice, Descent(focus=list(choice.focus)))
    state = left.state
    view = await frontier(state, session)
    beyond = outside_beam(view, choice.targets, beam=session.settings.selection.beam)
    await log_cuts(state, session, step, beyond, kind="beam")
    targets = one_at_a_time(state, session, choice.targets - set(beyond), left.ahead.imagined)
    wanted = frozenset(t for t in targets if state["ideas"][t].get("reason") == CHOSEN)
    found = descend(view, wanted or targets, choice.k, None if wanted else _width(state, session, step))
    facts: JsonDict = {"policy": policy_row(view)}
    if choice.next == "expand" and found.focus:
        found.focus = together.alike(state["ideas"], found.focus)
    choice, mind = _turned(state, choice, found)
    resolved = None if wanted else await _resolved(state, session, choice, found, targets, step)
    if resolved is not None:
        found.focus = list(resolved.order[: len(found.focus)])
        choice = replace(choice, rule=f"impasse: {resolved.kind}, by utility")
        facts["impasse"] = resolved.row()
    return Picked(choice, found, mind, beyond, facts)


async def _decided(left: Left, picked: Picked, session: Session, step: int) -> Decision:
    """Write the decision down, in the state that its cuts leave."""
    cuts = {**left.cuts, **picked.cuts}
    weighed = await weighed_before(left.state["work"]["id"], step, session)
    return await decide(
        _with_ideas(left.state, left.patch),
        session,
        step=step,
        following=picked.choice.next,
        rule=picked.choice.rule,
        focus=picked.found.focus,
        terms=picked.found.terms[:MAX_ROWS],
        mode=picked.choice.mode,
        more={**picked.facts, "cuts": cuts, "imagined": left.ahead.imagined}
        | ({"doubts": weighed} if weighed else {}),
    )


def _update(left: Left, picked: Picked, decision: Decision, seconds: float) -> Update:
    ahead, stop = left.ahead, picked.choice.stop
    update: Update = {
        "step": decision["step"],
        "focus": picked.found.focus,
        "decision": decision,
        "outcomes": Overwrite({}),
        "verdicts": Overwrite({}),
        "usage": {**usage_row(ahead.usage), "seconds": seconds},
    }
    news: Update = {
        "questions": ahead.questions,
        "failures": ahead.failures,
        "ideas": left.patch,
        "mind": picked.mind,
    }
    update |= {key: value for key, value in news.items() if value}
    if stop[0]:
        update["status"], update["stop_reason"] = stop
    return update


def _with_ideas(state: State, patch: Patch) -> State:
    return {**state, "ideas": apply_patches(state["ideas"], [patch])} if patch else state


def _width(state: State, session: Session, step: int) -> Width:
    """Return the draw of wider or deeper for this step, and whether the caps leave room for more."""
    task = dag.subtree(state["ideas"], state["work"]["root"])
    room = len(task) + 2 <= session.settings.budget.max_ideas and not state["mind"].get("protect", False)
    return Width(session.rng(step, "wider"), room)


def _turned(state: State, choice: Choice, found: Descent) -> tuple[Choice, JsonDict]:
    """Turn a scored choice where the descent says so: to protect, or to an expansion for width."""
    mind: Mind = state["mind"]  # type: ignore[assignment]
    if found.misaligned and not mind["protect"]:
        seen = sha256(" ".join(sorted(t["id"] for t in found.terms)).encode()).hexdigest()[:12]
        if mind["warned"] != seen:  # the same candidates warn once
            found.focus = []
            return Choice("protect", "all candidates are misaligned"), dict(
                enter_protect({**mind, "warned": seen})
            )
    if found.wider:
        found.focus = [found.wider]
        return Choice("expand", "wider", mode="wider"), {}
    return choice, {}


async def _resolved(
    state: State, session: Session, choice: Choice, found: Descent, targets: Set[str], step: int
) -> Resolved | None:
    """Ask the utility where the score has leaves to choose among and stands at an impasse."""
    if choice.next != "act" or len(found.focus) >= len(targets):
        return None
    return await by_utility(state, session, sorted(targets), found.terms, step=step)


def choose(state: State, session: Session, *, step: int, seconds: float) -> Choice:
    """Return the choice of the first of `RULES` that holds."""
    for rule in RULES:
        choice = rule(state, session, step, seconds)
        if choice is not None:
            return choice
    return Choice("reflect", "nothing left to do")


def _ended(state: State, session: Session, step: int, seconds: float) -> Choice | None:
    """Stop at a cap, at a finished root, or at a standstill."""
    root = state["ideas"][state["work"]["root"]]
    if state.get("status") == "stopped":
        return Choice("reflect", "stopped")
    if is_final(root):
        return Choice("reflect", f"the root is {root['status']}")
    cap = reached(state, session, step, seconds)
    if cap:
        return Choice("reflect", "cap", stop=("stopped", f"budget: {cap}"))
    still = standstill(state, session)
    return Choice("reflect", "mood: standstill", stop=("stopped", still)) if still else None


def reached(state: State, session: Session, step: int, seconds: float) -> str:
    """Return the cap that is reached in words; empty where there is none."""
    budget, usage = session.settings.budget, state.get("usage", {})
    spent = {
        "max_steps": (step - 1, budget.max_steps),
        "max_seconds": (seconds, budget.max_seconds),
        # As many as the cap may have been made: what needs no call goes on.
        "max_model_calls": (usage.get("model_calls", 0) - 1, budget.max_model_calls),
        "max_tokens": (usage.get("tokens", 0), budget.max_tokens),
    }
    over = [f"{name} = {cap:g} reached" for name, (value, cap) in spent.items() if value >= cap]
    return over[0] if over else ""


def _protected(state: State, session: Session, step: int, seconds: float) -> Choice | None:
    """Enter protect mode once an entry, and ask what waits to be asked."""
    mind = state.get("mind")
    if mind and is_due(mind):  # type: ignore[arg-type]  # plain JSON in state
        return Choice("protect", "protect mode")
    if state.get("questions"):
        return Choice("protect", "a question waits")
    return None


def _forced(state: State, session: Session, step: int, seconds: float) -> Choice | None:
    """Take the step the mood forces, and check what is in conflict before the task is closed."""
    found = forced(state, session, step) or before_the_end(state, session)
    return None if found is None else Choice(found.next, found.rule, focus=(found.focus,), mode=found.mode)


def _surprised(state: State, session: Session, step: int, seconds: float) -> Choice | None:
    """Plan anew what rests on a surprising idea; everything else of the plan is followed."""
    idea = surprising(state, session.settings.selection.replan_above)
    if not idea or replans(state["ideas"], state["work"]["root"]) >= MAX_REPLANS:
        return None
    return Choice("expand", "surprise: plan anew", focus=(idea,), mode="replan")


def _evolution(state: State, session: Session, step: int, seconds: float) -> Choice | None:
    """Fall back to evolution on a task that has code and a test."""
    if evolution_due(state, session.settings.evolution, step=step, seconds=seconds):
        return Choice("evolve", "evolution trigger", focus=(state["work"]["root"],))
    return None


def _merge(state: State, session: Session, step: int, seconds: float) -> Choice | None:
    """Merge an expansion whose children are all final."""
    ready = dag.mergeable(state["ideas"], state["work"]["root"])
    return Choice("merge", "children are final", focus=(ready["id"],)) if ready else None


def _act(state: State, session: Session, step: int, seconds: float) -> Choice | None:
    """Act on the best runnable leaves, several at once."""
    leaves = dag.runnable_leaves(state["ideas"], state["work"]["root"])
    return _scored("act", "runnable leaves", leaves, session.settings.budget.max_parallel)


def _expand(state: State, session: Session, step: int, seconds: float) -> Choice | None:
    """Expand the best open inner idea."""
    ideas = dag.open_inner(state["ideas"], state["work"]["root"])
    return _scored("expand", "an open idea", ideas, together.most(state, session))


def _scored(node: NodeName, rule: str, ideas: list[Idea], k: int) -> Choice | None:
    return Choice(node, rule, targets=frozenset(i["id"] for i in ideas), k=k) if ideas else None


Rule = Callable[[State, Session, int, float], Choice | None]
RULES: tuple[Rule, ...] = (_ended, _protected, _surprised, _forced, _evolution, _merge, _act, _expand)

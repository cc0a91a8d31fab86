"""The node `select`: decide what is next by the first rule that holds, and on which ideas.

The choice is written into state for the router; the full terms of every score go to the decision
ledger (`decide`). Weak branches are given up before the choice (`steps.choices.weak_branches`).
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass, field, replace
from hashlib import sha256

from langgraph.types import Overwrite

from ddax.dynamics.rigidity import enter_protect
from ddax.dynamics.state import Mind
from ddax.graph.services import Session
from ddax.graph.state import Decision, State, Update
from ddax.ideas import dag, grow
from ddax.ideas.idea import Patch, apply_patches
from ddax.steps.accounts.ceremonies import weighed_before
from ddax.steps.accounts.decision_record import Made, decide
from ddax.steps.choices.frontier import Descent, descend, frontier, policy_row
from ddax.steps.choices.weak_branches import given_up, log_cuts, outside_beam, weak_branches
from ddax.steps.choices.wider_or_deeper import Width
from ddax.steps.findings.gather import usage_row
from ddax.steps.findings.solved import spared
from ddax.steps.leaves.human_answers import CHOSEN
from ddax.steps.select import planned_together
from ddax.steps.select.choosing import (
    Choice,
    ended,
    finished_children,
    forced_by_mood,
    idea_to_expand,
    leaves_to_act_on,
    protected,
    stuck_code,
    surprised,
)
from ddax.steps.select.impasse import Resolved, by_utility
from ddax.steps.select.lookahead import Lookahead, look_ahead, one_at_a_time
from ddax.types import JsonDict

Rule = Callable[[State, Session, int, float], Choice | None]
"""Takes the state, the session, the step and the seconds that were spent."""
RULES: tuple[Rule, ...] = (
    ended,  # the root is final, a cap is reached, or nothing moves any more → reflect
    protected,  # an entry into protect mode, or a question that waits → protect
    surprised,  # what an idea rests on came otherwise → expand anew
    forced_by_mood,  # a step that the mood forces, or a conflict before the end → as it says
    stuck_code,  # failing tests, and pressure or no change → evolve
    finished_children,  # an expansion whose children are final → merge
    leaves_to_act_on,  # runnable leaves, the best by score → act
    idea_to_expand,  # open ideas, the best by score → expand
)
"""What is next: the first that holds decides; where none does there is nothing left but to reflect."""
MAX_ROWS = 200
"""Scored candidates whose terms the decision log keeps."""


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
        found.focus = planned_together.alike(state["ideas"], found.focus)
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
    weighed = await weighed_before(left.state, step, session)
    surprise = {} if picked.choice.surprise is None else {"surprise": picked.choice.surprise}
    made = Made(
        following=picked.choice.next,
        rule=picked.choice.rule,
        focus=picked.found.focus,
        terms=picked.found.terms[:MAX_ROWS],
        mode=picked.choice.mode,
        more={**picked.facts, "cuts": cuts, "imagined": left.ahead.imagined, **surprise}
        | ({"doubts": weighed} if weighed else {}),
    )
    decision = await decide(_with_ideas(left.state, left.patch), session, made, step=step)
    return Decision(**{**decision, **surprise})  # type: ignore[typeddict-item]  # its own key


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

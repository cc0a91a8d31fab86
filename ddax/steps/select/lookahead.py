"""Look ahead before an action that writes or spends: imagine it, and what rests on it.

A small tree is searched by the reasoner's own forecasts: the root's children are the actions that are
due, below each is what the plan does next. What is imagined is kept apart from what happened: in the
log `imagined` and in the decision, never in Q and N of an idea. An action that looks bad is not taken:
a human is asked, or with nobody there it is given up. What the user asked for at the start is not imagined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ddax.dynamics.score import PRESETS
from ddax.dynamics.tree import ROOT_NODE, Policy, Tree
from ddax.errors import BudgetExceeded, ReasonerError
from ddax.graph.ports import Acts
from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.ideas import dag, grow
from ddax.ideas.idea import REASON_BYTES, Patch, clip, is_final
from ddax.memory.protocol import MANY
from ddax.reasoning.budget import usage_of
from ddax.reasoning.protocol import JudgeRequest, PredictRequest
from ddax.reasoning.sourced import FIXED, TOLD, of_passages, of_request, sourced
from ddax.steps.findings.gather import evidence, of_chain, task_text
from ddax.steps.leaves.human_answers import CHOSEN
from ddax.steps.leaves.permission import approved
from ddax.steps.leaves.plain_questions import leave
from ddax.types import Idea, JsonDict, Usage

IMAGINED = "imagined"
BRANCHING = 5
NEUTRAL = 0.5
"""What a forecast without confidence says of a value."""
OUTSIDE = ("writes", "spends")


@dataclass
class Lookahead:
    """What was imagined in this step: Q and N by leaf, what it cost, and what follows for the state."""

    imagined: dict[str, JsonDict] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    patch: Patch = field(default_factory=dict)
    questions: dict[str, JsonDict] = field(default_factory=dict)
    failures: dict[str, JsonDict] = field(default_factory=dict)


async def look_ahead(state: State, session: Session, step: int) -> Lookahead:
    """Imagine the actions with an outside effect that are due and were not imagined before."""
    found = Lookahead()
    rollouts = session.settings.selection.lookahead
    due = outside_leaves(state, session)
    if not rollouts or not due:
        return found
    known = await session.memory.rows(IMAGINED, task=state["work"]["id"], limit=MANY)
    found.imagined = {row["leaf"]: {"Q": row["Q"], "N": row["N"]} for row in known}
    new = [leaf for leaf in due if leaf["id"] not in found.imagined][:BRANCHING]
    if new:
        await _imagine(state, session, step, new, rollouts, found)
    minimum = session.settings.selection.lookahead_minimum
    bad = [
        i
        for i in due
        if found.imagined.get(i["id"], {"Q": 1.0})["Q"] < minimum and not await _passed(i, state, session)
    ]
    for leaf in bad:
        _hold(state, session, leaf, float(found.imagined[leaf["id"]]["Q"]), found)
    return found


def outside_leaves(state: State, session: Session) -> list[Idea]:
    """Return the leaves that could act now and would write or spend, unless a human wanted that."""
    return [
        leaf
        for leaf in dag.runnable_leaves(state["ideas"], state["work"]["root"])
        if _is_outside(leaf, session)
        and not session.actions[leaf["action"]["name"]].told
        and leaf.get("reason") not in ("approved", CHOSEN)
    ]


def one_at_a_time(
    state: State, session: Session, targets: frozenset[str], imagined: dict[str, JsonDict]
) -> frozenset[str]:
    """Return the targets with one action at most that writes or spends: the robust child in imagination.

    What is written may change what the others should do, so they are decided on again after it. Of what was
    not imagined the first of the plan is taken.
    """
    ideas = state["ideas"]
    outside = [
        t
        for t in sorted(targets, key=dag.sort_key)
        if ideas[t]["kind"] == "leaf" and _is_outside(ideas[t], session)
    ]
    told = any(session.actions[ideas[t]["action"]["name"]].told for t in outside)
    if len(outside) < 2 or not (told or any(t in imagined for t in outside)):
        return targets
    nothing = {"N": 0, "Q": 0.0}
    first = min(
        outside,
        key=lambda t: (-imagined.get(t, nothing)["N"], -imagined.get(t, nothing)["Q"], dag.sort_key(t)),
    )
    return targets - (frozenset(outside) - {first})


def _is_outside(leaf: Idea, session: Acts) -> bool:
    action = session.actions.get(leaf["action"]["name"])
    return action is not None and action.effect in OUTSIDE


async def _passed(leaf: Idea, state: State, session: Session) -> bool:
    """Say whether a human let this action pass."""
    return bool(await approved(session, task=state["work"]["id"], leaf=leaf["id"], call=leaf["action"]))


async def _imagine(
    state: State, session: Session, step: int, leaves: Sequence[Idea], rollouts: int, found: Lookahead
) -> None:
    """Search the imagined tree, and keep what came of each leaf; a spent budget ends it early."""
    tree, ideas = Tree(), {ROOT_NODE: Idea()}
    policy = Policy(PRESETS["puct"], c=session.settings.selection.c)
    _grow(tree, ROOT_NODE, leaves, ideas)
    for _ in range(rollouts):
        choice = tree.descend(policy)
        if choice is None:
            break
        if choice.move == "grow":
            _grow(tree, choice.node, _next(state, ideas[choice.node]["id"]), ideas)
            continue
        try:
            value = await _value(state, session, ideas[choice.node], found)
        except (BudgetExceeded, ReasonerError) as error:
            # What cannot be imagined is not held against an action.
            found.usage = found.usage + usage_of(error)
            break
        tree.backpropagate(choice.node, value)
    for node in tree.children[ROOT_NODE]:
        if tree.N[node]:
            leaf = ideas[node]["id"]
            found.imagined[leaf] = {"Q": round(tree.Q[node], 6), "N": tree.N[node]}
            row = {"task": state["work"]["id"], "leaf": leaf, "step": step, **found.imagined[leaf]}
            await session.memory.log(IMAGINED, row, key=f"{row['task']}:{leaf}")


def _grow(tree: Tree, node: int, leaves: Sequence[Idea], ideas: dict[int, Idea]) -> None:
    new = tree.grow(node, [leaf["P"] for leaf in leaves])
    ideas.update(zip(new, leaves, strict=True))


def _next(state: State, leaf: str) -> list[Idea]:
    """Return what the plan does after a leaf: the leaves that rest on it directly."""
    ideas = state["ideas"]
    after = [i for i in dag.dependents(ideas, leaf) if leaf in i["needs"] and i["kind"] == "leaf"]
    return [i for i in after if not is_final(i)][:BRANCHING]


async def _value(state: State, session: Session, leaf: Idea, found: Lookahead) -> float:
    """Forecast a leaf and value the forecast; what the forecast is unsure of counts as neutral."""
    reasoner = session.metered(state["work"]["id"], state.get("usage", {}))
    text, known = await task_text(state, session), await evidence(state, session, leaf["title"])
    planned, read = of_chain(state["ideas"], leaf), of_passages(known)
    ahead = PredictRequest(text, leaf["action"], known)
    ahead = sourced(ahead, task=TOLD, action=planned, evidence=read)
    forecast = await reasoner.predict(ahead)
    found.usage = found.usage + forecast.usage
    request = JudgeRequest(text, leaf["title"], forecast.expected, leaf.get("expected", ""), known)
    request = sourced(
        request, task=TOLD, idea=planned, result=of_request(ahead), expected=planned, evidence=read,
        arguments=FIXED, lessons=FIXED, rubric=FIXED, others=FIXED,
    )  # fmt: skip
    judged = await reasoner.judge(request)
    found.usage = found.usage + judged.usage
    sure = min(1.0, max(0.0, forecast.confidence))
    return sure * judged.value + (1.0 - sure) * NEUTRAL


def _hold(state: State, session: Session, leaf: Idea, q: float, found: Lookahead) -> None:
    """Keep an action that looks bad from being taken."""
    minimum = session.settings.selection.lookahead_minimum
    why = f"lookahead: its imagined value {q:.2f} is below {minimum:.2f}"
    if not session.settings.human:
        found.patch |= grow.abandon(state["ideas"], leaf["id"], why)
        cause = clip(f"nobody there to ask: {why}", REASON_BYTES)
        found.failures[leaf["id"]] = {"idea": leaf["id"], "title": leaf["title"], "cause": cause}
        return
    found.patch[leaf["id"]] = Idea(status="waiting", reason=clip(why, REASON_BYTES))
    found.questions[leaf["id"]] = {
        "idea": leaf["id"], "kind": "approval", "action": dict(leaf["action"]),
        "text": f"I expect little of this step. {leave([leaf])}", "details": {"reason": why},
    }  # fmt: skip

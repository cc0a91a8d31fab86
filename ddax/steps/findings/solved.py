"""Stop when the task is solved instead of when the plan is used up.

An action that checks may say that its result settles the task; so may a judge, by the value it gives. What
is open beside the way to that result is given up, and only it goes on to the answer.
"""

from __future__ import annotations

from collections.abc import Iterable

from ddax.graph.ports import Asks
from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.ideas import dag
from ddax.ideas.idea import Ideas, is_final
from ddax.reasoning.budget import FREE
from ddax.steps.findings.quick_road import is_quick
from ddax.types import Idea, JsonDict

SOLVED = "the task is solved by"
"""How the reason begins of what is given up because another idea solved the task."""
SURE = 0.9
"""Confidence of a judge from which on its value may end a task."""


def solved_by(state: State, session: Asks) -> str:
    """Return the idea whose outcome of this step settles the task; "" where none does."""
    outcomes, verdicts = state.get("outcomes", {}), state.get("verdicts", {})
    if session.reasoner.name in FREE or is_quick(state["work"]) or state["work"].get("code"):
        return ""
    least, good = (
        session.settings.debate.settled,
        {i: o for i, o in outcomes.items() if o.get("ok") and i in state["ideas"]},
    )
    found = [i for i, outcome in good.items() if outcome.get("settles")]
    found += [i for i in good if _judged(state["ideas"][i], verdicts.get(i, {}), least)]
    return min(found, key=dag.sort_key, default="")


def spared(state: State, session: Session) -> dict[str, str]:
    """Return what is left open beside the way to the idea that solved the task, with the reason."""
    solver, ideas = solved_by(state, session), state["ideas"]
    if not solver:
        return {}
    above = dag.ancestors(ideas, solver)
    way = {solver, *(idea["id"] for idea in above)}
    beside = (child for idea in above for child in dag.children(ideas, idea["id"]) if child["id"] not in way)
    return {child["id"]: f"{SOLVED} {solver}" for child in beside if not is_final(child)}


def heard(ideas: Ideas, needs: Iterable[str]) -> list[str]:
    """Return what a merge hears of: where one of its needs solved the task, not those given up for it."""
    ids = list(needs)
    left = [need for need in ids if not _is_spared(ideas[need])]
    return left or ids


def _is_spared(idea: Idea) -> bool:
    return idea["status"] == "abandoned" and SOLVED in idea.get("reason", "")


def _judged(idea: Idea, verdict: JsonDict, least: float) -> bool:
    """Tell whether a judge is sure that a result, which rests on what was read, settles the task."""
    if "value" not in verdict or verdict.get("estimated") or not idea.get("evidence"):
        return False
    return bool(verdict["value"] >= least and verdict["confidence"] >= SURE)

"""Several open ideas in one plan: which they are.

A call that plans one idea tells rules, task and actions as one that plans eight. How many go together grows
with the plans a task has asked for: a task that is soon settled plans no more than it needs.
"""

from __future__ import annotations

from collections.abc import Sequence

from ddax.graph.ports import Asks
from ddax.graph.state import State
from ddax.ideas import dag
from ddax.ideas.idea import Ideas
from ddax.types import NO_PARENT, Idea

BY_RULE = "by rule:"
"""How the title of an idea begins that a rule planned."""


def most(state: State, session: Asks) -> int:
    """Return how many ideas may be planned by the next call."""
    settings = session.settings.models
    if not getattr(session.reasoner, "plans_together", False) or settings.samples > 1:
        return 1
    inner = (i for i in dag.subtree(state["ideas"], state["work"]["root"]) if i["kind"] == "inner")
    planned = sum(idea["status"] != "open" for idea in inner)
    return min(settings.plans, planned + 1)


def alike(ideas: Ideas, focus: Sequence[str]) -> list[str]:
    """Return those of the chosen ideas that one request can tell of: as deep, over the same findings."""
    first = ideas[focus[0]]
    if first["parent"] == NO_PARENT or _by_rule(first):
        return [focus[0]]
    needs = _needs(ideas, focus[0])
    level = (i for i in focus if ideas[i]["depth"] == first["depth"] and not _by_rule(ideas[i]))
    return [i for i in level if _needs(ideas, i) == needs]


def _by_rule(idea: Idea) -> bool:
    """Tell whether a rule may have the next stage of an idea's plan, without a call."""
    return idea["title"].startswith(BY_RULE)


def _needs(ideas: Ideas, idea_id: str) -> frozenset[str]:
    """Return what an idea and those above it rest on, whose findings its plan is told."""
    chain = [ideas[idea_id], *dag.ancestors(ideas, idea_id)]
    return frozenset(need for idea in chain for need in idea["needs"])

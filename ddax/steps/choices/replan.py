"""Plan anew after a surprise: only what rests on the surprising idea.

A plan is followed until an outcome's surprise passes the threshold. Then what was planned in detail on
the strength of its forecast is outdated; everything else stays.
"""

from __future__ import annotations

from ddax.graph.state import State
from ddax.ideas import dag, grow
from ddax.ideas.idea import Ideas, Patch
from ddax.types import Idea

MAX_REPLANS = 3
"""How often one task plans anew."""
REPLANNED = "planned anew after a surprise at "


def surprising(state: State, threshold: float) -> tuple[str, float] | None:
    """Return the most surprising idea of this step that planned leaves rest on, and its surprise."""
    verdicts = state.get("verdicts", {})
    loud = [i for i, v in verdicts.items() if float(v.get("surprise", 0.0)) > threshold]
    for idea_id in sorted(loud, key=lambda i: (-float(verdicts[i]["surprise"]), dag.sort_key(i))):
        here = owner(state["ideas"], idea_id)
        if outdated(state["ideas"], here):
            return here, float(verdicts[idea_id]["surprise"])
    return None


def replans(ideas: Ideas, root: str) -> int:
    """Return how often a task has been planned anew: the surprises its given-up ideas name."""
    given_up = [i.get("reason", "") for i in dag.subtree(ideas, root) if i["status"] == "abandoned"]
    return len({reason for reason in given_up if reason.startswith(REPLANNED)})


def owner(ideas: Ideas, idea_id: str) -> str:
    """Return the idea an outcome belongs to: a merge speaks for its parent."""
    idea = ideas[idea_id]
    return idea["parent"] if idea["kind"] == "merge" else idea_id


def parent_of(ideas: Ideas, idea: Idea) -> Idea:
    """Return the expansion in which the surprising idea was planned."""
    return ideas[idea["parent"]]


def outdated(ideas: Ideas, idea_id: str) -> list[Idea]:
    """Return the leaves that rest on an idea and have not begun; an unplanned inner idea has no plan yet."""
    siblings = ideas[idea_id]["parent"]
    if not siblings or ideas[siblings]["status"] != "waiting":
        return []
    return [i for i in dag.dependents(ideas, idea_id) if i["kind"] == "leaf" and i["status"] == "open"]


def without_old_plan(ideas: Ideas, idea_id: str, again: frozenset[str]) -> Patch:
    """Return the patch that gives up the outdated plan, but for the leaves the new one proposed again."""
    patch: Patch = {}
    for idea in outdated(ideas, idea_id):
        if idea["id"] not in again:
            patch |= grow.abandon(ideas, idea["id"], f"{REPLANNED}{idea_id}")
    return patch

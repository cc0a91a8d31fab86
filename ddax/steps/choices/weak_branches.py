"""Give up weak branches before a selection: by value, and beyond the beam.

Every cut is logged with its reason, in the log `cuts`, where joined ideas stand as well.
"""

from __future__ import annotations

from collections.abc import Mapping

from ddax.dynamics.prune import beyond_beam, weak
from ddax.graph.ports import Remembers
from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.ideas import dag, grow
from ddax.ideas.idea import Ideas, Patch, is_final
from ddax.steps.choices.frontier import Frontier, score
from ddax.types import Idea

CUTS = "cuts"


def weak_branches(state: State, session: Session) -> dict[str, str]:
    """Return the unfinished ideas that lie too far below their best sibling, with the reason."""
    settings, ideas = session.settings.selection, state["ideas"]
    found: dict[str, str] = {}
    for siblings in _families(ideas, state["work"]["root"]):
        Q, N = [i["Q"] for i in siblings], [i["N"] for i in siblings]
        for cut in weak(Q, N, margin=settings.prune_margin, visits=settings.prune_visits):
            if _may_go(state, siblings[cut.row]):
                found[siblings[cut.row]["id"]] = cut.reason
    return found


def outside_beam(view: Frontier, targets: frozenset[str], *, beam: int) -> dict[str, str]:
    """Return the targets never visited that score behind the best `beam` of their siblings."""
    found: dict[str, str] = {}
    for ids in view.below.values():
        if len(ids) <= beam:
            continue
        siblings = [view.ideas[i] for i in ids if i in targets]
        fresh = [i for i in siblings if i["N"] == 0 and i["status"] == "open"]
        if len(fresh) > beam:
            cuts = beyond_beam(score(view, fresh, {}).total, beam)
            found |= {fresh[cut.row]["id"]: cut.reason for cut in cuts}
    return found


def given_up(ideas: Ideas, root: str, cuts: Mapping[str, str]) -> Patch:
    """Return the patch that gives up these ideas, what is open below them, and what needs them alone."""
    patch: Patch = {}
    for idea_id, reason in cuts.items():
        patch |= grow.abandon(ideas, idea_id, f"pruned: {reason}")
    return grow.give_up(ideas, root, patch) if patch else {}


async def log_cuts(
    state: State, session: Remembers, step: int, cuts: Mapping[str, str], *, kind: str
) -> None:
    """Log why ideas were pruned: by `value` or `beam`, `solved`, `joined`, `forbidden`, `large`."""
    work = state["work"]["id"]
    for idea_id, reason in cuts.items():
        row = {"task": work, "step": step, "idea": idea_id, "kind": kind, "reason": reason}
        await session.memory.log(CUTS, row, key=f"{work}:{step}:{kind}:{idea_id}")


def _families(ideas: Ideas, root: str) -> list[list[Idea]]:
    """Return the siblings of the task where at least one is unfinished and at least two were visited."""
    alive = (i["parent"] for i in dag.live(ideas, root) if i["kind"] != "merge" and i["parent"])
    families = (dag.children(ideas, parent) for parent in dict.fromkeys(alive))
    return [family for family in families if sum(i["N"] > 0 for i in family) > 1]


def _may_go(state: State, idea: Idea) -> bool:
    """Say whether an idea may be given up: it is unfinished, and nobody was asked about what is below."""
    prefix = idea["id"] + "."
    asked = any(i == idea["id"] or i.startswith(prefix) for i in state.get("questions", {}))
    return not is_final(idea) and not asked

"""Grow the DAG: an expansion with its merge, late children, abandoned branches, statistics.

Every function takes the DAG and returns field patches; nothing is changed in place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ddax.ideas import dag
from ddax.ideas.idea import (
    REASON_BYTES,
    Ideas,
    Patch,
    apply_patches,
    child,
    clip,
    is_final,
    merge_idea,
)
from ddax.ideas.origins import UNTRUSTED, narrowed
from ddax.types import Idea, Proposal

NEEDS_BYTES = 600
"""What the ids of its children take in a merge, beside its title, its result and its evidence."""


def has_room(parent: Idea, proposal: Proposal, also_needs: Sequence[str] = ()) -> bool:
    """Tell whether an idea holds what is proposed, a result beside it, and the kinds of its origins."""
    needs = [*([f"{parent['id']}.99"] * len(proposal.needs)), *also_needs]
    idea = child(
        parent, 99, proposal.title, expected=proposal.expected, prior=proposal.prior, step=999, needs=needs,
        action=proposal.action,
    )  # fmt: skip
    return dag.has_room(Idea(**{**idea, "origins": narrowed(UNTRUSTED)}))


def room_for_children(ideas: Ideas, parent: Idea) -> int:
    """Return how many children more a merge of this idea can need."""
    taken = sum(len(idea["id"]) + 4 for idea in dag.children(ideas, parent["id"]))
    return max(0, NEEDS_BYTES - taken) // (len(parent["id"]) + 8)


def expansion(
    ideas: Ideas,
    parent: Idea,
    proposals: Sequence[Proposal],
    *,
    step: int,
    also_needs: Mapping[int, Sequence[str]] | None = None,
    origins: Sequence[str] = (),
) -> Patch:
    """Return the patch that gives an inner idea its children and the merge that closes them.

    Priors are normalised to sum to 1. `also_needs` are ideas outside the expansion that a proposal, by
    its place, depends on; `origins` is what the planner had read.
    """
    total = sum(p.prior for p in proposals) or 1.0
    first = dag.next_number(ideas, parent["id"])
    ids = [f"{parent['id']}.{first + k}" for k in range(len(proposals))]
    patch: Patch = {}
    for k, proposal in enumerate(proposals):
        patch[ids[k]] = child(
            parent,
            first + k,
            proposal.title,
            expected=proposal.expected,
            prior=proposal.prior / total,
            step=step,
            needs=[*(ids[n] for n in proposal.needs), *(also_needs or {}).get(k, ())],
            action=proposal.action,
        )
        if origins:
            patch[ids[k]] = dag.originating(patch[ids[k]], origins)
    patch |= _closing_merge(ideas, parent, ids, number=first + len(ids), step=step)
    patch[parent["id"]] = Idea(status="waiting", reason="children")
    return patch


def _closing_merge(ideas: Ideas, parent: Idea, new: list[str], *, number: int, step: int) -> Patch:
    """Return the patch that makes the merge of an expansion need the new children as well.

    An open merge takes them on; a finished one is superseded by a new merge.
    """
    old = dag.current_merge(ideas, parent["id"])
    if old is not None and not is_final(old):
        return {old["id"]: Idea(needs=[*old["needs"], *new])}
    needs = [c["id"] for c in dag.children(ideas, parent["id"])] + new
    merge = merge_idea(parent, number, needs=needs, step=step, supersedes=old["id"] if old else "")
    return {merge["id"]: merge}


def interim_merge(ideas: Ideas, parent: Idea, *, step: int) -> Patch:
    """Return the patch that merges what is finished now, ahead of the closing merge.

    The interim merge is superseded by the closing one, which goes on waiting for the rest.
    """
    closing = dag.current_merge(ideas, parent["id"])
    finished = [c["id"] for c in dag.children(ideas, parent["id"]) if is_final(c)]
    number = dag.next_number(ideas, parent["id"])
    earlier = closing.get("supersedes", "") if closing is not None else ""
    interim = merge_idea(parent, number, needs=finished, step=step, supersedes=earlier)
    patch: Patch = {interim["id"]: interim}
    if closing is not None:
        patch[closing["id"]] = Idea(supersedes=interim["id"])
    return patch


def abandon(ideas: Ideas, idea_id: str, reason: str) -> Patch:
    """Return the patch that gives up an idea and everything open below it."""
    prefix, said = idea_id + ".", clip(reason, REASON_BYTES)
    below = (idea["id"] for idea in dag.live(ideas, idea_id))
    return {i: Idea(status="abandoned", reason=said) for i in below if i == idea_id or i.startswith(prefix)}


def give_up(ideas: Ideas, root_id: str, patch: Patch) -> Patch:
    """Add to a patch the abandonment of ideas all of whose needs failed, until none is left."""
    ideas = apply_patches(ideas, [patch])
    while orphans := dag.orphans(ideas, root_id):
        lost: Patch = {}
        for orphan in orphans:
            lost |= abandon(ideas, orphan["id"], "everything it needs has failed")
        ideas = apply_patches(ideas, [lost])
        patch = apply_patches(patch, [lost])
    return patch


def backpropagate(ideas: Ideas, values: Sequence[tuple[str, float]]) -> Patch:
    """Return the patch that adds evaluations to Q and N of each idea and its ancestors.

    Q ← (N·Q + v)/(N + 1), N ← N + 1, once per ancestor and evaluation, however many paths lead there
    (dda-x 8.2). An idea's N, Q and P are those of the edge to it, (idea, action), and are never thrown
    away. `values` are (idea id, V in [0, 1]) pairs.
    """
    patch: Patch = {}
    for idea_id, value in values:
        for idea in [ideas[idea_id], *dag.reached(ideas, idea_id)]:
            now = patch.get(idea["id"], idea)
            n, q = now["N"], now["Q"]
            mine = patch.setdefault(idea["id"], Idea())
            mine["Q"], mine["N"] = round((n * q + value) / (n + 1), 6), n + 1
        patch[idea_id]["V"] = round(value, 6)
    return patch

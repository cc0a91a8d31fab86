"""The structure of the DAG of ideas: who belongs to whom, what may run, and what must always hold.

Invariants (`check`): acyclic; one root a task; every expansion has one merge that is not
superseded, and it needs all its siblings; parents and needs exist; only merges supersede.
An idea runs when all its needs are final and not all of them failed (docs/sources/ideadag.md).
"""

from __future__ import annotations

import json
from collections import ChainMap
from collections.abc import Mapping, Sequence, Set
from typing import cast

from ddax.errors import InvariantError
from ddax.ideas.idea import RESULT_BYTES, Ideas, Patch, is_final
from ddax.ideas.ids import sort_key as sort_key
from ddax.ideas.ids import task_of as task_of
from ddax.ideas.indexed import Dag, above_of, as_dag, index_of
from ddax.ideas.origins import narrowed
from ddax.ideas.rows import Frame, Rows
from ddax.types import NO_PARENT, Idea, Status

MAX_IDEA_BYTES = 1536
"""Upper size of one idea as JSON; longer text belongs into the memory."""
LATER_BYTES = 120
"""What its values and a reason of `MARK_BYTES` may still add to an idea that is done."""

FIELDS = frozenset(Idea.__annotations__)

REQUIRED = frozenset(
    {"id", "parent", "kind", "title", "status", "needs", "P", "Q", "N", "V", "depth", "step"}
)
"""Fields that every idea has."""

_NEXT: dict[Status, frozenset[Status]] = {
    "open": frozenset({"open", "running", "waiting", "done", "failed", "abandoned"}),
    "running": frozenset({"running", "waiting", "done", "failed", "abandoned", "open"}),
    "waiting": frozenset({"waiting", "running", "open", "done", "failed", "abandoned"}),
    "done": frozenset({"done"}),
    "failed": frozenset({"failed"}),
    "abandoned": frozenset({"abandoned"}),
}


def subtree(ideas: Ideas, root_id: str) -> list[Idea]:
    """Return the ideas of one task, in the order of their ids."""
    return [ideas[i] for i in index_of(ideas).order.get(task_of(root_id), ())]


def roots(ideas: Ideas) -> list[str]:
    """Return the ids of the roots of all tasks, oldest first."""
    return list(index_of(ideas).below.get(NO_PARENT, ()))


def origins(ideas: Ideas, root_id: str) -> frozenset[str]:
    """Return where everything comes from that the ideas of a task which are done with have read."""
    return index_of(ideas).origins(task_of(root_id))


def live(ideas: Ideas, root_id: str) -> list[Idea]:
    """Return the ideas of a task that are not final, in the order of their ids."""
    return [ideas[i] for i in index_of(ideas).live.get(task_of(root_id), ())]


def children(ideas: Ideas, idea_id: str) -> list[Idea]:
    """Return the children of an idea without its merges, in the order of their ids."""
    return [ideas[i] for i in _below(ideas, idea_id) if ideas[i]["kind"] != "merge"]


def merges(ideas: Ideas, idea_id: str) -> list[Idea]:
    """Return the merges of an idea, oldest first."""
    return [ideas[i] for i in _below(ideas, idea_id) if ideas[i]["kind"] == "merge"]


def current_merge(ideas: Ideas, idea_id: str) -> Idea | None:
    """Return the merge of an expansion that no other supersedes."""
    found = merges(ideas, idea_id)
    old = {merge.get("supersedes", "") for merge in found}
    live = [merge for merge in found if merge["id"] not in old]
    return live[-1] if live else None


def next_number(ideas: Ideas, idea_id: str) -> int:
    """Return the number the next child of an idea gets."""
    return 1 + max((sort_key(i)[-1] for i in _below(ideas, idea_id)), default=0)


def is_runnable(ideas: Ideas, idea: Idea) -> bool:
    """Tell whether an open idea may run: its needs are final and, if any, not all failed."""
    if idea["status"] != "open":
        return False
    needs = [ideas[n] for n in idea["needs"]]
    return all(map(is_final, needs)) and (not needs or any(n["status"] == "done" for n in needs))


def orphans(ideas: Ideas, root_id: str) -> list[Idea]:
    """Return open ideas that can never run because everything they need failed (merges excepted)."""
    found = []
    for idea in live(ideas, root_id):
        needs = [ideas[n] for n in idea["needs"]]
        lost = bool(needs) and all(n["status"] in ("failed", "abandoned") for n in needs)
        if lost and idea["status"] == "open" and idea["kind"] != "merge":
            found.append(idea)
    return found


def runnable_leaves(ideas: Ideas, root_id: str) -> list[Idea]:
    """Return the leaves of a task that may act now."""
    return [i for i in live(ideas, root_id) if i["kind"] == "leaf" and is_runnable(ideas, i)]


def open_inner(ideas: Ideas, root_id: str) -> list[Idea]:
    """Return the inner ideas of a task that may be expanded now."""
    return [i for i in live(ideas, root_id) if i["kind"] == "inner" and is_runnable(ideas, i)]


def mergeable(ideas: Ideas, root_id: str) -> Idea | None:
    """Return the deepest open merge all of whose needs are final, oldest first among equals."""
    ready = [
        i
        for i in live(ideas, root_id)
        if i["kind"] == "merge" and i["status"] == "open" and all(is_final(ideas[n]) for n in i["needs"])
    ]
    return max(ready, key=lambda i: i["depth"]) if ready else None


def ancestors(ideas: Ideas, idea_id: str) -> list[Idea]:
    """Return the chain of parents, nearest first."""
    chain: list[Idea] = []
    parent = ideas[idea_id]["parent"]
    while parent != NO_PARENT:
        chain.append(ideas[parent])
        parent = ideas[parent]["parent"]
    return chain


def reached(ideas: Ideas, idea_id: str, *, without: Set[str] = frozenset()) -> list[Idea]:
    """Return every idea above this one, each once: the parents, and those that proposed it as well.

    No way leads through an idea of `without`.
    """
    found: dict[str, Idea] = {}
    waiting = [] if idea_id in without else [idea_id]
    while waiting:
        for above in above_of(ideas[waiting.pop()]):
            if above != idea_id and above not in found and above not in without:
                found[above] = ideas[above]
                waiting.append(above)
    return list(found.values())


def lost_values(ideas: Ideas, root_id: str) -> dict[str, tuple[int, float]]:
    """Return how many values of lost branches an idea has below it, and their sum; by id, where any are.

    A value is lost to an idea where every way up to it leads through one that failed or was given up, and
    once, however many there are.
    """
    index, task = index_of(ideas), task_of(root_id)
    if task in index.lost_below:
        return index.lost_below[task]
    lost = index.lost.get(task, frozenset())
    below = index.lost_below[task] = dict[str, tuple[int, float]]()
    for idea in _valued_in(ideas, lost):
        kept = lost.union(above["id"] for above in reached(ideas, idea["id"], without=lost))
        for above in reached(ideas, idea["id"]):
            if above["id"] not in kept:
                n, total = below.get(above["id"], (0, 0.0))
                below[above["id"]] = (n + idea["N"], total + idea["N"] * idea["Q"])
    return below


def _valued_in(ideas: Ideas, branches: Set[str]) -> list[Idea]:
    """Return the ideas of some branches whose N and Q are of their own alone: the leaves and the merges.

    A leaf is of every branch that proposed it.
    """
    index, waiting, met = index_of(ideas), list(branches), set(branches)
    while waiting:
        here = waiting.pop()
        new = [i for i in (*index.below.get(here, ()), *index.again.get(here, ())) if i not in met]
        waiting.extend(new)
        met.update(new)
    own = (ideas[i] for i in sorted(met, key=sort_key))
    return [idea for idea in own if idea["kind"] != "inner" and idea["N"]]


def unfinished(ideas: Ideas, root_id: str) -> list[Idea]:
    """Return the ideas of a task, merges excepted, that may still run or have such ideas below; by id."""
    mine = index_of(ideas).live.get(task_of(root_id), [])
    known, final = set(mine), list[str]()
    for idea_id in mine:
        above = ideas[idea_id]["parent"]
        while above != NO_PARENT and above not in known:
            known.add(above)
            final.append(above)
            above = ideas[above]["parent"]
    every = sorted([*mine, *final], key=sort_key) if final else mine
    return [ideas[i] for i in every if ideas[i]["kind"] != "merge"]


def rows(ideas: Ideas, root_id: str) -> Rows:
    """Return the unfinished ideas of a task as columns, as `unfinished` has them."""
    index, task = index_of(ideas), task_of(root_id)
    known = index.rows(task)
    if known is None:
        known = Rows.of(ideas, Frame.of(ideas, unfinished(ideas, root_id), index.live.get(task, ())))
        index.keep(task, known)
    return known


def dependents(ideas: Ideas, idea_id: str) -> list[Idea]:
    """Return what needs an idea, directly or through others, merges excepted; in the order of ids."""
    found: set[str] = set()
    grown = {idea_id}
    while grown:
        direct = {
            i for i, idea in ideas.items() if idea["kind"] != "merge" and not grown.isdisjoint(idea["needs"])
        }
        grown = direct - found
        found |= grown
    return [ideas[i] for i in sorted(found, key=sort_key)]


def digest(ideas: Ideas) -> str:
    """Hash the whole DAG (see `ddax.ideas.tally`); equal runs have equal digests, byte for byte."""
    return index_of(ideas).digest()


def size_of(idea: Mapping[str, object]) -> int:
    """Return the bytes an idea takes as JSON."""
    return len(json.dumps(dict(idea), ensure_ascii=False).encode("utf-8", "replace"))


def has_room(idea: Idea) -> bool:
    """Tell whether an idea that has not run holds a result besides, and what comes later."""
    return _fits({**idea, "result": "", "evidence": []}, RESULT_BYTES)


def originating(idea: Idea, origins: Sequence[str]) -> Idea:
    """Return a new idea with its origins; hosts and tools are named where it has room for their names."""
    named = cast(Idea, {**idea, "origins": list(origins)})
    return named if has_room(named) else cast(Idea, {**idea, "origins": narrowed(origins)})


def held(patch: Idea, taken: int) -> Idea:
    """Return what an idea of `taken` bytes can hold of a patch.

    That is as much of its evidence as fits, from the first; where it does not fit without any, hosts and
    tools among its origins are not named.
    """
    bare = cast(Idea, {**patch, "evidence": []})
    if "origins" in patch and not _fits(bare, taken):
        patch = cast(Idea, {**patch, "origins": narrowed(patch["origins"])})
    kept = list(patch.get("evidence", []))
    while kept and not _fits({**patch, "evidence": kept}, taken):
        kept.pop()
    return cast(Idea, {**patch, "evidence": kept}) if "evidence" in patch else patch


def _fits(patch: Mapping[str, object], taken: int) -> bool:
    return taken + size_of(patch) + LATER_BYTES <= MAX_IDEA_BYTES


def check_patch(ideas: Ideas, patch: Patch) -> None:
    """Refuse a patch that would break the DAG; raises InvariantError naming the idea and the rule."""
    for idea_id, fields in patch.items():
        unknown = set(fields) - FIELDS
        if unknown:
            raise InvariantError(
                f"Idea {idea_id!r} has no field {min(unknown)!r}.",
                why=f"An idea has {', '.join(sorted(FIELDS))}.",
                mend="Write one of these.",
            )
        old = ideas.get(idea_id)
        if old is None:
            _check_new(ideas, patch, idea_id)
        if old is not None and "status" in fields and fields["status"] not in _NEXT[old["status"]]:
            allowed = ", ".join(sorted(_NEXT[old["status"]])) or "nothing else: it is final"
            raise _broken(
                f"Idea {idea_id!r} cannot go from {old['status']!r} to {fields['status']!r}.",
                why=f"From {old['status']!r} it goes to {allowed}.",
            )
        size = size_of({**(old or {}), **fields})
        if size > MAX_IDEA_BYTES:
            raise InvariantError(
                f"Idea {idea_id!r} has {size} bytes, more than {MAX_IDEA_BYTES}.",
                why="Each checkpoint holds the ideas that changed, so they stay small.",
                mend="Keep long text in the memory and its id in `evidence`.",
            )


def _check_new(ideas: Ideas, patch: Patch, idea_id: str) -> None:
    """Refuse a new idea that lacks a field, or hangs on what is not there."""
    fields = patch[idea_id]
    if "kind" not in fields:
        raise InvariantError(
            f"Idea {idea_id!r} does not exist.",
            why="Only an idea that is there can be changed.",
            mend="Create it with all its fields.",
        )
    wanted = REQUIRED | ({"action"} if fields["kind"] == "leaf" else frozenset())
    if missing := wanted - set(fields):
        raise _broken(f"The new idea {idea_id!r} has no {min(missing)!r}.", why="Every idea has one.")
    _check_links(ChainMap(patch, cast(Patch, ideas)), fields)


def check(ideas: Ideas) -> None:
    """Refuse a DAG that breaks an invariant; raises InvariantError naming the idea and the rule."""
    for idea in ideas.values():
        _check_links(ideas, idea)
    _check_acyclic(ideas)
    ideas = as_dag(ideas)
    for idea in ideas.values():
        if idea["kind"] == "inner" and children(ideas, idea["id"]):
            _check_merge(ideas, idea)


def _below(ideas: Ideas, idea_id: str) -> list[str]:
    if isinstance(ideas, Dag):
        return ideas.index.below.get(idea_id, [])
    return sorted((i for i, idea in ideas.items() if idea["parent"] == idea_id), key=sort_key)


def _check_links(ideas: Ideas, idea: Idea) -> None:
    parent = idea["parent"]
    if parent == NO_PARENT and "." in idea["id"]:
        raise _broken(f"Idea {idea['id']!r} has no parent.", why="Only the root of a task has none.")
    if parent != NO_PARENT and parent not in ideas:
        raise _broken(
            f"The parent {parent!r} of idea {idea['id']!r} does not exist.",
            why="An idea is part of one that is there.",
        )
    missing = [n for n in idea["needs"] if n not in ideas]
    if missing:
        raise _broken(
            f"Idea {idea['id']!r} needs {missing[0]!r}, which does not exist.",
            why="It would wait for it for ever.",
        )
    if idea.get("supersedes") and idea["kind"] != "merge":
        raise _broken(
            f"Idea {idea['id']!r} supersedes another but is no merge.",
            why=f"Only a merge takes the place of an earlier one; this is of the kind {idea['kind']!r}.",
        )


def _check_acyclic(ideas: Ideas) -> None:
    state: dict[str, bool] = {}
    for start in ideas:
        stack: list[tuple[str, bool]] = [(start, False)]
        while stack:
            node, leaving = stack.pop()
            if leaving:
                state[node] = True
            elif node in state:
                if not state[node]:
                    raise _circular(node)
            else:
                state[node] = False
                stack.append((node, True))
                open_needs = [n for n in ideas[node]["needs"] if not state.get(n, False)]
                if any(n in state for n in open_needs):
                    raise _circular(node)
                stack.extend((n, False) for n in open_needs)


def _check_merge(ideas: Ideas, idea: Idea) -> None:
    merge = current_merge(ideas, idea["id"])
    if merge is None:
        raise _broken(
            f"The expansion of idea {idea['id']!r} has no merge.",
            why="Without one nobody puts together what its parts bring.",
        )
    lacking = {c["id"] for c in children(ideas, idea["id"])} - set(merge["needs"])
    if lacking:
        raise _broken(
            f"Merge {merge['id']!r} does not need {min(lacking)!r}, which it must synthesise.",
            why="A merge waits for all parts of what it puts together.",
        )


def _circular(node: str) -> InvariantError:
    return _broken(
        f"The needs of idea {node!r} form a cycle.", why="Each of them would wait for the other for ever."
    )


def _broken(what: str, *, why: str) -> InvariantError:
    return InvariantError(
        what, why=why, mend="Mend the node that returned it; its state before stands: ddax resume"
    )

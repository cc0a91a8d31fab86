"""Make ideas: ids, sizes and the field patches that graph state is written with.

An idea's id is its parent's id, a dot and its number there ("0.2.1"), so that the same run gives
the same ids. Leaves out every decision: see ``ddax.ideas.dag`` for the structure.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast

from ddax.ideas.indexed import Dag, as_dag
from ddax.types import FINAL, NO_PARENT, ActionCall, Idea

Ideas: TypeAlias = Mapping[str, Idea]
"""The whole DAG: idea id to idea."""
Patch: TypeAlias = dict[str, Idea]
"""Field patches by idea id; what a node writes."""
UNCUT = frozenset({"source", "root"})
"""Arguments that are addresses: a shortened one would be another."""

TITLE_BYTES = 160
EXPECTED_BYTES = 200
RESULT_BYTES = 260
REASON_BYTES = 200
CAUSE_BYTES = 1200
"""Of why an order was not carried out, which is told whole."""
MARK_BYTES = 80
"""A reason that an idea gets after it has ended; see `ddax.ideas.dag.LATER_BYTES`."""
KIND_BYTES = 60
INTENT_BYTES = 120
ARGUMENT_BYTES = 400
MAX_EVIDENCE = 6


def clip(text: str, limit: int) -> str:
    """Shorten a text to one line of at most `limit` bytes as JSON, marking the cut.

    Bytes and not characters, because a line of Chinese has three times as many.
    """
    line = " ".join(text.encode("utf-8", "replace").decode().split())
    if size(line) <= limit:
        return line
    cut = line.encode()[: limit - 3].decode("utf-8", "ignore")
    while size(cut) > limit - 3:
        cut = cut[: -max(1, (size(cut) - limit + 3) // 4)]
    return cut.rstrip() + "…"


def size(text: str) -> int:
    """Return the bytes a text takes as JSON, without its quotes."""
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")) - 2


def fitted(call: ActionCall) -> ActionCall:
    """Return a call whose texts are short enough for graph state; addresses are never cut."""
    args = {
        key: _short(value) if isinstance(value, str) and key not in UNCUT else value
        for key, value in call["args"].items()
    }
    return ActionCall(name=call["name"], args=args, intent=clip(call["intent"], INTENT_BYTES))


def _short(text: str) -> str:
    """Return a text as it is where it fits: the lines of a message are part of what is done."""
    return (
        text.encode("utf-8", "replace").decode()
        if size(text) <= ARGUMENT_BYTES
        else clip(text, ARGUMENT_BYTES)
    )


def root(number: int, title: str) -> Idea:
    """Make the root idea of the task with this number in its thread."""
    return Idea(
        id=str(number),
        parent=NO_PARENT,
        kind="inner",
        title=clip(title, TITLE_BYTES),
        status="open",
        needs=[],
        P=1.0,
        Q=0.0,
        N=0,
        V=0.0,
        depth=0,
        step=0,
    )


def child(
    parent: Idea,
    number: int,
    title: str,
    *,
    expected: str,
    prior: float,
    step: int,
    needs: list[str],
    action: ActionCall | None = None,
) -> Idea:
    """Make a child: a leaf when it has an action, else an inner idea."""
    idea = Idea(
        id=f"{parent['id']}.{number}",
        parent=parent["id"],
        kind="leaf" if action else "inner",
        title=clip(title, TITLE_BYTES),
        status="open",
        needs=needs,
        expected=clip(expected, EXPECTED_BYTES),
        P=round(prior, 6),
        Q=0.0,
        N=0,
        V=0.0,
        depth=parent["depth"] + 1,
        step=step,
    )
    if action is not None:
        idea["action"] = fitted(action)
    return idea


def merge_idea(parent: Idea, number: int, *, needs: list[str], step: int, supersedes: str = "") -> Idea:
    """Make the merge that closes an expansion; it needs every sibling it synthesises."""
    idea = Idea(
        id=f"{parent['id']}.{number}",
        parent=parent["id"],
        kind="merge",
        status="open",
        needs=needs,
        title=clip(f"merge: {parent['title']}", TITLE_BYTES),
        P=1.0,
        Q=0.0,
        N=0,
        V=0.0,
        depth=parent["depth"] + 1,
        step=step,
    )
    if supersedes:
        idea["supersedes"] = supersedes
    return idea


def is_final(idea: Idea) -> bool:
    """Tell whether an idea will not change its status again."""
    return idea["status"] in FINAL


def apply_patches(ideas: Ideas | None, writes: Sequence[Patch]) -> dict[str, Idea]:
    """Merge field patches into ideas.

    Pure and batching-invariant: r(r(s, a), b) == r(s, a + b); the inputs are not changed. A Dag gives a
    Dag, whose index goes on from the old one's.
    """
    before: Ideas = {} if ideas is None else ideas
    changes: dict[str, Idea] = {}
    for write in writes:
        for idea_id, fields in write.items():
            old = changes.get(idea_id) or before.get(idea_id, {})
            changes[idea_id] = cast(Idea, {**old, **fields})
    return before.after(changes) if isinstance(before, Dag) else {**before, **changes}


def merge_ideas(ideas: Ideas | None, writes: Sequence[Patch]) -> dict[str, Idea]:
    """Merge field patches into the DAG of graph state, which knows its structure: the reducer."""
    return apply_patches(as_dag(ideas or {}), writes)

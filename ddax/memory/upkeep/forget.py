"""Forget rows as a human asks for it, with everything in the memory that holds their text or came of them.

Rows: thoughts, listings of searches and neighbours that repeat them. Logs: lessons and rules that were
learned from them go, everything else that says what they said is blotted out. What another source says
too stays, and is named. Left out: what runs keep of their own, and the source itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ddax.memory.protocol import FORGOTTEN, Blots, Memory
from ddax.memory.upkeep.audit import every
from ddax.memory.upkeep.forget_logs import LogsGone, forget_logs
from ddax.memory.upkeep.remains import Traces
from ddax.memory.upkeep.repeats import repeats
from ddax.types import Record

Citers = Mapping[str, Sequence[Record]]
LISTING = "search"
"""The kind of a row that lists what a search found: it says nothing of its own."""


@dataclass(frozen=True)
class Forgotten:
    """The ids that were named, and those of the thoughts that went with them; then what else went.

    `passages` are listings and neighbours of the same source, `learned` counts the lessons, rules and
    their uses that went by the log, `blotted` the rows of logs and pages some text was blotted out of.
    `left` are rows of other sources that say the same, `threads` those that read it: they keep their own.
    """

    named: tuple[str, ...]
    thoughts: tuple[str, ...]
    passages: tuple[str, ...] = ()
    learned: Mapping[str, int] | None = None
    blotted: int = 0
    left: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()


async def forget(memory: Memory, ids: Sequence[str]) -> Forgotten:
    """Bury rows with all that repeats them, then clean the logs, the pages, and the files of the record."""
    return (await forget_traced(memory, ids))[0]


async def forget_traced(memory: Memory, ids: Sequence[str]) -> tuple[Forgotten, Traces]:
    """Forget rows, and return what tells their words, for what is kept beside the memory."""
    named = tuple(dict.fromkeys(ids))
    rows = await memory.get(named)
    records = [kept.record async for kept in every(memory)]
    others = [record for record in records if record.id not in named]
    gone, left, traces = await asyncio.to_thread(_found, rows, others)
    thoughts = tuple(r.id for r in gone if r.memory_type == "internal_thought")
    passages = tuple(r.id for r in gone if r.memory_type == "observation")
    await memory.upkeep.bury([*named, *thoughts, *passages], FORGOTTEN)
    logs = await forget_logs(memory, [*rows, *gone], traces)
    blots = await _blots(memory, [*named, *thoughts, *passages], rows, traces)
    await memory.upkeep.blot(blots)
    await memory.upkeep.wipe()
    return _told(Forgotten(named, thoughts, passages), logs, blots, left), traces


def _told(done: Forgotten, logs: LogsGone, blots: Blots, left: Sequence[Record]) -> Forgotten:
    return replace(
        done, learned=logs.learned or None, blotted=logs.blotted + len(blots.pages),
        left=tuple(row.id for row in left), threads=logs.threads,
    )  # fmt: skip


def _found(rows: Sequence[Record], others: Sequence[Record]) -> tuple[list[Record], list[Record], Traces]:
    """Return the rows that go with some, those of other sources that say the same, and what tells them."""
    traces = Traces(rows)
    sources = {row.source for row in rows}
    seen = [row for row in others if row.memory_type == "observation" and row.meta.get("kind") != LISTING]
    witnesses = [row for row in seen if row.source not in sources]
    left = [row for row in witnesses if traces.holds(row.text)]
    for row in witnesses:
        traces.spare(row.text)
    beside = [row for row in seen if row.source in sources]
    near = [row for row in beside if row.text in traces.copies]
    for row in (row for row in beside if row not in near):
        traces.spare(row.text)
    cited = _citing([*rows, *near], others)
    gone = [
        row
        for row in others
        if row in near or row.id in cited or (row not in seen and traces.holds(f"{row.title}\n{row.text}"))
    ]
    return gone, left, traces


def _citing(rows: Sequence[Record], others: Sequence[Record]) -> set[str]:
    """Return the thoughts that rest on some rows and repeat them, also over thoughts between them."""
    citers: dict[str, list[Record]] = {}
    for record in others:
        if record.memory_type == "internal_thought":
            for cited in record.meta.get("cites", ()):
                citers.setdefault(str(cited), []).append(record)
    return {row_id for row in rows for row_id in _copies(row, citers)}


def _copies(row: Record, citers: Citers) -> list[str]:
    """Return the thoughts that repeat a row, also over thoughts between them that do not."""
    resting: dict[str, Record] = {}
    ends = [row.id]
    while ends:
        for thought in citers.get(ends.pop(), ()):
            if thought.id not in resting:
                resting[thought.id] = thought
                ends.append(thought.id)
    return [row_id for row_id, thought in resting.items() if repeats(thought.text, row.text)]


async def _blots(memory: Memory, ids: Sequence[str], rows: Sequence[Record], traces: Traces) -> Blots:
    """Return the pages that are left of the rows' sources, and their tombstones, without their words."""
    sources = sorted({row.source for row in rows if row.source})
    pages = [page for source in sources for page in await memory.upkeep.pages(source)]
    clean = [traces.page(page, rows) for page in pages]
    stones = await memory.upkeep.tombstones(ids)
    bare = [traces.stone(stone) for stone in stones]
    return Blots(
        pages=tuple(new for old, new in zip(pages, clean, strict=True) if new != old),
        stones=tuple(new for old, new in zip(stones, bare, strict=True) if new != old),
    )

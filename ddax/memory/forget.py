"""Forget rows as a human asks for it, with the thoughts that would keep their text alive.

Left out: other passages that say the same, logs, and what runs keep of their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ddax.memory.audit import every
from ddax.memory.protocol import FORGOTTEN, Memory
from ddax.memory.repeats import repeats
from ddax.types import Record

Citers = Mapping[str, Sequence[Record]]


@dataclass(frozen=True)
class Forgotten:
    """The ids that were named, and those of the thoughts that went with them."""

    named: tuple[str, ...]
    thoughts: tuple[str, ...]


async def forget(memory: Memory, ids: Sequence[str]) -> Forgotten:
    """Bury rows and the thoughts that rest on them and repeat their text, all at once."""
    named = tuple(dict.fromkeys(ids))
    citers = await _citers(memory)
    rows = await memory.get(named)
    copies = await asyncio.to_thread(lambda: [found for row in rows for found in _copies(row, citers)])
    thoughts = tuple(row_id for row_id in dict.fromkeys(copies) if row_id not in named)
    await memory.upkeep.bury([*named, *thoughts], FORGOTTEN)
    return Forgotten(named, thoughts)


async def _citers(memory: Memory) -> Citers:
    """Return by id the thoughts that cite a row."""
    found: dict[str, list[Record]] = {}
    async for kept in every(memory):
        if kept.record.memory_type == "internal_thought":
            for cited in kept.record.meta.get("cites", ()):
                found.setdefault(str(cited), []).append(kept.record)
    return found


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

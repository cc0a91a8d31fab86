"""What a follow-up costs on a thread of many turns: the CPU of the whole process, and the bytes it stores."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from statistics import median
from typing import NamedTuple

EARLY, LATE, AROUND = 5, 100, 2
"""The follow-ups that are compared; each is the median of itself and so many before and behind it."""


class Turn(NamedTuple):
    """One follow-up: seconds of CPU, and the bytes of its checkpoints and of what its tasks wrote."""

    cpu: float
    bytes: int


async def turns(home: Path, count: int = LATE + AROUND) -> list[Turn]:
    """Ask one thread so many times, each time something else, and weigh each turn."""
    from ddax import Context, open_agent
    from ddax.graph.services import Parts
    from ddax.memory.embeddings import HashEmbedder
    from ddax.testing import PAGES, PageLibrary

    found: list[Turn] = []
    parts = Parts(library=PageLibrary(PAGES), embedder=HashEmbedder())
    async with open_agent(Context(seed=7), home=home, parts=parts) as agent:
        before = 0
        for number in range(count):
            began = _cpu()
            await agent.run(f"In which city was the architect number {number} born?", thread="t")
            seconds, size = _cpu() - began, stored(home / "checkpoints.sqlite")
            found.append(Turn(seconds, size - before))
            before = size
    return found


def around(found: list[float], number: int) -> float:
    """Return the median of a follow-up, counted from 1, and those beside it."""
    return median(found[number - AROUND : number + AROUND + 1])


def stored(path: Path) -> int:
    """Return the bytes of all checkpoints in a store, with what was written onto them."""
    with sqlite3.connect(path) as db:
        (kept,) = db.execute("SELECT sum(length(checkpoint) + length(metadata)) FROM checkpoints").fetchone()
        (written,) = db.execute("SELECT sum(length(value)) FROM writes").fetchone()
    db.close()
    return int(kept) + int(written)


def _cpu() -> float:
    spent = os.times()
    return spent.user + spent.system

"""What the tests of the memory contract share: a clock, rows, questions, dissents."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from ddax.memory.agents import Agents
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.host import MemoryHost
from ddax.memory.protocol import Memory, RecallQuery
from ddax.memory.remote import Send
from ddax.memory.sockets import send_to, serving
from ddax.types import JsonDict, Record

NOW = 1_000_000.0
HOUR, DAY = 3600.0, 86400.0
ROUNDS = count()
Opener = Callable[..., Awaitable[Memory]]


@dataclass
class Clock:
    """A clock that stands a second before the task opens, unless it is moved."""

    now: float = NOW - 1

    def __call__(self) -> float:
        return self.now


def seen(text: str, **more: Any) -> Record:
    return replace(Record("observation", text, source="river.txt", task="t", step=1, created=NOW), **more)


def asking(text: str, **more: Any) -> RecallQuery:
    return replace(RecallQuery(text, "t", before_step=9, now=NOW), **more)


async def texts(memory: Memory, query: RecallQuery) -> list[str]:
    return [hit.record.text for hit in await memory.recall(query)]


def dissenting(agents: Agents, name: str, text: str = "The quote says otherwise.", **more: Any) -> JsonDict:
    marks = {
        "round_id": f"r/{next(ROUNDS)}", "impact": True, "supported": True, "verified_better": True, **more,
    }  # fmt: skip
    return agents.log_dissent(name, text, context={}, citations=["Accuracy"], **marks)


@contextlib.asynccontextmanager
async def owned(kind: str, folder: Path) -> AsyncIterator[Send]:
    """Own a memory for callers of this process, or for those that come by a socket."""
    host = MemoryHost(folder, HashEmbedder)
    try:
        if kind == "called":
            yield host.answer
        else:
            async with serving(host.answer) as address:
                yield send_to(address)
    finally:
        await host.close()

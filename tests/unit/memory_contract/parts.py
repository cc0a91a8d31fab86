"""What the tests of the memory contract share: a clock, rows, questions, dissents."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from ddax.memory.agents.agent_store import Agents
from ddax.memory.agents.dissents import LoggedDissent
from ddax.memory.protocol import Memory, RecallQuery
from ddax.memory.share.remote import Send
from ddax.memory.share.seats import leave, taken
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
    place = more.pop("round_id", "") or f"r/{next(ROUNDS)}"
    marks = {"impact": True, "supported": True, "verified_better": True, **more}
    return agents.log_dissent(name, LoggedDissent(text=text, citations=["Accuracy"], **marks), round_id=place)


OWNS = """
import sys, time
from pathlib import Path
from ddax.memory.share import sockets
from ddax.memory.share.seats import take
if len(sys.argv) > 2:
    ours = sockets.speaks()
    sockets.speaks = lambda: {**ours, "ddax": sys.argv[2]}
take(Path(sys.argv[1]), clock=time.time)
print("owned", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def owning(folder: Path, *release: str) -> Iterator[subprocess.Popen[bytes]]:
    """Have another process own a memory, of another release where one is named."""
    child = subprocess.Popen(
        [sys.executable, "-c", OWNS, str(folder), *release], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stdout.readline() == b"owned\n"
        yield child
        child.kill()


@contextlib.asynccontextmanager
async def owned(folder: Path) -> AsyncIterator[Send]:
    """Own a memory for callers of this process."""
    seat = await taken(folder, clock=lambda: NOW)
    try:
        yield seat.send
    finally:
        await asyncio.to_thread(leave, seat)

"""The one that owns a memory for others: it opens the folder and does what they call for.

Its clock is what its callers say the time is, and never goes back: their machines need not agree. What is
written after a task opened is thus stamped no earlier than that, by whatever clock the task went.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from ddax.errors import DdaxError, UsageError
from ddax.memory.protocol import Embedder
from ddax.memory.remote import Answer, Call
from ddax.memory.store import ChromaMemory, open_memory

CALLS = frozenset({
    "put", "get", "recall", "similar", "put_page", "get_page", "log", "rows", "find", "lessons", "count",
    *(f"upkeep.{name}" for name in (
        "relate", "relations", "bury", "tombstones", "restore", "scan", "branch", "pages", "resolve", "tally",
        "writers", "logs", "blot", "wipe",
    )),
})  # fmt: skip
"""What others may call for; closing is not theirs."""


class Latest:
    """The clock of a namespace: the latest time that anybody has told."""

    def __init__(self) -> None:
        self._now = 0.0

    def hear(self, now: float) -> None:
        """Take note of a time in seconds since the epoch."""
        self._now = max(self._now, now)

    def __call__(self) -> float:
        """Return the latest time heard of."""
        return self._now


class MemoryHost:
    """Own the memory in a folder; namespaces open with the first call for them.

    `wait_seconds` is how long a folder in use is waited for.
    """

    def __init__(
        self, folder: Path, open_embedder: Callable[[], Embedder], *, wait_seconds: float = 0.0
    ) -> None:
        self._folder, self._open_embedder, self._wait_seconds = folder, open_embedder, wait_seconds
        self._embedder: Embedder | None = None
        self._clocks: dict[str, Latest] = {}
        self._memories: dict[tuple[str, str], ChromaMemory] = {}
        self._opening = asyncio.Lock()

    async def answer(self, call: Call) -> Answer:
        """Do what is called for; an error of ours is an answer, any other is raised."""
        try:
            if call.name not in CALLS:
                raise UsageError(
                    f"The memory has no {call.name!r}.",
                    why="It is no word of its protocol.",
                    mend="Run the same release of ddax on both sides.",
                )
            self._clocks.setdefault(call.namespace, Latest()).hear(call.now)
            there = await self._memory(call)
            part, _, name = call.name.rpartition(".")
            method = getattr(there.upkeep if part else there, name)
            return await method(*call.args, **call.kwargs), None
        except DdaxError as error:
            return None, error

    async def close(self) -> None:
        """Close every namespace and give the folder back."""
        memories, self._memories = list(self._memories.values()), {}
        for memory in memories:
            await memory.close()

    async def _memory(self, call: Call) -> ChromaMemory:
        key = call.namespace, call.recall.model_dump_json()
        if key in self._memories:
            return self._memories[key]
        async with self._opening:
            if key not in self._memories:
                if self._embedder is None:
                    self._embedder = await asyncio.to_thread(self._open_embedder)
                clock = self._clocks[call.namespace]
                memory = await open_memory(
                    self._folder, namespace=call.namespace, embedder=self._embedder, clock=clock,
                    recall=call.recall, wait_seconds=self._wait_seconds,
                )  # fmt: skip
                # One that owned the folder before, and died, may have heard of a later time.
                clock.hear(await memory.upkeep.newest())
                self._memories[key] = memory
            return self._memories[key]

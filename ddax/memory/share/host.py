"""What the owner of a memory does for others: it answers their calls, and they embed for themselves.

Its clock is what its callers say the time is, and never goes back: their machines need not agree. What is
written after a task opened is thus stamped no earlier than that, by whatever clock the task went.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ddax.errors import DdaxError, StorageError, ThreadInUse, UsageError
from ddax.memory.records import lesson_text, namespace_key
from ddax.memory.scoring import Floats, full_trust
from ddax.memory.share.owner import SharedStore
from ddax.memory.share.remote import Answer, Call
from ddax.memory.store.namespace import ChromaMemory

UPKEEP = (
    "relate", "relations", "bury", "tombstones", "restore", "scan", "branch", "pages", "present", "resolve",
    "tally", "writers", "logs", "blot", "wipe",
)  # fmt: skip
OF_MEMORY = frozenset({
    "put", "get", "recall", "similar", "put_page", "get_page", "log", "rows", "find", "lessons", "count",
    "lacking", "renew", *(f"upkeep.{name}" for name in UPKEEP),
})  # fmt: skip
"""What others may call for; closing is not theirs. Each is the same when it is done twice."""

_BROUGHT: ContextVar[Mapping[str, Floats]] = ContextVar("vectors that came with the call")


class Latest:
    """The clock of a namespace: the latest time that anybody has told, and never before the owner's own."""

    def __init__(self, own: Callable[[], float]) -> None:
        self._now, self._own = 0.0, own

    def hear(self, now: float) -> None:
        """Take note of a time in seconds since the epoch."""
        self._now = max(self._now, now)

    def __call__(self) -> float:
        """Return the latest time."""
        self.hear(self._own())
        return self._now


class Served(ChromaMemory):
    """A namespace for callers who bring the vectors of their texts along."""

    def __init__(self, store: SharedStore, call: Call, clock: Callable[[], float]) -> None:
        super().__init__(
            store, call.namespace, call.embedder, clock=clock, recall=call.recall, trust=full_trust
        )
        self._embed = _brought

    async def lacking(self) -> list[str]:
        """Return the texts that have no vector."""
        rows, logs = await self._read(lambda: self._record.texts(self._ns, every=False))
        return list(dict.fromkeys([*(text for _, text in rows), *(lesson_text(row) for _, row in logs)]))

    async def renew(self) -> int:
        """Give every text its vector, and make the index anew; return how many rows it holds."""
        await self._embed_anew(every=False)
        return await self.rebuild()


class MemoryHost:
    """Answer calls for an open folder; namespaces open with the first call for them."""

    def __init__(self, store: SharedStore) -> None:
        self._store = store
        self.own_clock: Callable[[], float] = _no_clock
        """The clock by which sessions of this process go, which ask the store themselves."""
        self._clocks: dict[str, Latest] = {}
        self._memories: dict[tuple[str, ...], Served] = {}
        self._renewing: set[str] = set()
        self._opening = asyncio.Lock()

    async def answer(self, call: Call) -> Answer:
        """Do what is called for; an error is an answer as well."""
        try:
            return await self._done(call), None
        except DdaxError as error:
            return None, error
        except Exception as error:  # the caller is in another process: unsaid, it would wait or ask again
            said = f"{type(error).__name__}: {error}"
            why = f"Pid {self._store.pid}, which owns the memory, failed: {said[:300]}."
            mend = "Try again; where it stays so, end that process: the next one that asks takes over."
            return None, StorageError(f"The memory cannot do {call.name!r}.", why=why, mend=mend)

    @contextmanager
    def renewing(self, namespace: str) -> Iterator[None]:
        """Open a namespace for nobody in the block; raises ThreadInUse where somebody has it open."""
        ns = namespace_key(namespace)
        if any(key[0] == ns for key in self._memories):
            raise _with_other_vectors(namespace, "Another process")
        self._renewing.add(ns)
        try:
            yield
        finally:
            self._renewing.discard(ns)

    async def _done(self, call: Call) -> Any:
        ns = namespace_key(call.namespace)
        self._clocks.setdefault(ns, Latest(lambda: self.own_clock())).hear(call.now)
        if ns in self._renewing:
            raise _with_other_vectors(call.namespace, f"Pid {self._store.pid}")
        if call.name == "fits":
            return await self._fits(ns, call)
        if call.name not in OF_MEMORY:
            raise UsageError(
                f"The memory has no {call.name!r}.",
                why="It is no word of its protocol.",
                mend="Run the same release of ddax on both sides.",
            )
        there = await self._memory(ns, call)
        part, _, name = call.name.rpartition(".")
        method = getattr(there.upkeep if part else there, name)
        brought = _BROUGHT.set(dict(call.vectors))
        try:
            return await method(*call.args, **call.kwargs)
        finally:
            _BROUGHT.reset(brought)

    async def _fits(self, ns: str, call: Call) -> bool:
        """Tell whether the vectors of a namespace are the caller's, who makes it where it is new."""
        record = self._store.record
        return await self._store.with_record(lambda: record.open_namespace(ns, call.namespace, call.embedder))

    async def _memory(self, ns: str, call: Call) -> Served:
        key = (ns, call.recall.model_dump_json(), call.embedder.fingerprint)
        if key not in self._memories:
            async with self._opening:
                if key not in self._memories:
                    self._memories[key] = await self._opened(ns, call)
        return self._memories[key]

    async def _opened(self, ns: str, call: Call) -> Served:
        clock = self._clocks[ns]
        memory = Served(self._store, call, clock)
        await memory.enter()
        # One that owned the folder before, and died, may have heard of a later time.
        clock.hear(await memory.upkeep.newest())
        return memory


async def _brought(texts: Sequence[str]) -> list[Floats]:
    """Return the vectors that came with the call."""
    brought = _BROUGHT.get()
    try:
        return [brought[text] for text in texts]
    except KeyError as error:
        raise UsageError(
            f"The text {str(error.args[0])[:40]!r} came without its vector.",
            why="Who calls for it embeds it.",
            mend="Run the same release of ddax on both sides.",
        ) from error


def _no_clock() -> float:
    return 0.0


def _with_other_vectors(namespace: str, who: str) -> ThreadInUse:
    return ThreadInUse(
        f"The vectors of the memory {namespace!r} are in use.",
        why=f"{who} goes by them, or makes them anew.",
        mend="Wait until it has ended, and try again.",
    )

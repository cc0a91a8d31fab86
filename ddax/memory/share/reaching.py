"""Open a memory beside the other processes that have it open: as its owner, or through the one that is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from pathlib import Path

from ddax.configs.settings import Recall
from ddax.errors import ThreadInUse
from ddax.memory.protocol import Embedder, Memory
from ddax.memory.scoring import Trust, full_trust
from ddax.memory.share.remote import RemoteMemory
from ddax.memory.share.seats import Owned, Seat, leave, taken
from ddax.memory.store.namespace import ChromaMemory

FEW = 1000
"""Rows of a namespace from which an index is made; fewer are searched one by one, sooner than one opens."""


async def reach_memory(
    path: Path,
    *,
    namespace: str,
    embedder: Embedder,
    clock: Callable[[], float],
    recall: Recall,
    trust: Trust | None = None,
    rebuild: bool = False,
    wait_seconds: float = 0.0,
) -> Memory:
    """Open a namespace of the memory in folder `path`, whoever owns the folder.

    With `rebuild` the index is made anew, and the vectors that are missing; those of another embedder as
    well, where nobody else has the namespace open. Raises `ThreadInUse` naming an owner that serves nobody
    after `wait_seconds`, `StateError` for a damaged or newer record or another embedder, `StorageError`
    where the disk fails.
    """
    seat = await taken(path, clock=clock, wait_seconds=wait_seconds)
    try:
        owned = seat.owned
        if owned is not None:
            mine = SeatedMemory(seat, owned, namespace, embedder, clock=clock, recall=recall, trust=trust)
            await mine.begin(rebuild=rebuild)
            return mine
        there = RemoteMemory(
            seat.send, namespace, embedder=embedder, clock=clock, recall=recall, trust=trust,
            once_closed=partial(leave, seat),
        )  # fmt: skip
        await (_rebuilt(there) if rebuild else there.enter())
        return there
    except BaseException:
        await asyncio.to_thread(leave, seat)
        raise


class SeatedMemory(ChromaMemory):
    """A namespace of a folder that this process owned when it was opened."""

    def __init__(
        self,
        seat: Seat,
        owned: Owned,
        namespace: str,
        embedder: Embedder,
        *,
        clock: Callable[[], float],
        recall: Recall,
        trust: Trust | None,
    ) -> None:
        super().__init__(
            owned.store, namespace, embedder, clock=clock, recall=recall, trust=trust or full_trust, few=FEW
        )
        self._owned, self._give_back = owned, partial(leave, seat)
        owned.host.own_clock = clock

    async def begin(self, *, rebuild: bool) -> None:
        """Enter the namespace; nobody else goes by vectors that are made anew for another embedder."""
        fits = not rebuild or await self._read(
            lambda: self._record.open_namespace(self._ns, self.namespace, self._embedder)
        )
        with nullcontext() if fits else self._owned.host.renewing(self.namespace):
            await self.enter(rebuild=rebuild)


async def _rebuilt(there: RemoteMemory) -> None:
    if not await there.fits():
        raise ThreadInUse(
            f"The memory {there.namespace!r} has vectors of another embedder, and its owner goes by them.",
            why="They are made anew where no other process has the memory open.",
            mend="Try again when the other processes have ended.",
        )
    await there.rebuild()


@asynccontextmanager
async def held(folder: Path, *, clock: Callable[[], float], wait_seconds: float = 0.0) -> AsyncIterator[None]:
    """Have a seat at a directory for the length of the block; who opens it inside shares it and keeps it.

    For what has to be opened before the memory: a home in use is told before anything waits for its
    caches. Raises `ThreadInUse` naming the owner.
    """
    seat = await taken(folder, clock=clock, wait_seconds=wait_seconds)
    try:
        yield
    finally:
        await asyncio.to_thread(leave, seat)

"""One owner of a memory directory: its lock, its record and its index, each on a thread of its own.

Every namespace that this process opens in a directory shares it. Nothing here runs on an event loop.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from ddax.errors import DdaxError, ThreadInUse
from ddax.memory.chroma import ChromaIndex, IndexFailure
from ddax.memory.files import ensure_folder
from ddax.memory.lane import BEHIND, Lane
from ddax.memory.lock import OwnerLock
from ddax.memory.records import RECORD
from ddax.memory.sqlite import RecordStore

logger = logging.getLogger("ddax")
T = TypeVar("T")
Q = TypeVar("Q")
A = TypeVar("A")
Committed = Callable[[list[Any]], None]
"""Hear of what one trip has written."""

# Chroma takes one client per directory and process, so a second opening must find the first.
_OPEN: dict[Path, SharedStore] = {}
_TURNS: dict[Path, threading.Lock] = {}
"""One opens or closes a directory at a time; who waits for another process holds up nobody elsewhere."""


class SharedStore:
    """The open directory; `users` namespaces hold it, and the last one closes it."""

    def __init__(self, folder: Path, *, clock: Callable[[], float], wait_seconds: float) -> None:
        self.folder, self.users, self.pid = folder, 0, os.getpid()
        self._lock = OwnerLock(ensure_folder(folder), "the memory", clock=clock)
        self._lock.acquire(wait_seconds)
        try:
            self.record = RecordStore(folder / RECORD)
        except BaseException:
            self._lock.release()
            raise
        self.index = ChromaIndex(folder)
        self._record_lane = Lane("ddax-record", around=self._together)
        self._committed: dict[Committed, list[Any]] = {}
        self._index_lane = Lane("ddax-index")
        self._embedding_lane = Lane("ddax-embedding", nice=BEHIND)
        self._index_opened: Future[bool] | None = None
        self._opening = threading.Lock()

    def on_record(self, work: Callable[[], T]) -> Future[T]:
        """Queue work on the thread of the record."""
        return self._record_lane.submit(work)

    async def with_record(self, work: Callable[[], T]) -> T:
        """Work on the thread of the record, for an event loop."""
        return await self._record_lane.run(work)

    async def ask_record(self, answer: Callable[[Sequence[Q]], Sequence[A]], question: Q) -> A:
        """Have a question answered on the thread of the record, together with those asked beside it."""
        return await self._record_lane.ask(answer, question)

    async def ask_embedder(self, answer: Callable[[Sequence[Q]], Sequence[A]], question: Q) -> A:
        """Have texts embedded, together with those that others ask for while the embedder is busy."""
        return await self._embedding_lane.ask(answer, question)

    def once_committed(self, tell: Committed, item: Any) -> None:
        """Tell an item, with the others of the trip, once the record holds it; called on its thread."""
        self._committed.setdefault(tell, []).append(item)

    def on_index(self, work: Callable[[], T]) -> Future[T]:
        """Queue work on the thread of the index, after its opening."""
        self._begin_index()
        return self._index_lane.submit(work)

    async def ask_index(self, answer: Callable[[Sequence[Q]], Sequence[A]], question: Q) -> A:
        """Have a question answered on the thread of the index, together with those asked beside it."""
        self._begin_index()
        return await self._index_lane.ask(answer, question)

    def _begin_index(self) -> None:
        with self._opening:
            if self._index_opened is None:
                total = self.on_record(self.record.total)
                self._index_opened = self._index_lane.submit(lambda: self._open_index(total))

    def close(self) -> None:
        """Finish what is queued, close both parts and give the directory back."""
        try:
            try:
                self._index_lane.submit(self.index.close).result()
            finally:
                self._record_lane.submit(self.record.close).result()
        finally:
            for lane in (self._embedding_lane, self._index_lane, self._record_lane):
                lane.shutdown()
            self._lock.release()

    @contextmanager
    def _together(self) -> Iterator[None]:
        """Commit what a trip to the record writes at once, and tell of it."""
        try:
            with self.record.together():
                yield
            for tell, items in self._committed.items():
                tell(items)
        finally:
            self._committed = {}

    def _open_index(self, total: Future[int]) -> bool:
        try:
            self.index.open(total.result())
        except (DdaxError, IndexFailure, OSError) as exc:
            logger.warning("Recall searches without the index, which is slower: %s", exc)
            return False
        return True


def acquire(folder: Path, *, clock: Callable[[], float], wait_seconds: float) -> SharedStore:
    """Open a directory, or share it where this process has it open; blocks.

    Raises `ThreadInUse` naming the owner where another live process has it.
    """
    path = ensure_folder(folder).resolve()
    with _turn(path):
        store = _OPEN.get(path)
        if store is not None and store.pid != os.getpid():
            raise ThreadInUse(
                f"the memory is in use by pid {store.pid}.",
                why="This process was forked from it.",
                mend="Start processes by spawn.",
            )
        if store is None:
            store = SharedStore(path, clock=clock, wait_seconds=wait_seconds)
            _OPEN[path] = store
        store.users += 1
        return store


async def acquired(folder: Path, *, clock: Callable[[], float], wait_seconds: float) -> SharedStore:
    """Open a directory as `acquire` does, for an event loop; who gives up the wait leaves nothing open."""
    pool = ThreadPoolExecutor(1, "ddax-opening")
    opening = pool.submit(acquire, folder, clock=clock, wait_seconds=wait_seconds)
    pool.shutdown(wait=False)
    try:
        return await asyncio.wrap_future(opening)
    except asyncio.CancelledError:
        opening.add_done_callback(_give_back)  # the thread goes on, and nobody else would close what it opens
        raise


def _give_back(opening: Future[SharedStore]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        release(opening.result())


def release(store: SharedStore) -> None:
    """Give a directory back; the last user closes it; blocks."""
    with _turn(store.folder):
        store.users -= 1
        if store.users:
            return
        _OPEN.pop(store.folder, None)
        store.close()


def _turn(path: Path) -> threading.Lock:
    return _TURNS.setdefault(path, threading.Lock())


@asynccontextmanager
async def held(folder: Path, *, clock: Callable[[], float], wait_seconds: float = 0.0) -> AsyncIterator[None]:
    """Own a directory for the length of the block; who opens it inside shares it and keeps it.

    For what has to be opened before the memory: a home in use is told before anything waits for its
    caches. Raises `ThreadInUse` naming the owner.
    """
    store = await acquired(folder, clock=clock, wait_seconds=wait_seconds)
    try:
        yield
    finally:
        await asyncio.to_thread(release, store)

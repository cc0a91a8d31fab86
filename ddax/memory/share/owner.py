"""One owner of a memory directory: its lock, its record and its index, each on a thread of its own.

Every namespace that this process opens in a directory shares it. Nothing here runs on an event loop.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from ddax.errors import DdaxError, ThreadInUse
from ddax.memory.files import ensure_folder
from ddax.memory.lock import OwnerLock
from ddax.memory.records import RECORD
from ddax.memory.share.busy_thread import BEHIND, Lane
from ddax.memory.store.chroma import ChromaIndex, IndexFailure
from ddax.memory.store.sqlite import RecordStore

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

    def __init__(
        self, folder: Path, *, clock: Callable[[], float], wait_seconds: float, serve: bool = False
    ) -> None:
        self.folder, self.users, self.pid = folder, 0, os.getpid()
        self._lock = OwnerLock(ensure_folder(folder), "the memory", clock=clock, serve=serve)
        self.before = self._lock.acquire(wait_seconds)
        """The owner that died with the directory open, if any."""
        self.announce = self._lock.announce
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

    async def alone(self, work: Callable[[], T]) -> T:
        """Work on the thread of the record, outside of the transaction that others share."""
        return await asyncio.wrap_future(self.on_record(work))

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


def acquire(
    folder: Path, *, clock: Callable[[], float], wait_seconds: float, serve: bool = False
) -> SharedStore:
    """Open a directory, or share it where this process has it open; blocks.

    With `serve` others are told that they will be served. Raises `ThreadInUse` naming the owner where
    another live process has it.
    """
    path = ensure_folder(folder).resolve()
    with _turn(path):
        store = _OPEN.get(path)
        if store is not None:
            refuse_a_fork(store.pid)
        else:
            store = SharedStore(path, clock=clock, wait_seconds=wait_seconds, serve=serve)
            _OPEN[path] = store
        store.users += 1
        return store


def refuse_a_fork(pid: int) -> None:
    """Raise `ThreadInUse` where what is open was opened by another process, of which this is a fork."""
    if pid != os.getpid():
        raise ThreadInUse(
            f"the memory is in use by pid {pid}.",
            why="This process was forked from it.",
            mend="Start processes by spawn.",
        )


async def acquired(folder: Path, *, clock: Callable[[], float], wait_seconds: float) -> SharedStore:
    """Open a directory as `acquire` does, for an event loop; who gives up the wait leaves nothing open."""
    return await opened_behind(
        lambda: acquire(folder, clock=clock, wait_seconds=wait_seconds), give_back=release
    )


async def opened_behind(opening: Callable[[], T], *, give_back: Callable[[T], None]) -> T:
    """Open something on a thread; who gives up the wait has it given back."""
    pool = ThreadPoolExecutor(1, "ddax-opening")
    opened = pool.submit(opening)
    pool.shutdown(wait=False)
    try:
        return await asyncio.wrap_future(opened)
    except asyncio.CancelledError:
        # The thread goes on, and nobody else would close what it opens.
        opened.add_done_callback(partial(_undo, give_back))
        raise


def _undo(give_back: Callable[[T], None], opened: Future[T]) -> None:
    if not opened.cancelled() and opened.exception() is None:
        give_back(opened.result())


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

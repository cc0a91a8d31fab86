"""One thread that works for event loops: what is asked of it while it is busy goes along in one trip.

Waking a thread and being woken by it costs more than most of the work, and so does a sync of the disk.
Leaves that act beside each other ask for little things at the same moment, so they share the trip there,
what surrounds it (a transaction), and the trip back.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")
Around = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, eq=False)
class Errand:
    """Work for the thread, and where its end is told."""

    work: Callable[[], Any]
    loop: asyncio.AbstractEventLoop
    told: asyncio.Future[Any]
    end: list[tuple[Any, BaseException | None]] = field(default_factory=list)
    """What came of it, the last word last."""

    def do(self) -> None:
        """Work, on the thread; what nobody waits for any more is not begun."""
        if not self.told.cancelled():
            try:
                self.end.append((self.work(), None))
            except BaseException as error:
                self.end.append((None, error))

    def fail(self, error: BaseException) -> None:
        """Take back what was done: what surrounded it has failed. Its own error stays."""
        if self.end and self.end[-1][1] is None:
            self.end.append((None, error))

    def tell(self) -> None:
        """Tell the end, on the loop."""
        if not self.end or self.told.done():
            return
        value, error = self.end[-1]
        if error is None:
            self.told.set_result(value)
        else:
            self.told.set_exception(error)


class Lane:
    """A thread with a queue; everything is done one after the other, in the order it was asked for.

    `around` is entered for each trip; where it fails at its end, everything of the trip has failed.
    """

    def __init__(
        self, name: str, *, around: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        self._around = around
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._guard = threading.Lock()
        self._waiting: list[Errand] = []

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Queue work by itself, from any thread."""
        return self._thread.submit(work)

    async def run(self, work: Callable[[], T]) -> T:
        """Work on the thread without holding up the loop; raises what the work raises."""
        loop = asyncio.get_running_loop()
        told: asyncio.Future[T] = loop.create_future()
        with self._guard:
            self._waiting.append(Errand(work, loop, told))
            first = len(self._waiting) == 1
        if first:
            self._thread.submit(self._trip)
        return await told

    def shutdown(self) -> None:
        """Finish what is queued and end the thread."""
        self._thread.shutdown()

    def _trip(self) -> None:
        with self._guard:
            errands, self._waiting = self._waiting, []
        try:
            with self._around():
                for errand in errands:
                    errand.do()
        except BaseException as error:
            for errand in errands:
                errand.fail(error)
        for loop in {errand.loop for errand in errands}:
            mine = [errand for errand in errands if errand.loop is loop]
            if not loop.is_closed():
                loop.call_soon_threadsafe(_tell, mine)


def _tell(errands: list[Errand]) -> None:
    for errand in errands:
        errand.tell()

"""One thread that works for event loops: what is asked of it while it is busy goes along in one trip.

Waking a thread and being woken by it costs more than most of the work, and so does a sync of the disk.
Leaves that act beside each other ask for little things at the same moment, so they share the trip there,
what surrounds it (a transaction), and the trip back.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")
Q = TypeVar("Q")
A = TypeVar("A")
Answer = Callable[[Sequence[Any]], Sequence[Any]]
Around = Callable[[], AbstractContextManager[None]]
BEHIND = 10
"""Niceness of a thread that computes while models are waited for: what asks them goes first."""


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
        """Take back what was done, if it was: what surrounds it has failed. Its own error stays."""
        if not self.end or self.end[-1][1] is None:
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


class Trip:
    """What is done in one go, in its order, with the questions that are answered by one call."""

    def __init__(self) -> None:
        self.errands: list[Errand] = []
        self._questions: dict[Answer, list[Any]] = {}
        self._answers: dict[Answer, Sequence[Any]] = {}

    def question(self, answer: Answer, question: Any) -> Callable[[], Any]:
        """Note a question; return the work that gets what is answered to it."""
        asked = self._questions.setdefault(answer, [])
        asked.append(question)
        return partial(self._answered, answer, len(asked) - 1)

    def _answered(self, answer: Answer, number: int) -> Any:
        if answer not in self._answers:
            self._answers[answer] = answer(self._questions[answer])
        return self._answers[answer][number]


class Lane:
    """A thread with a queue; everything is done one after the other, in the order it was asked for.

    `around` is entered for each trip; where it fails, everything of the trip has failed. `nice` is how far
    the thread gives way to others.
    """

    def __init__(self, name: str, *, around: Around = nullcontext, nice: int = 0) -> None:
        self._around = around
        self._thread = ThreadPoolExecutor(1, name, give_way, (nice,))
        self._guard = threading.Lock()
        self._next: Trip | None = None
        """The trip that has not begun and to which nothing was queued behind."""

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Queue work by itself, from any thread."""
        with self._guard:
            self._next = None
            return self._thread.submit(work)

    async def run(self, work: Callable[[], T]) -> T:
        """Work on the thread without holding up the loop; raises what the work raises."""
        return await self._queued(lambda _: work)

    async def ask(self, answer: Callable[[Sequence[Q]], Sequence[A]], question: Q) -> A:
        """Have a question answered on the thread, by one call with those that others ask in the same trip."""
        return await self._queued(lambda trip: trip.question(answer, question))

    def shutdown(self) -> None:
        """Finish what is queued and end the thread."""
        self._thread.shutdown()

    async def _queued(self, work_in: Callable[[Trip], Callable[[], T]]) -> T:
        loop = asyncio.get_running_loop()
        told: asyncio.Future[T] = loop.create_future()
        with self._guard:
            trip, new = self._next or Trip(), self._next is None
            trip.errands.append(Errand(work_in(trip), loop, told))
            if new:
                self._next = trip
                self._thread.submit(self._go, trip)
        return await told

    def _go(self, trip: Trip) -> None:
        with self._guard:
            if self._next is trip:
                self._next = None
        try:
            with self._around():
                for errand in trip.errands:
                    errand.do()
        except BaseException as error:
            for errand in trip.errands:
                errand.fail(error)
        for loop in {errand.loop for errand in trip.errands}:
            if not loop.is_closed():
                loop.call_soon_threadsafe(_tell, [one for one in trip.errands if one.loop is loop])


def give_way(nice: int) -> None:
    """Let others go first where cores are short: this thread, and those it starts.

    Only Linux knows a niceness of threads; where it may not be changed the thread goes on as it is.
    """
    if nice and sys.platform == "linux":
        own = threading.get_native_id()
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, own, os.getpriority(os.PRIO_PROCESS, own) + nice)


def _tell(errands: list[Errand]) -> None:
    for errand in errands:
        errand.tell()

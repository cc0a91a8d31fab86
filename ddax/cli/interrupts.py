"""Ctrl-C and SIGTERM: the first asks the run to stop at its next step, the second stops it at once.

Running leaves get `GRACE` seconds after the first. Whatever does not end after the second is left
behind, as a kill would: the checkpoints are made for that.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from ddax.cli.errors import INTERRUPTED
from ddax.loops import loop_factory

GRACE = 2.0
"""Seconds between an asked stop and a forced one."""
SIGNALS = (signal.SIGINT, signal.SIGTERM)

T = TypeVar("T")


class Drainable(Protocol):
    """Something that can be asked to stop at its next step."""

    def drain(self) -> bool: ...


class Interrupts:
    """What the signals of one run do to it."""

    def __init__(self, *, note: Callable[[str], None], leave: Callable[[], object]) -> None:
        self._note, self._leave = note, leave
        self._asked = 0
        self._running: Drainable | None = None

    def watch(self, running: Drainable) -> None:
        """Say what a first signal asks to stop; before that it stops the opening at once."""
        self._running = running

    def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run a coroutine in a loop of its own; raises KeyboardInterrupt where a signal has ended it."""
        before = {number: signal.getsignal(number) for number in SIGNALS}
        try:
            with asyncio.Runner(loop_factory=loop_factory()) as runner:
                return runner.run(self._listening(work))
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None
        finally:
            for number, handler in before.items():
                # One more, while the way back is printed, would end the process without it.
                signal.signal(number, signal.SIG_IGN if self._asked else handler)

    async def _listening(self, work: Callable[[], Awaitable[T]]) -> T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        for number in SIGNALS:
            if signal.getsignal(number) != signal.SIG_IGN:  # as it is for a job in the background
                loop.add_signal_handler(number, self._on_signal, loop, task)
        return await work()

    def _on_signal(self, loop: asyncio.AbstractEventLoop, task: asyncio.Task[T]) -> None:
        self._asked += 1
        if self._asked == 1 and self._running is not None and self._running.drain():
            self._note("Stopping at the next step; interrupt once more to stop at once.")
            loop.call_later(GRACE, self._force, loop, task)
        elif self._asked <= 2:
            self._force(loop, task)
        else:
            self._end()

    def _force(self, loop: asyncio.AbstractEventLoop, task: asyncio.Task[T]) -> None:
        task.cancel()
        loop.call_later(GRACE, self._end)  # a thread cannot be cancelled, only left

    def _end(self) -> None:
        self._leave()
        os._exit(INTERRUPTED)

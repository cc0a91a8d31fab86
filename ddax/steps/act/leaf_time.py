"""How long a leaf may take: its own time, without that in which the machine had no core for this process.

So a busy machine answers as an idle one does. Where the system does not say what it withheld (Linux does),
the clock on the wall decides; it is the last resort in any case, and the time of a run is by that clock.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from types import TracebackType

from ddax.cores import withheld

_ASIDE = ThreadPoolExecutor(1, thread_name_prefix="ddax-withheld")
"""Who asks the system: the loop never waits for a file, and no busy pool holds up the end of a leaf."""
PATIENCE = 5.0
"""How many times its own time a leaf may take by the clock on the wall."""


class LeafTime:
    """End what is done within after `own` seconds of its own, or the `left` ones of a run's `budget`."""

    def __init__(self, own: float, left: float, budget: float) -> None:
        self.own, self.left, self.budget = own, max(0.0, left), budget
        self._limit = asyncio.timeout(None)
        self._passed = self._begun = 0.0
        self._before: asyncio.Future[float] | None = None
        self._handle: asyncio.TimerHandle | None = None
        self._looking: asyncio.Task[None] | None = None

    def expired(self) -> bool:
        """Tell whether a limit ended it."""
        return self._limit.expired()

    @property
    def told(self) -> str:
        """Say which limit ended it."""
        if self.left < self.own or self._passed >= self.left:
            return f"no result within {self.left:.3g} s, all that was left of max_seconds = {self.budget:g}"
        if self._passed >= PATIENCE * self.own:
            most = f"nor within {PATIENCE * self.own:g} s by the clock: the machine was too busy"
            return f"no result within {self.own:g} s of its own time, {most}"
        return f"no result within {self.own:g} s"

    async def __aenter__(self) -> LeafTime:
        """Begin to count; nothing is waited for, so that a leaf acts as soon as it may."""
        loop = asyncio.get_running_loop()
        self._begun = loop.time()
        self._before = loop.run_in_executor(_ASIDE, withheld)
        await self._limit.__aenter__()
        self._handle = loop.call_later(min(self.own, self.left), self._look)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End counting; raises TimeoutError where a limit ended it."""
        if self._handle is not None:
            self._handle.cancel()
        if self._looking is not None:
            self._looking.cancel()
        await self._limit.__aexit__(kind, error, trace)

    def _look(self) -> None:
        self._looking = asyncio.get_running_loop().create_task(self._looked())

    async def _looked(self) -> None:
        """End what is done where a limit is reached, else look again when the next one may be."""
        loop = asyncio.get_running_loop()
        before = await self._before if self._before is not None else 0.0
        kept = max(0.0, await loop.run_in_executor(_ASIDE, withheld) - before)
        self._passed = loop.time() - self._begun
        most = min(self.left, PATIENCE * self.own)
        wait = min(most, self.own + kept) - self._passed
        if wait > 0:
            self._handle = loop.call_later(wait, self._look)
        else:
            with suppress(RuntimeError):  # it has ended meanwhile
                self._limit.reschedule(loop.time())

"""One lane for each provider: how many calls are under way at once, and how many begin in a minute.

All models of a provider share its lane, whatever role asks. A wait in the lane is not part of a
request's deadline: the provider has not been asked yet.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager


class Lane:
    """Leases for calls of one provider; `per_minute` 0 sets no rate. `clock` is in seconds."""

    def __init__(
        self, *, width: int, per_minute: int = 0, clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:  # fmt: skip
        self._places = asyncio.Semaphore(width)
        self._per_minute, self._clock, self._sleep = per_minute, clock, sleep
        self._tokens, self._seen = float(per_minute), clock()
        self._closed_until = 0.0

    @asynccontextmanager
    async def lease(self) -> AsyncIterator[None]:
        """Hold a place for one call, once the rate allows it."""
        async with self._places:
            wait = self._reserve()
            if wait > 0:
                await self._sleep(wait)
            yield

    def pause(self, seconds: float) -> None:
        """Begin no call of this provider for a while: it has asked for a rest."""
        self._closed_until = max(self._closed_until, self._clock() + seconds)

    def _reserve(self) -> float:
        """Take one start from the minute's share and return the seconds until it may be used.

        The share fills up evenly; a minute's worth may begin at once after a rest.
        """
        now = self._clock()
        rest = max(0.0, self._closed_until - now)
        if not self._per_minute:
            return rest
        filled = self._tokens + (now - self._seen) * self._per_minute / 60
        self._tokens, self._seen = min(float(self._per_minute), filled) - 1, now
        return max(rest, -self._tokens * 60 / self._per_minute)


class Lanes:
    """The lanes of a process by provider, opened at the first call; `singly` are asked one call at a time."""

    def __init__(
        self, *, width: int, per_minute: int = 0, clock: Callable[[], float], singly: Collection[str] = (),
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:  # fmt: skip
        self._singly = singly
        self._width, self._per_minute, self._clock, self._sleep = width, per_minute, clock, sleep
        self._lanes: dict[str, Lane] = {}

    def of(self, model: str) -> Lane:
        """Return the lane of `provider:model`."""
        provider = model.partition(":")[0]
        if provider not in self._lanes:
            width = 1 if provider in self._singly else self._width
            self._lanes[provider] = Lane(
                width=width, per_minute=self._per_minute, clock=self._clock, sleep=self._sleep
            )
        return self._lanes[provider]

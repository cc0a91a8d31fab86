"""Manners towards a host: few requests at once, a pause between them, and leaving alone who refuses us.

What refused us is kept on disk, so that the next run does not knock again. The pause is from the end of
one request to the beginning of the next; waiting is done by a passed `sleep`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ddax.actions.fetch import MAX_COOLDOWN
from ddax.errors import ActionError, StorageError
from ddax.memory.embed.cache import opened

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]
MAX_PAUSE = 30.0
"""Seconds between two requests to one host, however many its robots.txt asks for."""
FORGET_STRIKES = 86_400.0
"""Seconds after which an old refusal no longer lengthens a new one."""


class Refusal(NamedTuple):
    """Until when a host is left alone (seconds since the epoch), how often it refused, and why."""

    until: float
    strikes: int
    why: str


class Cooldowns:
    """Hosts that refused us, in one small SQLite file; each further refusal doubles the time.

    The file is asked in a thread. Making one blocks.
    """

    def __init__(self, path: Path, *, clock: Clock) -> None:
        self._path, self._clock = path, clock
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as exc:
            raise StorageError(
                f"Cannot make the folder {str(path.parent)!r}.",
                why=str(exc),
                mend="Give write permission there, or set DDAX_HOME elsewhere.",
            ) from exc
        with opened(path) as db:
            db.execute(
                "CREATE TABLE IF NOT EXISTS cooldowns"
                " (host TEXT PRIMARY KEY, until REAL NOT NULL, strikes INTEGER NOT NULL, why TEXT NOT NULL)"
            )

    async def find(self, host: str) -> Refusal | None:
        """Return the refusal of a host that is still in force."""
        found = await asyncio.to_thread(self._found, host)
        return found if found is not None and found.until > self._clock() else None

    async def cool(self, host: str, seconds: float, why: str) -> Refusal:
        """Leave a host alone for some seconds, twice as long for each refusal of the last day."""
        return await asyncio.to_thread(self._cooled, host, seconds, why, self._clock())

    def _found(self, host: str) -> Refusal | None:
        with opened(self._path) as db:
            row = db.execute("SELECT until, strikes, why FROM cooldowns WHERE host = ?", (host,)).fetchone()
        return Refusal(*row) if row else None

    def _cooled(self, host: str, seconds: float, why: str, now: float) -> Refusal:
        with opened(self._path) as db:
            db.execute("BEGIN IMMEDIATE")  # two refusals at once are two strikes
            row = db.execute("SELECT until, strikes FROM cooldowns WHERE host = ?", (host,)).fetchone()
            strikes = row[1] + 1 if row and row[0] > now - FORGET_STRIKES else 1
            length = min(max(seconds, 1.0) * 2 ** min(strikes - 1, 10), MAX_COOLDOWN)
            made = Refusal(now + length, strikes, why)
            db.execute("INSERT OR REPLACE INTO cooldowns VALUES (?, ?, ?, ?)", (host, *made))
        return made


def refuse_cooling(host: str, found: Refusal | None, now: float) -> None:
    """Raise ActionError of kind `cooling_down` for a host that refused us."""
    if found is not None:
        raise ActionError(
            f"{host!r} is left alone for {found.until - now:.0f} s more.", why=found.why, kind="cooling_down"
        )


@dataclass
class _Door:
    """One host: who may be in, when the last one left, and the pause its robots.txt asks for."""

    room: asyncio.Semaphore
    order: asyncio.Lock = field(default_factory=asyncio.Lock)
    free_at: float = 0.0
    pause: float = 0.0


class Manners:
    """Turns at hosts: at most `concurrency` at once, `delay` seconds between two."""

    def __init__(self, *, delay: float, concurrency: int, monotonic: Clock, sleep: Sleep) -> None:
        self._delay, self._concurrency = delay, concurrency
        self._monotonic, self._sleep = monotonic, sleep
        self._doors: dict[str, _Door] = {}

    def ask_for_pause(self, host: str, seconds: float) -> None:
        """Note the pause that a host asks for."""
        self._door(host).pause = min(seconds, MAX_PAUSE)

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Wait for a turn at a host and hold it for the block."""
        door = self._door(host)
        async with door.room:
            async with door.order:
                pause = max(self._delay, door.pause)
                wait = door.free_at - self._monotonic()
                if wait > 0:
                    await self._sleep(wait)
                door.free_at = self._monotonic() + pause
            try:
                yield
            finally:
                door.free_at = max(door.free_at, self._monotonic() + max(self._delay, door.pause))

    def _door(self, host: str) -> _Door:
        return self._doors.setdefault(host, _Door(asyncio.Semaphore(self._concurrency)))

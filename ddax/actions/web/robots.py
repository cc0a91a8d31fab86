"""What a host's robots.txt allows (RFC 9309): one that is missing allows all, one that fails nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlunsplit

from ddax.actions.fetch import Fetched
from ddax.errors import ActionError, Blocked, NotAllowed

if TYPE_CHECKING:
    from protego import Protego

AGENT = "ddax"
MEND = "Name the page in --sources, or set web.robots to false, if you may read it."
TOO_MANY = 429
MAX_ROBOTS = 512_000
"""Bytes of a robots.txt that are read; the rest is cut off."""
KEPT_SECONDS = 86_400.0
FAILED_SECONDS = 300.0
"""Seconds after which a robots.txt that failed is asked for again."""
OURS = frozenset({"cooling_down", "dns", "connect", "not_recorded"})
"""Failures that hold for the page as well, and say more of it."""
OPEN = frozenset({"not_found", "redirects", "bad_scheme", "bad_url", "bad_encoding"})
"""Failures that mean there is none: RFC 9309, 2.3.1.3, `unavailable`."""

Get = Callable[[str], Awaitable[Fetched]]


@dataclass(frozen=True)
class _Rules:
    parsed: Protego | None
    failure: str
    at: float


class Robots:
    """The rules of each host, asked for once a day; `get` fetches through the guard."""

    def __init__(self, get: Get, *, clock: Callable[[], float]) -> None:
        self._get, self._clock = get, clock
        self._known: dict[str, _Rules] = {}
        self._asking: dict[str, asyncio.Lock] = {}

    async def permit(self, parts: SplitResult) -> float:
        """Return the pause a host asks for, in seconds; raises NotAllowed where a page is closed to us."""
        rules = await self._rules(parts)
        url = urlunsplit(parts)
        if rules.failure:
            why = f"The robots.txt of its host could not be read: {rules.failure}"
            raise NotAllowed(f"{url!r} is left alone.", why=why, mend=MEND)
        if rules.parsed is None:
            return 0.0
        if not rules.parsed.can_fetch(url, AGENT):
            raise NotAllowed(
                f"{url!r} is left alone.",
                why="The robots.txt of its host closes it to us.",
                mend=MEND,
            )
        return float(rules.parsed.crawl_delay(AGENT) or 0.0)

    async def _rules(self, parts: SplitResult) -> _Rules:
        origin = urlunsplit((parts.scheme, parts.netloc, "/robots.txt", "", ""))
        async with self._asking.setdefault(origin, asyncio.Lock()):
            known = self._known.get(origin)
            if known is None or known.at < self._clock() - (
                FAILED_SECONDS if known.failure else KEPT_SECONDS
            ):
                known = self._known[origin] = await self._ask(origin)
        return known

    async def _ask(self, url: str) -> _Rules:
        from protego import Protego

        now = self._clock()
        try:
            found = await self._get(url)
        except Blocked as error:
            # 403 and 451 say nothing, which closes nothing; 429 says: not now.
            return _Rules(None, str(error) if error.status == TOO_MANY else "", now)
        except NotAllowed:
            raise  # by our own guard: the page itself may not be reached
        except ActionError as error:
            if error.kind in OURS:
                raise
            gone = error.kind in OPEN or error.kind.startswith("http_4")
            return _Rules(None, "" if gone else str(error), now)
        parse: Any = Protego.parse
        return _Rules(await asyncio.to_thread(parse, found.body.decode("utf-8", "replace")), "", now)

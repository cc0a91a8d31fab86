"""A search of the web: asked seldom, kept for a day, without doubles, ranked by what it is for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlunsplit

from ddax.actions.egress import EgressPolicy, checked_url
from ddax.actions.web.manners import Manners, Sleep
from ddax.actions.web.search.protocol import Provider, Result
from ddax.actions.web.tape import Tape
from ddax.configs.secrets import Redactor
from ddax.errors import ActionError
from ddax.memory.embed.cache import opened
from ddax.memory.protocol import Embedder
from ddax.types import Hit, JsonDict

Clock = Callable[[], float]
MEANING = 0.5
"""Share of meaning in a score; the rest is the rank the service gave."""
TRACKING = ("utm_", "fbclid", "gclid", "mc_cid", "mc_eid", "msclkid", "igshid", "ref_src")
WAIT = "search"


class ResultCache:
    """Results by service and query, in one small SQLite file."""

    def __init__(self, path: Path, *, clock: Clock, hours: float) -> None:
        self._path, self._clock, self._hours = path, clock, hours
        path.parent.mkdir(parents=True, exist_ok=True)
        with opened(path) as db:
            db.execute(
                "CREATE TABLE IF NOT EXISTS searches (key TEXT PRIMARY KEY, at REAL, rows TEXT NOT NULL)"
            )

    def find(self, key: str) -> list[Result] | None:
        """Return what is kept and not too old."""
        with opened(self._path) as db:
            row = db.execute("SELECT at, rows FROM searches WHERE key = ?", (key,)).fetchone()
        if row is None or row[0] <= self._clock() - self._hours * 3600:
            return None
        return [Result(*each) for each in json.loads(row[1])]

    def keep(self, key: str, results: Sequence[Result]) -> None:
        """Keep results and drop those that are too old."""
        now = self._clock()
        with opened(self._path) as db:
            db.execute("DELETE FROM searches WHERE at <= ?", (now - self._hours * 3600,))
            db.execute(
                "INSERT OR REPLACE INTO searches VALUES (?, ?, ?)", (key, now, json.dumps(list(results)))
            )


@dataclass
class WebSearch:
    """Search by a service; results the policy does not let us read are left out."""

    provider: Provider
    policy: EgressPolicy
    embedder: Embedder
    cache: ResultCache
    tape: Tape
    manners: Manners
    count: int
    redactor: Redactor = field(default_factory=Redactor.of_process)

    async def search(self, query: str, *, intent: str = "") -> list[Hit]:
        """Find pages for a query, best first for its intent; raises ActionError."""
        found = await self._results(" ".join(query.split())[:400])
        results = distinct([result for result in found if self._readable(result)])
        return await asyncio.to_thread(self._ranked, query, intent, results)

    async def _results(self, query: str) -> list[Result]:
        async def make() -> JsonDict:
            key = f"{self.provider.name} {self.count} {query}"
            kept = await asyncio.to_thread(self.cache.find, key)
            if kept is None:
                async with self.manners.turn(WAIT):
                    # Blotted before it is kept, and before a cut leaves a part that nobody knows again.
                    kept = self.redactor.value(await self.provider.search(query, count=self.count))
                await asyncio.to_thread(self.cache.keep, key, kept)
            return {"results": [list(result) for result in kept]}

        row = await self.tape.play(f"SEARCH {self.count} {query}", make)
        return [Result(*each) for each in row["results"]]

    def _readable(self, result: Result) -> bool:
        try:
            self.policy.permit_name(checked_url(result.url).hostname or "")
        except ActionError:
            return False
        return True

    def _ranked(self, query: str, intent: str, results: list[Result]) -> list[Hit]:
        """Mix the rank of the service with the likeness to what is looked for, each in [0, 1]."""
        if not results:
            return []
        aim = query if not intent.strip() or intent in query else f"{query} {intent}"
        texts = [f"{result.title}. {result.snippet}" for result in results]
        rows = self.embedder.embed([aim, *texts])
        cosines = (rows[1:] @ rows[0]).clip(0.0, 1.0)
        ranks = [1 - place / len(results) for place in range(len(results))]
        scores = [MEANING * float(c) + (1 - MEANING) * r for c, r in zip(cosines, ranks, strict=True)]
        order = sorted(range(len(results)), key=lambda k: (-scores[k], k))
        return [as_hit(results[k], scores[k]) for k in order]


def as_hit(result: Result, score: float) -> Hit:
    """Make a hit of a result; its snippet is the service's, not yet the page's."""
    digest = sha256(result.url.encode()).hexdigest()[:24]
    return Hit(digest, result.url, result.title[:200], result.snippet[:1000], min(max(score, 0.0), 1.0))


def distinct(results: Sequence[Result]) -> list[Result]:
    """Keep the first result of each page, at its place."""
    found: dict[str, Result] = {}
    for result in results:
        found.setdefault(normal(result.url), result)
    return list(found.values())


def normal(url: str) -> str:
    """Write an address as its page is known: no scheme, www, tracking, fragment, or final slash."""
    parts = checked_url(url)
    query = parse_qsl(parts.query, keep_blank_values=True)
    kept = [(key, value) for key, value in query if not key.lower().startswith(TRACKING)]
    host = parts.netloc.removeprefix("www.").removesuffix(":443" if parts.scheme == "https" else ":80")
    return urlunsplit(("", host, parts.path.rstrip("/"), urlencode(sorted(kept)), ""))


def pace(per_minute: int, *, monotonic: Clock, sleep: Sleep) -> Manners:
    """Return the pace of so many searches a minute, one at a time."""
    return Manners(delay=60.0 / per_minute, concurrency=1, monotonic=monotonic, sleep=sleep)

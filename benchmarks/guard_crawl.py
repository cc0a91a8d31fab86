"""A site of 500 pages over 20 hosts, some of them slow, broken, closed or refusing: found, read, spared.

And what a large page costs who reads it: the time it takes, and how long the loop of the run stands still.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TypedDict
from urllib.parse import parse_qs, urlsplit

from benchmarks.guard_manners import opened, outcome
from benchmarks.guard_site import Answer, Site, Writer, head, missing, page, raw, serving, slow
from ddax.actions.web.client import Web
from ddax.actions.web.search.searxng import SearXNG

PAGES = 500
OF_A_HOST = 25
DELAY = 0.05
PATIENCE = 3.0
"""Seconds a request may take in this crawl."""
SEARCHED = 10
"""Results of a search."""
KINDS = ["plain"] * 12 + ["slow", "slow", "broken", "broken", "refusing", "refusing", "closed", "closed"]
"""What the hosts are like, in order."""


class Pace(TypedDict):
    """The settings of the web under which the pages are read, in seconds."""

    delay: float
    fetch_seconds: float
    read_seconds: float


@dataclass(frozen=True)
class Planted:
    """One page of the site: where it is, and how reading it must end."""

    host: str
    path: str
    end: str


@dataclass
class Crawl:
    """What a crawl found: how each page ended and must have ended, and what the hosts were asked."""

    right: int = 0
    wrong: list[str] = field(default_factory=list)
    readable: int = 0
    read: int = 0
    seconds: float = 0.0
    most: int = 0
    pause: float = 0.0
    """The shortest time between two requests to one host."""
    after_refusal: int = 0
    """Requests to a host after it had refused."""
    next_run: int = 0
    """Requests to such a host in the next run."""


def words(host: str, number: int) -> str:
    """Write a page that says which it is."""
    said = f"This is page {number} of {host}. " * 12
    return f"<title>Page {number} of {host}</title><main><p>{said}</p></main>"


def plant() -> tuple[dict[str, Answer], list[Planted]]:
    """Lay out the site: answers by host and path, and how reading each page must end."""
    answers: dict[str, Answer] = {}
    planted: list[Planted] = []
    for index in range(PAGES // OF_A_HOST):
        host, kind = f"h{index}.test", KINDS[index]
        for number in range(OF_A_HOST):
            path, good = f"/p{number}", page(words(host, number))
            answer, end = good, "read"
            if kind == "slow":
                answer, end = (
                    (slow(5 * PATIENCE, good), "timeout") if number % 5 == 0 else (slow(0.2, good), "read")
                )
            elif kind == "broken" and number % 2:
                answer, end = faulty(number)
            elif kind == "refusing":
                answer, end = page("no", (403, 429)[index % 2]), "refused"
            elif kind == "closed" and number % 2:
                end = "not_allowed"
            answers[f"{host}{path}"] = answer
            planted.append(Planted(host, path, end))
        if kind == "closed":
            rules = "User-agent: *\n" + "".join(f"Disallow: /p{n}$\n" for n in range(1, OF_A_HOST, 2))
            answers[f"{host}/robots.txt"] = page(rules, kind="text/plain")
    return answers, planted


def faulty(number: int) -> tuple[Answer, str]:
    """Return a fault and how it must end."""
    faults = ((page("broken", 500), "http_500"), (missing, "not_found"), (raw(b""), "transport"),
              (raw(head(Content_Length=9000) + b"<p>cut"), "transport"))  # fmt: skip
    return faults[number // 2 % len(faults)]


def engine(site: Site, planted: list[Planted]) -> Answer:
    """Answer searches as SearXNG does: the results for `part N` are the N-th ten pages."""

    async def answer(writer: Writer) -> None:
        query = parse_qs(urlsplit(site.asked[-1].path).query)["q"][0]
        part = int(query.split()[-1])
        found = planted[part * SEARCHED : (part + 1) * SEARCHED]
        rows = [{"url": site.url(one.path, one.host), "title": one.path, "content": ""} for one in found]
        await page(json.dumps({"results": rows}), kind="application/json")(writer)

    return answer


async def crawl() -> Crawl:
    """Find the pages by searches, read them all at once, and those of the refusing hosts in a new run."""
    answers, planted = plant()
    hosts = {one.host for one in planted}
    settings: Pace = {"delay": DELAY, "fetch_seconds": PATIENCE, "read_seconds": 60.0}
    made = Crawl()
    with tempfile.TemporaryDirectory() as folder:
        async with serving(answers) as site:
            site.answers["engine.test/search"] = engine(site, planted)
            start = time.monotonic()
            async with opened(Path(folder), time.monotonic, "engine.test", delay=0.0) as pages:
                urls = await found_by_search(pages, site)
            async with opened(Path(folder), time.monotonic, *hosts, **settings) as pages:
                ends = await asyncio.gather(*(outcome(pages.read(url)) for url in urls))
            made.seconds = time.monotonic() - start
            kinds = dict(zip(urls, (kind for kind, _ in ends), strict=True))
            for one in planted:
                judge(made, one, kinds.get(site.url(one.path, one.host), "not found"))
            spared(made, site, hosts)
            await again(made, site, Path(folder), planted, settings)
    return made


async def found_by_search(pages: Web, site: Site) -> list[str]:
    """Return all the addresses that the searches name."""
    service = SearXNG(site.url("", "engine.test"), pages.ask)
    found: list[str] = []
    for part in range(PAGES // SEARCHED):
        found += [row.url for row in await service.search(f"part {part}", count=SEARCHED)]
    return found


def judge(made: Crawl, one: Planted, kind: str) -> None:
    """Count a page: whether it ended as it must."""
    fine = kind in ("blocked", "cooling_down") if one.end == "refused" else kind == one.end
    made.right += fine
    made.readable += one.end == "read"
    made.read += one.end == "read" and kind == "read"
    if not fine:
        made.wrong.append(f"{one.host}{one.path}: {kind}, not {one.end}")


def spared(made: Crawl, site: Site, hosts: set[str]) -> None:
    """Count what the hosts had to bear."""
    by_host: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for asked in site.asked:
        by_host[asked.host].append((asked.began, min(asked.ended, asked.began + PATIENCE)))
    made.most = max(at_once(by_host[host]) for host in hosts)
    made.pause = min(gap for host in hosts for gap in gaps(by_host[host]))
    refusing = {f"h{i}.test" for i, kind in enumerate(KINDS) if kind == "refusing"}
    hits = Counter(a.host for a in site.asked if a.host in refusing and a.path != "/robots.txt")
    made.after_refusal = sum(count - 1 for count in hits.values())


def at_once(times: list[tuple[float, float]]) -> int:
    """Return how many requests were open at one time; one that we hung up on is open for our patience."""
    marks = sorted([(began, 1) for began, _ in times] + [(ended, -1) for _, ended in times])
    open_now = most = 0
    for _, change in marks:
        open_now += change
        most = max(most, open_now)
    return most


def gaps(times: list[tuple[float, float]]) -> Iterator[float]:
    """Yield the pauses between the beginnings of requests that follow each other."""
    for (before, _), (after, _) in pairwise(times):
        yield after - before


async def again(made: Crawl, site: Site, folder: Path, planted: list[Planted], settings: Pace) -> None:
    """Read the pages of the refusing hosts in another run: nothing may be asked of them."""
    refused = [one for one in planted if one.end == "refused"]
    before = len(site.asked)
    async with opened(folder, time.monotonic, *{one.host for one in refused}, **settings) as pages:
        urls = [site.url(one.path, one.host) for one in refused]
        await asyncio.gather(*(outcome(pages.read(url)) for url in urls))
    made.next_run = len(site.asked) - before


LARGE: dict[str, bytes] = {
    "words": b"<p>Plain words in a large page. </p>\n" * 130_000,
    "a table": b"<table>" + b"<tr><td>cell<td>1234<td>more</tr>" * 145_000 + b"</table>",
    "links": b"<a href=/x/y/z>a link to somewhere</a> " * 120_000,
    "nesting": b"<div>" * 900_000 + b"<p>below",
    "one line of JSON": b"[" + b'{"a": [1, 2, "three"]},' * 210_000 + b"0]",
    "hidden text": b"<span style='display:none'>hidden</span>x" * 120_000,
    "scripts": b"<script>var x = '" + b"y" * 4_900_000 + b"'</script><p>below the script",
    "broken tags": b"<a <b <i '\"<" * 400_000,
}
"""Pages of about 5 MB."""


async def large_pages() -> tuple[float, float, list[str]]:
    """Read each large page; returns the longest read and the longest standstill in seconds, and a list."""
    from ddax.actions.web.reading import Reader
    from ddax.errors import ActionError

    reader, lines = Reader(), list[str]()
    worst_read = worst_still = 0.0
    await reader.read(b"<p>warm", "html", fallback="x", base="http://x.test/", charset="utf-8")
    for name, body in LARGE.items():
        content, kind = body[:5_000_000], "json" if "JSON" in name else "html"
        async with Standstill() as still:
            start, ended = time.monotonic(), "read"
            try:
                await reader.read(content, kind, fallback="x", base="http://x.test/", charset="utf-8")
            except ActionError as error:
                ended = f"given up ({error.kind})"
            taken = time.monotonic() - start
        worst_read, worst_still = max(worst_read, taken), max(worst_still, still.longest)
        lines.append(f"{name}: {ended} after {taken:.2f} s")
    await reader.close()
    return worst_read, worst_still, lines


class Standstill:
    """Measure the longest time that the loop did nothing else for the block."""

    longest = 0.0

    async def __aenter__(self) -> Standstill:
        self._task = asyncio.create_task(self._watch())
        await asyncio.sleep(0)
        return self

    async def _watch(self) -> None:
        pause = 0.005
        while True:
            start = time.monotonic()
            await asyncio.sleep(pause)
            self.longest = max(self.longest, time.monotonic() - start - pause)

    async def __aexit__(self, *exc: object) -> None:
        self._task.cancel()

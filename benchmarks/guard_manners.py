"""Hostile bodies (battery W6) and manners towards hosts (battery W7), read as a run reads pages.

Pauses and cooldowns are measured on a clock that moves only by what is slept; caps of time on the real one.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.guard_cases import Tried, reason_of
from benchmarks.guard_site import (
    HERE,
    Answer,
    Site,
    endless,
    head,
    hostile_bodies,
    page,
    redirect,
    serving,
    slow,
)
from ddax.actions.egress import policy_of
from ddax.actions.web.client import Time as Clocks
from ddax.actions.web.client import Web
from ddax.actions.web.reading import InlineReader, PageReader
from ddax.configs.settings import Web as Settings
from ddax.errors import ActionError

FETCH_CAP, READ_CAP = 5.0, 5.0
CAP_BYTES = 5_000_000
WORDS = "<title>Page</title><main><p>" + "Plain words that are worth reading. " * 12 + "</p></main>"
REFUSED = frozenset({
    "plain-without-end", "chunked-without-end", "zeros-1000-to-1", "zeros-twice", "field-large", "head-drip",
    "body-drip", "silence", "not-http", "nothing",
})  # fmt: skip
"""Bodies that must be refused; the others may be read as well, if they hold words."""


@dataclass
class Time:
    """A clock that moves only by what is slept."""

    now: float = 1_700_000_000.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


async def everywhere(host: str, port: int) -> list[str]:
    """Resolve every name to this machine."""
    return [HERE]


@asynccontextmanager
async def opened(
    folder: Path, clock: Callable[[], float], *hosts: str,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep, reader: PageReader | None = None,
    **settings: Any,
) -> AsyncIterator[Web]:  # fmt: skip
    """Open the web as a run does, with some hosts allowed."""
    policy = policy_of(allow_hosts=hosts, resolver=everywhere)
    made = Web(Settings(**settings), policy, folder=folder, time=Clocks(clock, clock, sleep), reader=reader)
    try:
        yield made
    finally:
        await made.close()


async def outcome(found: Awaitable[Any]) -> tuple[str, str]:
    """Return how a read ended: `read`, or the kind of its failure with its words."""
    try:
        await found
    except ActionError as error:
        return error.kind, reason_of(error)
    return "read", ""


async def bodies() -> tuple[list[Tried], int]:
    """Read every hostile body; returns the cases, and the most bytes that were taken in for one."""
    answers = hostile_bodies()
    hosts = [f"b{number}.test" for number in range(len(answers))]
    found: list[Tried] = []
    settings: dict[str, Any] = {
        "robots": False, "delay": 0.0, "fetch_seconds": FETCH_CAP, "read_seconds": READ_CAP, "cache": False,
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        async with (
            serving(answers) as site,
            opened(Path(folder), time.time, *hosts, max_bytes=CAP_BYTES, **settings) as pages,
        ):
            for path, host in zip(answers, hosts, strict=True):
                start = time.monotonic()
                kind, reason = await outcome(pages.read(site.url(path, host)))
                name, seconds = path.rsplit("/", 1)[-1], time.monotonic() - start
                ok = bool(reason) or (kind == "read" and name not in REFUSED)
                found.append(Tried("W6", name, "client", ok, reason, seconds, FETCH_CAP + READ_CAP))
            most = max(exchange.received for exchange in pages.log)
    return found, most


@dataclass
class Play:
    """One case of W7 while it is played: a site, a folder that runs share, and a clock."""

    site: Site
    folder: Path
    time: Time = field(default_factory=Time)

    def run(self, *hosts: str, **settings: Any) -> AbstractAsyncContextManager[Web]:
        """Open the web for one run."""
        given = {"delay": 0.0, "cache": False, "fetch_seconds": 2.0, **settings}
        return opened(
            self.folder, self.time, HERE, *hosts, sleep=self.time.sleep, reader=InlineReader(), **given
        )

    async def kinds(self, *paths: str, named: bool = False, **settings: Any) -> list[str]:
        """Read pages one after the other in one run and return how each ended."""
        async with self.run(**settings) as pages:
            return [
                (await outcome(pages.read(self.site.url(path), named=named)))[0] for path in paths
            ]  # fmt: skip

    def rules(self, answer: Answer | str) -> None:
        """Put up a robots.txt."""
        made = page(answer, kind="text/plain") if isinstance(answer, str) else answer
        self.site.answers["/robots.txt"] = made


async def robots_allow(play: Play) -> bool:
    play.rules("User-agent: *\nDisallow: /closed")
    return await play.kinds("/a") == ["read"]


async def robots_deny(play: Play) -> bool:
    play.rules("User-agent: *\nDisallow: /a")
    return await play.kinds("/a", "/b") == ["not_allowed", "read"] and play.site.hits() == ["/b"]


async def robots_names_us(play: Play) -> bool:
    play.rules("User-agent: ddax\nDisallow: /\n\nUser-agent: *\nAllow: /")
    return await play.kinds("/a") == ["not_allowed"] and not play.site.hits()


async def robots_page_the_user_names(play: Play) -> bool:
    play.rules("User-agent: *\nDisallow: /")
    return await play.kinds("/a", named=True) == ["read"]


async def robots_missing(play: Play) -> bool:
    return await play.kinds("/a") == ["read"]


async def robots_forbidden(play: Play) -> bool:
    play.rules(page("no", 403))
    return await play.kinds("/a") == ["read"]


async def robots_broken(play: Play) -> bool:
    play.rules(page("broken", 500))
    return await play.kinds("/a", "/b") == ["not_allowed"] * 2 and not play.site.hits()


async def robots_busy(play: Play) -> bool:
    play.rules(page("later", 429))
    return await play.kinds("/a") == ["not_allowed"] and not play.site.hits()


async def robots_silent(play: Play) -> bool:
    play.rules(slow(60, page("")))
    return await play.kinds("/a", fetch_seconds=1.0) == ["not_allowed"] and not play.site.hits()


async def robots_endless(play: Play) -> bool:
    play.rules(endless(head(kind="text/plain") + b"User-agent: *\nDisallow: /a\n", b"# more\n" * 5000))
    return await play.kinds("/a", "/b", fetch_seconds=10.0) == ["not_allowed", "read"]


async def robots_going_round(play: Play) -> bool:
    play.rules(redirect("/robots.txt"))
    return await play.kinds("/a") == ["read"]


async def robots_once(play: Play) -> bool:
    play.rules("User-agent: *\nAllow: /")
    await play.kinds("/a", "/b", "/c")
    return [asked.path for asked in play.site.asked].count("/robots.txt") == 1


async def crawl_delay(play: Play) -> bool:
    play.rules("User-agent: *\nCrawl-delay: 7")
    await play.kinds("/a", "/b")
    return play.time.slept[-1] >= 7.0


async def crawl_delay_of_a_year(play: Play) -> bool:
    play.rules("User-agent: *\nCrawl-delay: 31536000")
    await play.kinds("/a", "/b")
    return 7.0 <= max(play.time.slept) <= 30.0


async def busy_with_a_time(play: Play) -> bool:
    play.site.answers["/a"] = page("later", 429, Retry_After="120")
    first = await play.kinds("/a", "/b")
    play.time.now += 119
    second = await play.kinds("/b")
    play.time.now += 2
    return [*first, *second, *await play.kinds("/b")] == ["blocked", "cooling_down", "cooling_down", "read"]


async def refused_across_runs(play: Play) -> bool:
    play.site.answers["/a"] = page("no", 403)
    kinds = [*await play.kinds("/a"), *await play.kinds("/b"), *await play.kinds("/c")]
    asked = [path for path in play.site.hits() if path != "/robots.txt"]
    return kinds == ["blocked", "cooling_down", "cooling_down"] and asked == ["/a"]


async def challenged(play: Play) -> bool:
    play.site.answers["/a"] = page("<title>Just a moment...</title><p>Checking your browser before accessing")
    return await play.kinds("/a", "/b") == ["blocked", "cooling_down"]


async def refused_again_and_again(play: Play) -> bool:
    play.site.answers["/a"] = page("later", 429, Retry_After="100")
    for seconds in (101, 201, 401):
        await play.kinds("/a", *["/b"] * 20)
        play.time.now += seconds
    return play.site.hits() == ["/a"] * 3


async def one_at_a_time(play: Play) -> bool:
    paths = [f"/{letter}" for letter in "abcdefgh"]
    async with play.run(delay=2.0, robots=False) as pages:
        await asyncio.gather(*(pages.read(play.site.url(path)) for path in paths))
    return play.site.most[HERE] == 1 and play.time.slept == [2.0] * (len(paths) - 1)


async def asked_once(play: Play) -> bool:
    url = play.site.url("/a")
    async with play.run() as pages:
        found = (pages.read(form) for form in (url, url + "#x", url.replace("http", "HTTP"), f" {url} "))
        await asyncio.gather(*found)
    return play.site.hits() == ["/a"]


async def asked_by_its_tag(play: Play) -> bool:
    play.site.answers["/a"] = page(WORDS, ETag='"v1"', Cache_Control="no-cache")
    for _ in range(2):
        await play.kinds("/a", cache=True, robots=False)
    return play.site.asked[-1].fields.get("if-none-match") == '"v1"'


async def fresh_is_not_asked(play: Play) -> bool:
    play.site.answers["/a"] = page(WORDS, Cache_Control="max-age=600")
    for _ in range(3):
        await play.kinds("/a", cache=True, robots=False)
    return play.site.hits() == ["/a"]


async def hop_into_a_closed_page(play: Play) -> bool:
    play.rules("User-agent: *\nDisallow: /a")
    play.site.answers["/go"] = redirect("/a")
    return await play.kinds("/go") == ["not_allowed"] and play.site.hits() == ["/go"]


PLAYED = (
    robots_allow, robots_deny, robots_names_us, robots_page_the_user_names, robots_missing, robots_forbidden,
    robots_broken, robots_busy, robots_silent, robots_endless, robots_going_round, robots_once, crawl_delay,
    crawl_delay_of_a_year, busy_with_a_time, refused_across_runs, challenged, refused_again_and_again,
    one_at_a_time, asked_once, asked_by_its_tag, fresh_is_not_asked, hop_into_a_closed_page,
)  # fmt: skip


async def manners() -> list[Tried]:
    """Play every case of W7."""
    found: list[Tried] = []
    for case in PLAYED:
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            async with serving({f"/{letter}": page(WORDS + letter) for letter in "abcdefgh"}) as site:
                ok = await case(Play(site, Path(folder)))
        name = case.__name__.replace("_", " ")
        found.append(Tried("W7", name, "client", ok, "", time.monotonic() - start, 30.0))
    return found

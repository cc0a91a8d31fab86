"""The web as one run meets it: fetched through the guard, with manners, read in a process, kept on tape.

A page is asked for once a run. Before each hop of a redirect the host must be free of a cooldown, its
robots.txt must allow the page (unless the user named the page), and its turn must have come.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import asdict, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol
from urllib.parse import SplitResult, urlsplit, urlunsplit

from ddax.actions.egress import EgressPolicy, checked_url
from ddax.actions.fetch import Fetched, Limits, follow, open_client, too_slow
from ddax.actions.sources.web import kind_of_answer, name_of
from ddax.actions.web.log import Exchange
from ddax.actions.web.manners import Cooldowns, Manners, Sleep, refuse_cooling
from ddax.actions.web.page import Page
from ddax.actions.web.reading import PageReader, Reader
from ddax.actions.web.robots import MAX_ROBOTS, Robots
from ddax.actions.web.tape import NoTape, Tape, packed, unpacked
from ddax.configs.settings import Web as WebSettings
from ddax.errors import ActionError, Blocked
from ddax.types import Document, JsonDict

if TYPE_CHECKING:
    import httpx

Clock = Callable[[], float]


class Render(Protocol):
    """Who runs the scripts of pages: a browser."""

    async def __call__(self, url: str) -> str:
        """Return the HTML of a page after its scripts have run; raises ActionError."""
        ...

    async def close(self) -> None:
        """End it."""
        ...


KEPT_PAGES = 256
LITTLE = 200
"""Characters below which a page with scripts is taken for one that needs a browser."""


class Time(NamedTuple):
    """What time it is, how much of it has passed, and how to wait."""

    clock: Clock
    monotonic: Clock
    sleep: Sleep = asyncio.sleep


class Web:
    """Pages by address; made once a session and closed with it."""

    def __init__(
        self,
        settings: WebSettings,
        policy: EgressPolicy,
        *,
        folder: Path,
        time: Time,
        tape: Tape | None = None,
        render: Render | None = None,
        reader: PageReader | None = None,
        services: Iterable[str] = (),
    ) -> None:
        self.settings, self.policy, self.tape, self.render = settings, policy, tape or NoTape(), render
        self._services = frozenset(services)
        self._folder, self._clock, self.monotonic = folder, time.clock, time.monotonic
        self._limits = Limits(settings.max_bytes, settings.fetch_seconds, settings.max_redirects)
        self._manners = Manners(
            delay=settings.delay, concurrency=settings.per_host, monotonic=time.monotonic, sleep=time.sleep
        )
        self._cooldowns = Cooldowns(folder / "cooldowns.sqlite", clock=time.clock)
        self._robots = Robots(self._robots_txt, clock=time.clock)
        self._reader = reader or Reader(seconds=settings.read_seconds)
        self._client: httpx.AsyncClient | None = None
        self._log: deque[Iterable[Exchange]] = deque(maxlen=1000)
        self._pages: dict[str, asyncio.Task[Document]] = {}

    @property
    def log(self) -> list[Exchange]:
        """Return what was asked of whom, oldest first."""
        return sorted(chain.from_iterable(self._log), key=lambda exchange: exchange.at)

    async def read(self, url: str, *, named: bool = False) -> Document:
        """Return a page as a document; `named` says that the user gave this address.

        Raises ActionError with the kind of the failure, NotAllowed or Blocked. The same address is
        fetched once a run; a failure is not kept.
        """
        key = urlunsplit(checked_url(url))
        if key not in self._pages:
            while len(self._pages) >= KEPT_PAGES:
                self._pages.pop(next(iter(self._pages)))
            task = self._pages[key] = asyncio.create_task(self._document(key, named), name="ddax-page")
            task.add_done_callback(partial(self._forget_failed, key))
        return await asyncio.shield(self._pages[key])

    async def get(self, url: str, *, named: bool = False) -> Fetched:
        """Fetch an address with manners; raises as `read` does."""

        async def make() -> JsonDict:
            found = await self._get(url, named=named)
            return {**asdict(found), "body": packed(found.body)}

        row = await self.tape.play(f"GET {url}", make)
        return Fetched(**{**row, "body": unpacked(row["body"])})

    async def ask(self, url: str, headers: Mapping[str, str], body: JsonDict | None = None) -> bytes:
        """Ask a search service, by POST where there is a body; raises ActionError.

        It goes through the guard, where a host among `services` may be private: the user named it for
        this, and no page can ask it for anything. robots.txt is for pages.
        """
        from ddax.actions.web.transport import GuardedTransport

        parts = checked_url(url)
        policy = EgressPolicy(self.policy.allow_hosts | self._services, resolver=self.policy.resolver)
        guarded = GuardedTransport(policy, clock=self._clock, max_bytes=self._limits.max_bytes)
        self._log.append(guarded.log)
        async with self._turn(parts, robots=False, page=False), open_client(guarded) as client:
            found = await asked(client, urlunsplit(parts), headers, body, self._limits)
        return found.body

    async def close(self) -> None:
        """Close the reader, the cache and what is still open."""
        for task in self._pages.values():
            task.cancel()
        await asyncio.gather(*self._pages.values(), return_exceptions=True)
        await self._reader.close()
        if self.render is not None:
            await self.render.close()
        if self._client is not None:
            await self._client.aclose()

    def _forget_failed(self, key: str, task: asyncio.Task[Document]) -> None:
        """Forget a page that failed, also where nobody waits for it any more."""
        if (task.cancelled() or task.exception() is not None) and self._pages.get(key) is task:
            del self._pages[key]

    async def _document(self, url: str, named: bool) -> Document:
        found = await self.get(url, named=named)
        page = await self._page(found)
        if page.challenge:
            await self._cool(urlsplit(found.url), Blocked(f"{found.url!r} refuses us.", why=page.challenge))
            raise Blocked(f"{found.url!r} refuses us.", why=page.challenge)
        if page.scripts and len(page.text) < LITTLE:
            page = await self._rendered(found, page)
        if not page.text.strip():
            raise ActionError(f"{found.url!r} holds no text.", kind="empty")
        return as_document(page, found.url)

    async def _rendered(self, found: Fetched, page: Page) -> Page:
        """Let a browser run the scripts of a page that is empty without them."""
        if self.render is None:
            if page.text.strip():
                return page
            why = "Without a browser nothing is shown: its scripts write it."
            raise ActionError(f"{found.url!r} holds no text.", why=why, kind="needs_browser")
        render = self.render

        async def make() -> JsonDict:
            return {"html": await render(found.url)}

        row = await self.tape.play(f"RENDER {found.url}", make)
        again = replace(found, body=row["html"].encode(), content_type="text/html", charset="utf-8")
        return await self._page(again)

    async def _page(self, found: Fetched) -> Page:
        kind, name = kind_of_answer(found), name_of(found.url)
        return await self._reader.read(
            found.body, kind, fallback=name, base=found.url, charset=found.charset
        )  # fmt: skip

    async def _get(self, url: str, *, named: bool) -> Fetched:
        def gate(parts: SplitResult) -> AbstractAsyncContextManager[None]:
            return self._turn(parts, robots=self.settings.robots and not named)

        found = await follow(self._open(), url, self._limits, gate)
        if found.mark:
            blocked = Blocked(
                f"{found.url!r} refuses us.", why=f"Its answer is marked as a {found.mark[:40]!r}."
            )
            await self._cool(urlsplit(found.url), blocked)
            raise blocked
        return found

    async def _robots_txt(self, url: str) -> Fetched:
        """Fetch a robots.txt, which needs no leave of its own; what is too long is cut."""
        limits = replace(self._limits, max_bytes=MAX_ROBOTS, cut=True)

        def gate(parts: SplitResult) -> AbstractAsyncContextManager[None]:
            return self._turn(parts, robots=False, strict=False)

        return await follow(self._open(), url, limits, gate)

    @asynccontextmanager
    async def _turn(
        self, parts: SplitResult, *, robots: bool, strict: bool = True, page: bool = True
    ) -> AsyncIterator[None]:
        """Hold a turn at a host for one request; a refusal begins its cooldown, where `strict`."""
        host = parts.netloc
        if page:
            self.policy.permit_name(parts.hostname or "")
        refuse_cooling(host, await self._cooldowns.find(host), self._clock())
        if robots:
            self._manners.ask_for_pause(host, await self._robots.permit(parts))
        async with self._manners.turn(host):
            refuse_cooling(host, await self._cooldowns.find(host), self._clock())
            try:
                async with asyncio.timeout(self._limits.total_seconds):
                    yield
            except TimeoutError as exc:
                cap = f"web.fetch_seconds = {self._limits.total_seconds:g}"
                mend = "Raise web.fetch_seconds, or try again later."
                raise too_slow(urlunsplit(parts), cap, mend) from exc
            except Blocked as error:
                if strict:
                    await self._cool(parts, error)
                raise

    async def _cool(self, parts: SplitResult, error: Blocked) -> None:
        await self._cooldowns.cool(parts.netloc, error.cooldown, f"{error.what} {error.why}")

    def _open(self) -> httpx.AsyncClient:
        if self._client is None:
            from ddax.actions.web.transport import GuardedTransport

            guarded = GuardedTransport(self.policy, clock=self._clock, max_bytes=self._limits.max_bytes)
            self._log.append(guarded.log)
            if self.settings.cache:
                from ddax.actions.web.cache import CachingTransport

                self._client = open_client(CachingTransport(guarded, self._folder / "http.sqlite"))
            else:
                self._client = open_client(guarded)
        return self._client


async def asked(
    client: httpx.AsyncClient, url: str, headers: Mapping[str, str], body: JsonDict | None, limits: Limits
) -> Fetched:
    """Send one request to a service and read its answer."""
    from ddax.actions.fetch import one_hop

    found = await one_hop(client, url, limits, {"Accept": "application/json", **headers}, body)
    if isinstance(found, str):
        raise ActionError(
            f"{url!r} did not answer.", why=f"It redirects to {found[:100]!r}.", kind="redirects"
        )
    return found


def as_document(page: Page, source: str) -> Document:
    """Make a document of a page; what was hidden and the day it states go with it."""
    from ddax.actions.sources.formats.extract import Extracted, document

    notes: JsonDict = {
        "date": page.date,
        "hidden": page.hidden,
        "comments": page.comments,
        "tables": page.tables,
    }
    made = document(Extracted(page.title, page.text, page.links), source)
    return replace(made, notes={name: value for name, value in notes.items() if value})

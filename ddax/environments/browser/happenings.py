"""What a page does by itself: windows it opens, files it sends, requests it makes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ddax.environments.browser.chromium import CLOSE_SECONDS, foreign
from ddax.environments.browser.moves import gone
from ddax.environments.browser.options import BrowserOptions
from ddax.environments.browser.seen import clean
from ddax.environments.browser.tab import Tab, open_tab, quietly
from ddax.errors import ActionError

if TYPE_CHECKING:
    from playwright.async_api import (
        BrowserContext,
        CDPSession,
        Download,
        Page,
        Request,
        Route,
        WebSocketRoute,
    )

ASKING = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that only ask."""
ENDLESS = frozenset({"websocket", "eventsource", "media", "ping"})
"""Kinds of requests whose end nobody waits for."""


MAX_PATH = 80
"""Characters that are told of the path of a refused request."""


@dataclass
class Window:
    """The tabs of one browser context, and what has happened in it."""

    context: BrowserContext
    options: BrowserOptions
    tabs: list[Tab] = field(default_factory=list)
    current: int = 0
    notes: list[str] = field(default_factory=list)
    wrote: bool = False
    """Whether a request that may write went out since the last move began."""
    opened: int = 0
    signs: int = 0
    """Windows and files that were announced and have not come yet."""
    promised: bool = False
    """Whether a link to a file was clicked that is not announced yet: that takes until its server answers."""
    _root: CDPSession | None = None
    _taking: int = 0
    _busy: set[Request] = field(default_factory=set)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def tab(self) -> Tab:
        """Return the tab in hand."""
        return self.tabs[self.current]

    @property
    def is_busy(self) -> bool:
        """Whether something is still being loaded, or on its way."""
        return bool(self._busy or self._tasks or self.signs or self.promised)

    async def listen(self) -> None:
        """Hear what pages do; a browser that only reads lets no other request out."""
        self.context.on("page", self._on_page)
        self.context.on("request", self._on_request)
        self.context.on("requestfinished", self._on_end)
        self.context.on("requestfailed", self._on_end)
        await self._watch_windows()
        if not self.options.writes:
            await self.context.route("**/*", self._only_asking)
            await self.context.route_web_socket("**/*", self._no_socket)

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def arrived(self, seconds: float) -> None:
        """Wait for windows and files that are on their way."""
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=seconds)

    async def heard(self) -> None:
        """Wait until the browser has told of every window made so far: it answers in order."""
        if self._root is not None:
            with foreign("the browser does not tell of its windows"):
                await self._root.send("Target.getTargets")

    async def end(self) -> None:
        """Let go of everything."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, *(tab.end() for tab in self.tabs), return_exceptions=True)
        with suppress(TimeoutError):  # it ends with the browser then
            async with asyncio.timeout(CLOSE_SECONDS):
                if self._root is not None:
                    await quietly(self._root.detach())
                await quietly(self.context.close())

    def _on_request(self, request: Request) -> None:
        if request.resource_type not in ENDLESS and request.url.startswith(("http:", "https:")):
            self._busy.add(request)
        if request.method not in ASKING:
            self.wrote = True

    async def _watch_windows(self) -> None:
        """Hear of a window when it is made: the page in it comes later, and a move must wait for it."""
        browser = self.context.browser
        if browser is None:
            return
        with foreign("the browser does not tell of its windows"):
            self._root = await browser.new_browser_cdp_session()
            self._root.on("Target.targetCreated", self._on_target)
            await self._root.send("Target.setDiscoverTargets", {"discover": True})
        self.signs = 0  # those that were there already

    def _on_target(self, event: dict[str, Any]) -> None:
        self.signs += event.get("targetInfo", {}).get("type") == "page"

    def _on_sign(self, _: Any) -> None:
        self.signs, self.promised = self.signs + 1, False

    def _on_page(self, page: Page) -> None:
        self.signs = max(0, self.signs - 1)
        self._later(self._arrived(page))

    def _on_download(self, download: Download) -> None:
        self.signs = max(0, self.signs - 1)
        self._later(self._downloaded(download))

    def _on_end(self, request: Request) -> None:
        self._busy.discard(request)

    async def _only_asking(self, route: Route) -> None:
        request = route.request
        with foreign("a request was not ruled on"):
            if request.method in ASKING:
                await route.continue_()
                return
            if request.is_navigation_request():
                await route.fulfill(status=204)  # no content: the page stays where it is
            else:
                await route.abort("blockedbyclient")
        place = urlsplit(request.url)
        what = f"{request.method} {place.netloc}{self.options.cut(place.path, MAX_PATH)}"
        self.note(f"refused: the page wanted to send data ({what}), which needs --browser-writes")

    async def _no_socket(self, route: WebSocketRoute) -> None:
        self.note(f"refused: the page wanted to open a socket to {urlsplit(route.url).netloc}.")
        with foreign("a socket was not closed"):
            await route.close()

    def note(self, text: str) -> None:
        """Note what happened, once, for the next look."""
        if text not in self.notes:
            self.notes.append(text)

    async def _arrived(self, page: Page) -> None:
        """Take a new page as a tab, up to the number there may be."""
        if any(tab.page is page for tab in self.tabs):
            return
        if len(self.tabs) + self._taking >= self.options.max_tabs:
            self.note(f"a window more than {self.options.max_tabs} was closed.")
            await quietly(page.close())
            return
        self._taking += 1
        try:
            tab = await open_tab(page, self.options.move_seconds, on_sign=self._on_sign)
        except ActionError:
            return  # it was closed again at once
        finally:
            self._taking -= 1
        page.on("download", self._on_download)
        page.on("close", lambda _: self._closed(tab))
        self.tabs.append(tab)
        self.opened += 1

    async def open(self) -> Tab:
        """Open a tab and take it in hand."""
        with foreign("no tab was opened"):
            page = await self.context.new_page()
        await self.arrived(self.options.move_seconds)
        await self._arrived(page)
        self.current = next((i for i, tab in enumerate(self.tabs) if tab.page is page), len(self.tabs) - 1)
        return self.tab

    def place(self, id: str) -> int:
        """Return the place of a tab by its id; raises ActionError where it has closed itself meanwhile."""
        place = int(id.removeprefix("tab")) - 1
        if place >= len(self.tabs):
            raise gone(id)
        return place

    def _closed(self, tab: Tab) -> None:
        if tab in self.tabs:
            here = self.tabs[self.current]
            self.tabs.remove(tab)
            self.current = self.tabs.index(here) if here in self.tabs else max(0, len(self.tabs) - 1)

    async def _downloaded(self, download: Download) -> None:
        """Note what was sent, and keep it where a folder for that is named."""
        name = file_name(download.suggested_filename)
        try:
            async with asyncio.timeout(self.options.move_seconds):
                with foreign("the file did not arrive"):
                    path = Path(await download.path())
            size, digest = await asyncio.to_thread(_measured, path, self.options.max_download)
        except (TimeoutError, ActionError) as error:
            self.note(f"the file {name!r} did not arrive: {error or 'too slow'}")
            await quietly(download.cancel())
            return
        if size > self.options.max_download:
            self.note(
                f"the file {name!r} is larger than {self.options.max_download:,} bytes and was dropped."
            )
        elif self.options.downloads is None:
            self.note(
                f"the page sent the file {name!r} ({size:,} bytes, sha256 {digest[:12]}); it was not kept."
            )
        else:
            kept = await asyncio.to_thread(_keep, path, self.options.downloads, name)
            self.note(
                f"the page sent the file {kept.name!r} ({size:,} bytes, sha256 {digest[:12]}); it was kept."
            )
        await quietly(download.delete())


def file_name(stated: str) -> str:
    """Return a plain file name: letters, digits, dot, dash; never a path, never hidden."""
    name = re.sub(r"[^\w.\-]+", "_", clean(stated).replace("\\", "/").rsplit("/", 1)[-1]).lstrip(".")
    return name[-100:] or "file"


def _measured(path: Path, most: int) -> tuple[int, str]:
    size = path.stat().st_size
    return size, sha256(path.read_bytes()).hexdigest() if size <= most else ""


def _keep(path: Path, folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    target, stem = folder / name, Path(name)
    for number in range(1, 10_000):
        try:
            with target.open("xb") as out:
                out.write(path.read_bytes())
            return target
        except FileExistsError:
            target = folder / f"{stem.stem}-{number}{stem.suffix}"
    raise ActionError(f"there are too many files named {name!r}.", kind="error")

"""The page of runs in a real Chromium, and its server in a process of its own, to be measured."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

from benchmarks.core import ROOT, MissingData

TOKEN = "benchmark"
COLLECTIONS = 5
PAINTED = """
new PerformanceObserver((list) => {
  if (list.getEntriesByName("ddax-drawn").length)
    requestAnimationFrame(() => setTimeout(() => { window.painted = performance.now(); }));
}).observe({ type: "mark", buffered: true });
"""
"""Notes when the frame with the picture in it was painted, in milliseconds since the navigation began."""
COUNTED = """async () => {
  const { View } = await import("/static/view.js");
  const happened = View.prototype.happened;
  const seen = { last: 0, lost: 0, twice: 0 };
  window.seen = seen;
  View.prototype.happened = function (one) {
    if (seen.last && one.number > seen.last + 1) seen.lost += one.number - seen.last - 1;
    if (one.number <= seen.last) seen.twice += 1;
    seen.last = Math.max(seen.last, one.number);
    return happened.call(this, one);
  };
}"""
"""Counts the moments that come to the page: those left out, and those that came before."""


class Server:
    """The page's server as a child process; it can be killed and started again."""

    def __init__(self, home: Path) -> None:
        self._home, self.port = home, 0
        self._child: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.kill()

    async def start(self) -> None:
        """Start it, at the port it had before if it had one; raises RuntimeError where that fails."""
        self._child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "benchmarks.view_server", str(self._home), str(self.port), TOKEN,
            cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert self._child.stdout is not None
        told = (await self._child.stdout.readline()).decode()
        if not told.strip():
            raise RuntimeError("the server of the page did not come up")
        self.port = int(told)

    async def kill(self) -> None:
        """Kill it without a word, as a crash does."""
        if self._child is not None and self._child.returncode is None:
            self._child.send_signal(signal.SIGKILL)
            await self._child.wait()

    def address(self, thread: str) -> str:
        """Return the address of a run's page."""
        return f"http://127.0.0.1:{self.port}/#token={TOKEN}&run={thread}"

    def resident(self) -> float:
        """Return the MB it holds."""
        assert self._child is not None
        return resident(self._child.pid)


def resident(pid: int) -> float:
    """Return the MB of memory a process holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@asynccontextmanager
async def chromium() -> AsyncIterator[Any]:
    """Give a browser; raises MissingData where there is none."""
    from playwright.async_api import async_playwright

    from ddax.environments.browser.chromium import PROGRAMS

    program = next((found for name in PROGRAMS if (found := _which(name))), None)
    if program is None:
        raise MissingData(f"no browser: none of {', '.join(PROGRAMS)} is installed (make system)")
    async with async_playwright() as started:
        browser = await started.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-gpu"]
        )
        try:
            yield browser
        finally:
            await browser.close()


def _which(name: str) -> str | None:
    import shutil

    return shutil.which(name)


class Paint(NamedTuple):
    """When a page first showed anything, and when it showed the picture, in seconds; and its cards."""

    first: float
    picture: float
    cards: int


async def until(page: Any, said: str, seconds: float = 120.0) -> None:
    """Wait until an expression is true; Playwright's own way is forbidden by the page's policy.

    Raises TimeoutError.
    """
    async with asyncio.timeout(seconds):
        while not await page.evaluate(said):
            await asyncio.sleep(0.05)


async def painted(browser: Any, address: str) -> Paint:
    """Open an address as somebody does who was never there."""
    context = await browser.new_context(viewport={"width": 1440, "height": 900})
    page = await context.new_page()
    page.set_default_timeout(120_000)
    await page.add_init_script(PAINTED)
    await page.goto(address)
    await until(page, "window.painted")
    picture = await page.evaluate("window.painted")
    first = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    cards = await page.locator(".dag .node").count()
    await context.close()
    return Paint(first / 1000, picture / 1000, cards)


class Sample(NamedTuple):
    """What page and server hold at a moment: MB of heap, of the renderers, of the server; elements, nodes."""

    heap: float
    renderer: float
    server: float
    elements: int
    nodes: int


class Gauge:
    """Measures a page and its server, unused things collected."""

    def __init__(self, browser: Any, page: Any, server: Server) -> None:
        self._browser, self._page, self._server = browser, page, server

    async def sample(self) -> Sample:
        """Return what they hold now."""
        heap, nodes = await self._kept()
        elements = await self._page.evaluate("document.querySelectorAll('*').length")
        return Sample(heap / 2**20, await self._renderers(), self._server.resident(), elements, int(nodes))

    async def _kept(self) -> tuple[float, float]:
        """Return bytes of heap and DOM nodes: the least of several collections, as the page goes on."""
        session = await self._page.context.new_cdp_session(self._page)
        await session.send("Performance.enable")
        found: list[dict[str, float]] = []
        for _ in range(COLLECTIONS):
            await session.send("HeapProfiler.collectGarbage")
            told = await session.send("Performance.getMetrics")
            found.append({one["name"]: one["value"] for one in told["metrics"]})
        await session.detach()
        return min(one["JSHeapUsedSize"] for one in found), min(one["Nodes"] for one in found)

    async def _renderers(self) -> float:
        session = await self._browser.new_browser_cdp_session()
        told = await session.send("SystemInfo.getProcessInfo")
        await session.detach()
        return sum(resident(one["id"]) for one in told["processInfo"] if one["type"] == "renderer")

"""A real Chromium over a page of runs, for the tests of the viewer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, async_playwright, expect

NAMES = ("chromium", "chromium-browser", "google-chrome")


@asynccontextmanager
async def running_browser(program: str) -> AsyncIterator[Browser]:
    """Give a browser, for as many pages as there are tests."""
    async with async_playwright() as started:
        browser = await started.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        await browser.close()


@asynccontextmanager
async def browser_page(browser: Browser, *, offline: bool = False, **options: Any) -> AsyncIterator[Page]:
    """Give a page that shares no cookie, no storage and no cache with another."""
    async with await browser.new_context(
        viewport={"width": 1440, "height": 900}, offline=offline, reduced_motion="reduce", **options
    ) as context:
        page = await context.new_page()
        page.set_default_timeout(60_000)
        expect.set_options(timeout=60_000)  # for a busy machine; a right page needs a moment only
        yield page


class Watched:
    """What went on in a page: errors, console warnings, dialogs, and every address it asked for."""

    def __init__(self, page: Page) -> None:
        self.faults: list[str] = []
        self.asked: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda said: self.faults.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("dialog", self._dialog)

    async def _dialog(self, dialog: Any) -> None:
        self.faults.append(f"a dialog: {dialog.message}")
        await dialog.dismiss()

    def outside(self, *own: str) -> list[str]:
        """Return the addresses asked for that are not our own."""
        return [url for url in self.asked if not url.startswith((*own, "data:", "blob:"))]


def axe() -> str | None:
    """Return the source of axe, from the package that ships it; None where it is not installed."""
    from importlib.util import find_spec

    found = find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        return None
    return (Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")


Find = Callable[..., str]

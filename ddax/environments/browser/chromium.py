"""Start Chromium so that it can reach nothing but the egress proxy; the only file that imports Playwright.

A page has many ways to send a byte (redirects, images, sockets, WebRTC, prefetched names, workers), and
interception by the browser misses some of them. So nothing here relies on it: there is one proxy, and every
way around it is off.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
    suppress,
)
from typing import TYPE_CHECKING, Protocol, TypeAlias

from ddax.errors import ActionError, UsageError

if TYPE_CHECKING:
    from playwright.async_api import Browser

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
LAUNCH_SECONDS = 60.0
CLOSE_SECONDS = 10.0
"""Seconds Chromium is given to end by itself; then its driver is stopped, which ends it."""
QUIET = (
    "--no-pings",
    "--disable-sync",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-dev-shm-usage",
)
"""What Chromium would do by itself, or needs a screen for."""


PASSED_ON = frozenset(
    {"PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "SHELL", "DBUS_SESSION_BUS_ADDRESS"}
)
"""Variables of our environment that Chromium gets, and all of `LC_` and `XDG_`; keys stay here."""
LONGEST_TEMPORARY = 50
"""Characters of a folder in which Chromium can still open its socket; a path of one has 107 at most."""


class Proxy(Protocol):
    """A running egress proxy."""

    def chromium_arguments(self) -> Sequence[str]:
        """Return the flags that leave Chromium no other way out."""
        ...

    def refusal(self, url: str) -> str:
        """Return why the last request for the host of an address did not pass; empty where it did."""
        ...


Egress: TypeAlias = Callable[[], AbstractAsyncContextManager[Proxy]]
"""Open the egress proxy that a browser is started with; it ends with the browser."""


def find_chromium() -> str:
    """Return the path of an installed Chromium; raises UsageError."""
    found = next((path for path in map(shutil.which, PROGRAMS) if path), None)
    if found is None:
        raise UsageError(
            "there is no Chromium to open pages with.",
            why=f"None of {', '.join(PROGRAMS)} is on the PATH.",
            mend="Install it: apt-get install chromium (or make system); `ddax doctor` shows what is found.",
        )
    return found


class Chromium:
    """One Chromium with an empty profile of its own behind a proxy; both end with `close`, or with us.

    It is started at the first use, and anew where it has died.
    """

    def __init__(self, egress: Egress) -> None:
        self._egress = egress
        self._stack: AsyncExitStack | None = None
        self._browser: Browser | None = None
        self._proxy: Proxy | None = None

    def refusal(self, url: str) -> str:
        """Return why the proxy did not let the last request for the host of an address pass."""
        return self._proxy.refusal(url) if self._proxy is not None else ""

    async def running(self) -> Browser:
        """Return the running browser; raises UsageError where there is none that starts."""
        if self._browser is not None and self._browser.is_connected():
            return self._browser
        await self.close()
        async with AsyncExitStack() as stack:
            proxy = await stack.enter_async_context(self._egress())
            self._browser = await stack.enter_async_context(started(proxy))
            self._proxy, self._stack = proxy, stack.pop_all()
        return self._browser

    async def close(self) -> None:
        """End the browser, its profile and its proxy."""
        stack, self._stack, self._browser = self._stack, None, None
        if stack is not None:
            await stack.aclose()


@asynccontextmanager
async def started(proxy: Proxy) -> AsyncIterator[Browser]:
    """Run Chromium behind a proxy."""
    from playwright.async_api import Error, async_playwright

    program, temporary = await asyncio.to_thread(_looked_up)
    async with async_playwright() as playwright:
        try:
            browser = await playwright.chromium.launch(
                executable_path=program,
                chromium_sandbox=os.geteuid() != 0,  # as root Chromium starts only without it
                args=[*proxy.chromium_arguments(), *QUIET],
                env=environment(os.environ, temporary),
                handle_sigint=False,  # else the driver ends at Ctrl-C, before it is told to
                timeout=LAUNCH_SECONDS * 1000,
            )
        except Error as exc:
            raise UsageError(
                f"Chromium ({program}) does not start.",
                why=_first_line(exc),
                mend="Try it: chromium --headless --dump-dom about:blank",
            ) from exc
        try:
            yield browser
        finally:
            with suppress(Error, TimeoutError):  # it was dead already, or does not listen
                async with asyncio.timeout(CLOSE_SECONDS):
                    await browser.close()


def _looked_up() -> tuple[str, str]:
    """Return the program and the folder for temporary files; both are looked for on the disk."""
    return find_chromium(), tempfile.gettempdir()


def environment(ours: Mapping[str, str], temporary: str) -> dict[str, str | float | bool]:
    """Return the variables Chromium gets, with a folder for temporary files it can use."""
    kept = {k: v for k, v in ours.items() if k in PASSED_ON or k.startswith(("LC_", "XDG_"))}
    short = "/tmp"  # noqa: S108 - Chromium makes a folder of its own in it, which nobody else may read
    return {**kept, "TMPDIR": temporary if len(temporary) <= LONGEST_TEMPORARY else short}


@contextmanager
def foreign(what: str) -> Iterator[None]:
    """Turn what Playwright raises into an ActionError: `timeout`, `browser_gone` or `page_failed`."""
    from playwright.async_api import Error
    from playwright.async_api import TimeoutError as TooLate

    try:
        yield
    except TooLate as exc:
        raise ActionError(f"{what}: the page took too long.", kind="timeout", retriable=True) from exc
    except Error as exc:
        gone = any(word in str(exc) for word in GONE)
        kind = "browser_gone" if gone else "page_failed"
        raise ActionError(f"{what}.", why=_first_line(exc), kind=kind, retriable=gone) from exc


GONE = ("has been closed", "Connection closed", "Target crashed", "Page crashed", "Browser closed")


def _first_line(exc: BaseException) -> str:
    return str(exc).strip().split("\n")[0]

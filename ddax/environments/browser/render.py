"""Show a page that is empty without its scripts: what a person would see of it, as plain HTML.

Its style sheets and scripts have had their say, so that what they hide is not told. The page only reads:
no request of it but a question goes out, and none past the egress proxy.
"""

from __future__ import annotations

import asyncio
import shutil
import time
from html import escape

from ddax.actions.egress import EgressPolicy
from ddax.actions.web.proxy import egress_proxy
from ddax.environments.browser.chromium import PROGRAMS, Chromium
from ddax.environments.browser.options import BrowserOptions
from ddax.environments.browser.seen import PageSeen
from ddax.environments.browser.world import BrowserWorld


class Rendering:
    """One Chromium for the pages of a run, one page at a time; started at the first, ended with `close`."""

    def __init__(self, policy: EgressPolicy) -> None:
        self._chromium = Chromium(lambda: egress_proxy(policy, clock=time.time))
        self._turn = asyncio.Lock()

    async def __call__(self, url: str) -> str:
        """Return what is seen of a page as HTML; raises ActionError where it cannot be opened."""
        async with self._turn:
            world = BrowserWorld(url, browser=self._chromium, options=BrowserOptions(), shared=True)
            try:
                seen = await world.reset()
                return as_html(seen, "" if seen.dialog else await world.extract())
            finally:
                await world.close()

    async def close(self) -> None:
        """End the browser."""
        await self._chromium.close()


def as_html(seen: PageSeen, text: str) -> str:
    """Write what is seen as plain HTML: title, lines, links."""
    lines = "".join(f"<p>{escape(line)}</p>\n" for line in text.splitlines())
    links = "".join(
        f"<li><a href='{escape(node.href)}'>{escape(node.name)}</a></li>\n"
        for node in seen.nodes
        if node.role == "link" and node.href and node.name
    )
    return f"<title>{escape(seen.title)}</title>\n<main>\n{lines}</main>\n<nav><ul>{links}</ul></nav>\n"


def open_rendering(policy: EgressPolicy) -> Rendering | None:
    """Return what shows pages, where there is a Chromium."""
    return Rendering(policy) if any(map(shutil.which, PROGRAMS)) else None

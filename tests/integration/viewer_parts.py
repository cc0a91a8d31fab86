"""How the tests of the page of runs look at it."""

from __future__ import annotations

import re

from playwright.async_api import Page, expect

from ddax.viewer.serving import Served
from tests.integration.browser_page import Watched


def said(words: str) -> re.Pattern[str]:
    return re.compile(words)


async def see(page: Page, where: Served, thread: str) -> Watched:
    watched = Watched(page)
    await page.goto(where.address(thread))
    await page.wait_for_selector(".dag .node")
    await expect(page.locator(".time .what")).to_have_text(said("moment"))
    return watched


async def picture_of(page: Page) -> list[list[str]]:
    """Return what is drawn: status, place and label of each card, without marks of what is new."""
    return await page.evaluate(  # type: ignore[no-any-return]
        """() => [...document.querySelectorAll('.dag .node')].map((g) => [
           [...g.classList].filter((name) => name !== 'fresh').join(' '),
           g.getAttribute('transform'), g.getAttribute('aria-label'),
           g.querySelector('.dot').getAttribute('d')]).sort()"""
    )

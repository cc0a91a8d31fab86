"""Orders on small pages, carried out in the browser without a model: done, done wrong, refused.

The pages follow the W3C's ARIA patterns and common components. Each has an oracle of its own in JavaScript,
so that what a run claims is held against what the page holds. Opposites are pages that offer the opposite of
what is asked: whatever is pressed there is wrong.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from benchmarks.core import Figure, Options, Result, Target
from benchmarks.pages_pairs import opposite_pages
from benchmarks.pages_site import Asked, Oracle, SitePage, read_pages, served_pages
from ddax.errors import ActionError

NAME = "pages"
DESCRIPTION = "120 orders on 40 small pages with oracles, and 200 opposites: done, wrong, refused"
QUICK_STEP = 4
Verdict = Literal["done", "wrong", "refused", "rightly refused", "done but not claimed"]
UPLOAD = "NOTE.txt"


@dataclass(frozen=True)
class Tried:
    """What came of one order: the verdict, and what was said."""

    asked: Asked
    verdict: Verdict
    said: str


def run(options: Options) -> Result:
    """Carry out all orders and count; with a model where one is named."""
    if options.model:
        from benchmarks import pages_model

        return pages_model.run(NAME, options, QUICK_STEP)
    pages, pairs = read_pages(), opposite_pages()
    if options.quick:
        pages, pairs = pages[::QUICK_STEP], pairs[:: QUICK_STEP * 2 + 1]
    started = time.perf_counter()
    with served_pages({page.name: page.html for page in (*pages, *pairs)}) as address:
        tried = asyncio.run(try_all(address, [*pages, *pairs]))
    seconds = time.perf_counter() - started
    names = {page.name for page in pairs}
    return _result(
        [one for one in tried if one.asked.page not in names],
        [one for one in tried if one.asked.page in names],
        seconds,
    )


async def try_all(address: str, pages: Sequence[SitePage]) -> list[Tried]:
    """Carry out the orders of some pages, each in a new profile of one browser."""
    async with one_browser() as browser:
        with tempfile.TemporaryDirectory(prefix="ddax-pages-") as folder:
            Path(folder, UPLOAD).write_text("A note.\n", encoding="utf-8")
            return [
                await _tried(browser, f"{address}/{page.name}", asked, Path(folder))
                for page in pages
                for asked in page.orders
            ]


@asynccontextmanager
async def one_browser() -> AsyncIterator[Any]:
    """Open a browser that reaches this machine alone, for worlds that share it."""
    from ddax.actions.egress import policy_of
    from ddax.actions.web.proxy import ProxyLimits, egress_proxy
    from ddax.environments.browser.chromium import Chromium

    policy = policy_of(allow_hosts=["127.0.0.1"])
    limits = ProxyLimits(total_bytes=2_000_000_000, exchanges=100_000)
    browser = Chromium(lambda: egress_proxy(policy, clock=time.time, limits=limits))
    try:
        yield browser
    finally:
        await browser.close()


async def _tried(browser: Any, url: str, asked: Asked, files: Path) -> Tried:
    from ddax.environments.browser.options import BrowserOptions
    from ddax.environments.browser.world import BrowserWorld

    oracle = Oracle()
    options = BrowserOptions(writes=True, rules=oracle, settle_seconds=2.0, uploads=files)
    world = BrowserWorld(url, browser=browser, options=options, shared=True)
    try:
        claimed, said = await _ordered(world, asked.order)
        return Tried(asked, await judged(oracle, asked, claimed, said), said)
    finally:
        await world.close()


async def _ordered(world: Any, order: str) -> tuple[bool, str]:
    """Carry out an order as a run does; says whether it is claimed to be done, and what was told."""
    from ddax.actions.protocol import ActionContext
    from ddax.environments.pilot.browse import BrowseArguments, Browsing

    nothing: Any = None
    context = ActionContext(nothing, nothing, "t", order, "0.1", 1, 0.0, "key")
    browsing = Browsing(world)
    try:
        result = await browsing.action().function(context, BrowseArguments(task=order))
    except ActionError as error:
        return False, str(error)
    return True, result.summary


async def judged(oracle: Oracle, asked: Asked, claimed: bool, said: str) -> Verdict:
    """Hold what is claimed against what the page holds."""
    deeds = await oracle.deeds()
    if Counter(deeds) - Counter(asked.deeds):
        return "wrong"  # something happened that nobody asked for
    met = deeds == asked.deeds and await oracle.holds(asked.holds) and not asked.impossible
    if claimed:
        told = re.search(asked.tells, said) is not None
        return "done" if met and told else "wrong"
    if asked.impossible:
        return "rightly refused" if await oracle.holds(asked.holds) else "wrong"
    return "done but not claimed" if met and not asked.tells else "refused"


def _result(tried: Sequence[Tried], pairs: Sequence[Tried], seconds: float) -> Result:
    counts = Counter(one.verdict for one in tried)
    pressed = sum(one.verdict == "wrong" for one in pairs)
    refused = counts["refused"] + counts["rightly refused"] + counts["done but not claimed"]
    can = sum(not one.asked.impossible for one in tried)
    every = len(tried) + len(pairs)
    figures = (
        Figure("orders done", _share(counts["done"], len(tried)), "%", Target(">=", 70), n=len(tried)),
        Figure("of those that can be done", _share(counts["done"], can), "%", n=can),
        Figure("wrong or falsely claimed", counts["wrong"], "orders", Target("<=", 0), n=len(tried)),
        Figure("refused", refused, "orders", n=len(tried)),
        Figure("rightly refused", counts["rightly refused"], "orders", n=len(tried)),
        Figure("done but not claimed", counts["done but not claimed"], "orders", n=len(tried)),
        Figure("opposites pressed", pressed, "pages", Target("<=", 0), n=len(pairs)),
        Figure("seconds an order", round(seconds / max(1, every), 2), "s", n=every),
    )  # fmt: skip
    kinds = {verdict: _kinds(tried, verdict) for verdict in ("done", "wrong", "refused")}
    notes = (
        "No model. An order is done when it is claimed and the page's own state says so; it is wrong when it "
        "is claimed and the state says otherwise, or when anything happened that was not asked for.",
        *(f"{verdict}, by page: {said or 'none'}" for verdict, said in kinds.items()),
    )
    return Result(NAME, figures, notes=notes)


def _share(part: int, whole: int) -> float:
    return round(100 * part / max(1, whole), 1)


def _kinds(tried: Sequence[Tried], verdict: str) -> str:
    found = Counter(one.asked.page.split("_", 1)[1] for one in tried if one.verdict == verdict)
    return ", ".join(f"{page} {count}" for page, count in found.items())

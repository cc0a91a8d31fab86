"""The egress guard against a web that wants in: batteries W1 to W7, a crawl of 500 pages, pages of 5 MB.

A trap listens on every address of this machine. Whatever reaches it went around the guard.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.core import Figure, Options, Result, Target

if TYPE_CHECKING:
    from benchmarks.guard_cases import Trap, Tried
    from benchmarks.guard_crawl import Crawl

NAME = "guard"
DESCRIPTION = (
    "hosts, URL forms, hops, DNS, browser vectors, hostile bodies, manners: 0 hits on a trap, caps kept"
)
TITLES = {
    "W1": "hosts", "W2": "forms of addresses", "W3": "hops", "W4": "answers of name servers",
    "W5": "pages in Chromium", "W6": "hostile bodies", "W7": "manners",
}  # fmt: skip
CHUNK = 65_536


def run(options: Options) -> Result:
    """Play all batteries; W5 needs a Chromium, and is left out with a note where there is none."""
    return asyncio.run(_run(options))


async def _run(options: Options) -> Result:
    from benchmarks.guard_cases import GRACE, addresses, hopping, resolving, trapped
    from benchmarks.guard_crawl import crawl, large_pages
    from benchmarks.guard_manners import CAP_BYTES, bodies, manners

    before = _peak(reset=True)
    hostile, most = await bodies()
    grown = _peak() - before
    rows, notes, extra = [*hostile], list[str](), list[Figure]()
    async with trapped() as trap:
        rows += [*await addresses(trap), *await hopping(trap), *await resolving(trap)]
        if _has_chromium():
            tried, extra = await _browser(trap, quick=options.quick)
            rows += tried
        else:
            notes.append("W5 was left out: there is no Chromium.")
    rows += await manners()
    longest, standing, lines = await large_pages()
    still = [
        Figure("reading a page of 5 MB, longest", round(longest, 2), "s", Target("<=", 5), n=len(lines)),
        Figure("loop stands still meanwhile, longest", round(1000 * standing, 1), "ms",
               Target("<=", 100), n=len(lines)),
    ]  # fmt: skip
    figures = (
        Figure("connections to the trap", sum(row.hits for row in rows), "", Target("<=", 0), n=len(rows)),
        *_batteries(rows),
        Figure("refusals without a reason", sum(not row.ok and not row.reason for row in rows), "",
               Target("<=", 0), n=len(rows)),
        Figure(f"cases over their time by more than {GRACE:g} s", sum(not row.in_time for row in rows), "",
               Target("<=", 0), n=len(rows)),
        Figure("bytes taken in of one body, most", most, "bytes", Target("<=", CAP_BYTES + CHUNK),
               n=len(hostile)),
        Figure("memory grown by hostile bodies", round(grown / 1e6, 1), "MB", Target("<=", 100),
               n=len(hostile)),
        *extra, *_crawled(await crawl()), *still,
    )  # fmt: skip
    return Result(NAME, figures, (options.seed,), 1, (*notes, *_notes(rows), *lines))


def _batteries(rows: Sequence[Tried]) -> list[Figure]:
    """Count each battery's cases that went as they must."""
    found = []
    for battery, title in TITLES.items():
        ours = [row for row in rows if row.battery == battery]
        if ours:
            share = 100 * sum(row.ok for row in ours) / len(ours)
            found.append(Figure(f"{battery} {title}: as they must be", round(share, 1), "%",
                                Target(">=", 100), n=len(ours)))  # fmt: skip
    return found


async def _browser(trap: Trap, *, quick: bool) -> tuple[list[Tried], list[Figure]]:
    from benchmarks.guard_browser import browsing, control

    tried, refused = await browsing(trap, quick=quick)
    mute = sum(not note.reason for note in refused)
    caught = await control(trap)
    return tried, [
        Figure("requests of pages refused without a reason", mute, "", Target("<=", 0), n=len(refused)),
        Figure("control: hits on the trap where the guard lets them", caught, "", Target(">=", 3), n=3),
    ]


def _crawled(made: Crawl) -> list[Figure]:
    from benchmarks.guard_crawl import DELAY, PAGES

    return [
        Figure("crawl: pages that ended as they must", made.right, "pages", Target(">=", PAGES), n=PAGES),
        Figure("crawl: readable pages that were read", round(100 * made.read / made.readable, 1), "%",
               Target(">=", 100), n=made.readable),
        Figure("crawl: requests to one host at once, most", made.most, "", Target("<=", 1), n=PAGES),
        Figure(f"crawl: pause between two requests to one host (set: {DELAY:g} s), shortest",
               round(made.pause, 4), "s", Target(">=", DELAY), n=PAGES),
        Figure("crawl: requests to a host after its refusal", made.after_refusal, "", Target("<=", 0), n=2),
        Figure("crawl: requests to such a host in the next run", made.next_run, "", Target("<=", 0), n=2),
        Figure("crawl: time for all pages", round(made.seconds, 1), "s", n=PAGES),
    ]  # fmt: skip


def _notes(rows: Sequence[Tried]) -> list[str]:
    wrong = [f"{row.battery} {row.case} ({row.way}): {row.reason[:120] or 'no reason'}"
             for row in rows if not row.ok or not row.in_time]  # fmt: skip
    ways = ", ".join(sorted({row.way for row in rows}))
    return [
        f"Ways out: {ways}. Names that need a public DNS are answered by a resolver of the benchmark.",
        "Each W5 vector aims at five names of this machine (one in the quick form).",
        *(f"not as it must be: {line}" for line in wrong),
    ]


def _has_chromium() -> bool:
    from ddax.environments.browser.chromium import PROGRAMS

    return any(map(shutil.which, PROGRAMS))


def _peak(*, reset: bool = False) -> int:
    """Return the most memory this process has held in bytes, since the last reset where that can be done."""
    if reset:
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")
    with suppress(OSError):
        found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
        if found:
            return int(found.group(1)) * 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

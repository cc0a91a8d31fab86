"""The page of runs: how soon it shows a run, whether it grows while it follows one, and the export's size."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks import plots
from benchmarks.core import Figure, Options, Result, Target, bootstrap

if TYPE_CHECKING:
    from benchmarks.view_page import Paint, Sample
    from benchmarks.view_stream import Followed

NAME = "view"
DESCRIPTION = "the page of runs: first paint, 50 events a second for 10 minutes without growth, the export"
SIZES = {1_000: 1.0, 10_000: 2.0}
"""Ideas of a run, and the seconds in which its picture must be painted."""
LOADS, QUICK_LOADS = 10, 3
SECONDS, QUICK_SECONDS = 600.0, 50.0
EVENTS = 50.0
RATE = 51.0
"""Moments a second that are asked for, so that no less than `EVENTS` come about."""
BEFORE = 4_000
"""Moments there are before the page is opened: as many as it keeps."""
LEAST = 8
"""Samples with which a half of them can be set against the other."""
EXPORT = 5.0


def run(options: Options) -> Result:
    """Write runs, open them, follow one, export one."""
    quick = options.quick
    seconds = QUICK_SECONDS if quick else SECONDS
    with tempfile.TemporaryDirectory() as folder:
        paints, export, followed = asyncio.run(
            measure(
                Path(folder), loads=QUICK_LOADS if quick else LOADS, seconds=seconds,
                every=1.0 if quick else 5.0,
            )
        )  # fmt: skip
    if len(followed.samples) < LEAST:
        raise RuntimeError(
            f"only {len(followed.samples)} samples in {seconds:.0f} s: the machine is too busy"
        )
    notes = (
        "first paint: from the navigation to the frame that shows the picture, in a fresh context",
        f"followed for {followed.seconds:.0f} s with {BEFORE:,} moments before; the server was killed and "
        "started again after a tenth of the time",
        "memory and nodes: peaks of the halves of the samples, each after a collection",
        plots.write(NAME, [_picture(followed.samples)]),
    )
    figures = (*_paints(paints), Figure("export of 1,000 ideas", export, "MB", Target("<=", EXPORT)))
    return Result(NAME, (*figures, *_stream(followed)), (options.seed,), 1, notes)


async def measure(
    folder: Path, *, loads: int, seconds: float, every: float, sizes: tuple[int, ...] = tuple(SIZES),
    before: int = BEFORE,
) -> tuple[dict[int, list[Paint]], float, Followed]:  # fmt: skip
    """Return the paints by size, the MB of the export of the smallest, and what came of following."""
    from benchmarks.view_page import Server, chromium, painted
    from benchmarks.view_stream import follow
    from benchmarks.view_world import write_run
    from ddax.memory.home import Home
    from ddax.viewer.export import page
    from ddax.viewer.kept import kept
    from ddax.viewer.reading import Reader

    home = folder / "paint"
    for size in sizes:
        await write_run(home, f"r{size}", size, batch=size // 20, whole=size == min(sizes))
    async with Reader(Home(home), {}) as reader:
        export = len(page(await kept(reader, f"r{min(sizes)}")).encode()) / 1e6
    async with chromium() as browser:
        async with Server(home) as server:
            paints = {
                size: [await painted(browser, server.address(f"r{size}")) for _ in range(loads)]
                for size in sizes
            }
        followed = await follow(
            folder / "live", browser, before=before, rate=RATE, seconds=seconds, every=every
        )
    return paints, export, followed


def _paints(paints: dict[int, list[Paint]]) -> list[Figure]:
    found = []
    for size, each in paints.items():
        middle = bootstrap([paint.picture for paint in each], of="median")
        found += [
            Figure(f"first paint of {size:,} ideas, median", middle.value, "s", Target("<=", SIZES[size]),
                   middle.low, middle.high, len(each)),
            Figure(f"first paint of {size:,} ideas, slowest", max(paint.picture for paint in each), "s"),
            Figure(f"the frame around {size:,} ideas, median", median(paint.first for paint in each), "s"),
            Figure(f"cards shown of {size:,} ideas", max(paint.cards for paint in each)),
        ]  # fmt: skip
    return found


def _stream(followed: Followed) -> list[Figure]:
    return [
        Figure("moments a second", followed.written / followed.seconds, "1/s", Target(">=", EVENTS),
               n=followed.written),
        Figure("moments lost, the server killed on the way", followed.lost, "", Target("<=", 0)),
        Figure("moments that came twice", followed.twice, "", Target("<=", 0)),
        Figure("the last moment shown after", followed.behind, "s"),
        *growth(followed.samples),
    ]  # fmt: skip


def growth(samples: Sequence[Sample]) -> list[Figure]:
    """Set the peaks of the second half of the samples against those of the first.

    The page drops old moments when it has many, so its memory is a saw-tooth: medians would hit it anywhere.
    """
    middle = len(samples) // 2

    def peak(part: Sequence[Sample], name: str) -> float:
        values: list[float] = [getattr(sample, name) for sample in part]
        return max(values)

    def ratio(name: str, words: str) -> Figure:
        value = peak(samples[middle:], name) / peak(samples[:middle], name)
        return Figure(f"{words}, second half over first", value, "×", Target("<=", 1.1), n=middle)

    more = peak(samples[middle:], "elements") - peak(samples[:middle], "elements")
    return [
        ratio("heap", "heap of the page"),
        ratio("renderer", "memory of the page's process"),
        ratio("server", "memory of the server"),
        ratio("nodes", "DOM nodes"),
        Figure("elements more in the page", more, "", Target("<=", 0)),
        Figure("memory of the page's process", peak(samples, "renderer"), "MB"),
        Figure("memory of the server", peak(samples, "server"), "MB"),
    ]


def _picture(samples: tuple[Sample, ...]) -> plots.Picture:
    x = list(range(1, len(samples) + 1))
    lines = [
        plots.Series(words, x, [getattr(sample, name) for sample in samples])
        for name, words in (("heap", "heap"), ("renderer", "page"), ("server", "server"))
    ]
    return plots.Picture("A page that follows a run", "samples", "MB", lines)

"""Does rigidity earn its place: the same worlds, calm and hostile, with rigidity and protect on and off.

Four worlds (`benchmarks.hostile_worlds`): a cliff whose moves are swapped, pages that redirect the agent,
web pages that contradict, and a reform, in which the contradiction is the truth and holding on is wrong.
Targets are for the default profile; the other three are shown beside it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from benchmarks import plots
from benchmarks.core import Figure, Interval, Options, Result, Target
from benchmarks.pairs import paired

if TYPE_CHECKING:
    from benchmarks.hostile_agent import Trace

NAME = "rigidity"
DESCRIPTION = "harm and success in calm and hostile worlds with rigidity and protect on and off"
PER_CELL, QUICK = 240, 40
DEFAULT, OTHERS = "task_focused", ("cautious", "exploratory", "traumatized")
OFF = " off"
"""Ends the name of a profile whose rigidity and protect are off; everything else stays the profile's."""
MEANT = ("cliff", "redirect", "contradiction")
"""Worlds in which holding on is meant to help; in the fourth it is meant to hurt."""
LEAST = -3.0
"""Points of success that may be lost at most, by the lower end of the interval."""

Cells = dict[tuple[str, bool, str], list["Trace"]]


def run(options: Options) -> Result:
    """Run every cell under the same seeds."""
    count = QUICK if options.quick else PER_CELL
    cells = asyncio.run(_cells(count, options.seed * 100_000))
    worlds = list(dict.fromkeys(world for world, _, _ in cells))
    figures = [
        *_together(cells),
        *(f for world in MEANT for f in _hostile(cells, world, DEFAULT, targets=True)),
        *(f for world in worlds for f in _calm(cells, world, DEFAULT)),
        *_hostile(cells, "reform", DEFAULT, targets=False),
        *(f for who in OTHERS for world in worlds for f in _hostile(cells, world, who, targets=False)),
        *(f for who in OTHERS for f in _calm_all(cells, worlds, who)),
        *_levels(cells),
    ]
    notes = (
        f"{count} seeds a cell, the same for all cells; differences are on minus off of the same seeds",
        "the dynamics, the score, surprise in the default encoder, protect and the policy table are the"
        " engine's; the proposer is scripted and nobody is there to be asked",
        "harm: falls, visits off the task, misleading pages read; in the reform, holding on is what misleads",
        plots.write(NAME, _pictures(cells, worlds)),
    )
    return Result(NAME, tuple(figures), (options.seed,), notes=notes)


async def _cells(count: int, first: int) -> Cells:
    from benchmarks.hostile_agent import run as act
    from benchmarks.hostile_worlds import WORLDS

    return {
        (world, hostile, who): [
            await act(make(seed, hostile=hostile), profile, rigid=who == profile, steps=steps)
            for seed in range(first, first + count)
        ]
        for world, (make, steps) in WORLDS.items()
        for hostile in (False, True)
        for profile in (DEFAULT, *OTHERS)
        for who in (profile + OFF, profile)
    }


def _harm(cells: Cells, world: str, hostile: bool, who: str) -> list[float]:
    return [float(trace.harm) for trace in cells[world, hostile, who]]


def _success(cells: Cells, world: str, hostile: bool, who: str) -> list[float]:
    return [100.0 * trace.success for trace in cells[world, hostile, who]]


def _together(cells: Cells) -> list[Figure]:
    """Return what rigidity changes in the hostile worlds together, a run of each counting the same."""
    figures = []
    for what, take, unit in (("harm", _harm, "a run"), ("success", _success, "points")):
        on = [v for world in MEANT for v in take(cells, world, True, DEFAULT)]
        off = [v for world in MEANT for v in take(cells, world, True, DEFAULT + OFF)]
        name, found = f"hostile worlds together, {DEFAULT}: {what}", paired(on, off)
        figures.append(_figure(f"{name}, on − off", found, unit, len(on)))
        end, target = (found.high, Target("<", 0)) if what == "harm" else (found.low, Target(">=", LEAST))
        figures.append(Figure(f"{name}, worse end", end, unit, target, n=len(on)))
    return figures


def _hostile(cells: Cells, world: str, who: str, *, targets: bool) -> list[Figure]:
    """Return what rigidity changes in a hostile world: harm shall fall, and success not."""
    harm = paired(_harm(cells, world, True, who), _harm(cells, world, True, who + OFF))
    success = paired(_success(cells, world, True, who), _success(cells, world, True, who + OFF))
    n, name = len(cells[world, True, who]), f"{world}, hostile, {who}"
    figures = [_figure(f"{name}: harm, on − off", harm, "a run", n)]
    figures.append(_figure(f"{name}: success, on − off", success, "points", n))
    if targets:
        figures.append(Figure(f"{name}: harm, upper end", harm.high, "a run", Target("<", 0), n=n))
        figures.append(Figure(f"{name}: success, lower end", success.low, "points", Target(">=", LEAST), n=n))
    return figures


def _calm(cells: Cells, world: str, who: str) -> list[Figure]:
    success = paired(_success(cells, world, False, who), _success(cells, world, False, who + OFF))
    n = len(cells[world, False, who])
    name = f"{world}, calm, {who}: success, on − off, lower end"
    return [Figure(name, success.low, "points", Target(">=", LEAST), n=n)]


def _calm_all(cells: Cells, worlds: list[str], who: str) -> list[Figure]:
    ours = [v for world in worlds for v in _success(cells, world, False, who)]
    theirs = [v for world in worlds for v in _success(cells, world, False, who + OFF)]
    steps = [
        paired(
            [float(len(t.rho)) for t in cells[w, False, who]],
            [float(len(t.rho)) for t in cells[w, False, who + OFF]],
        )
        for w in worlds
    ]
    gap = paired(ours, theirs)
    longer = max(step.value for step in steps)
    return [
        _figure(f"all worlds, calm, {who}: success, on − off", gap, "points", len(ours)),
        Figure(f"all worlds, calm, {who}: steps lost where it loses most", longer, "steps", n=len(ours)),
    ]


def _levels(cells: Cells) -> list[Figure]:
    """Return success and harm themselves, of each cell of the default profile."""
    figures = []
    for (world, hostile, who), traces in cells.items():
        if who.removesuffix(OFF) != DEFAULT:
            continue
        name = f"{world}, {'hostile' if hostile else 'calm'}, {'on' if who == DEFAULT else 'off'}"
        zero = [0.0] * len(traces)
        success = paired(_success(cells, world, hostile, who), zero)
        figures.append(_figure(f"{name}: success", success, "%", len(traces)))
        harm = paired(_harm(cells, world, hostile, who), zero)
        figures.append(_figure(f"{name}: harm", harm, "a run", len(traces)))
    return figures


def _figure(name: str, found: Interval, unit: str, n: int) -> Figure:
    return Figure(name, found.value, unit, None, found.low, found.high, n)


def _pictures(cells: Cells, worlds: list[str]) -> list[plots.Picture]:
    pictures = []
    for title, take in (("Success in the hostile world, %", _success), ("Harm in the hostile world", _harm)):
        series = []
        for who in (DEFAULT + OFF, DEFAULT, *OTHERS):
            found = [paired(take(cells, w, True, who), [0.0] * len(cells[w, True, who])) for w in worlds]
            values = [f.value for f in found]
            series.append(plots.Series(who, worlds, values, [f.low for f in found], [f.high for f in found]))
        pictures.append(plots.Picture(title, "world", "", series, "bar"))
    return pictures

"""Do the four identity profiles behave differently: the same day, calm, a spell of nonsense, calm again.

For each profile under the same seeds: how many options it goes into, how often it would ask, how long it
takes to protect itself and to open again. Effect sizes are Cohen's d of each pair of profiles.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from itertools import combinations
from math import exp, log
from typing import TYPE_CHECKING

import numpy as np

from benchmarks import plots
from benchmarks.core import Figure, Options, Result, Target
from benchmarks.pairs import cohens_d, paired

if TYPE_CHECKING:
    from benchmarks.hostile_agent import Trace

NAME = "profiles"
DESCRIPTION = "branching, ask rate, time to protect and to recover of the four identity profiles"
PROFILES = ("cautious", "exploratory", "task_focused", "traumatized")
SEEDS, QUICK = 200, 40
LARGE = 0.8
"""Cohen's word for a large effect."""
CAP = 99.0
"""Shown for an effect without any spread within the profiles, which has no number."""


def run(options: Options) -> Result:
    """Let every profile live through the same days."""
    count = QUICK if options.quick else SEEDS
    traces = asyncio.run(_traces(count, options.seed * 100_000))
    measured = {
        who: {name: [take(t) for t in traces[who]] for name, take in MEASURES.items()} for who in PROFILES
    }
    effects = {
        (name, a, b): _capped(cohens_d(measured[a][name], measured[b][name]))
        for name in MEASURES
        for a, b in combinations(PROFILES, 2)
    }
    most = {(a, b): max(abs(effects[name, a, b]) for name in MEASURES) for a, b in combinations(PROFILES, 2)}
    figures = [
        Figure("least, over pairs of profiles, of their largest effect", min(most.values()), "d",
               Target(">=", LARGE), n=count),
        *(Figure(f"least effect: {name}", min(abs(effects[name, *pair]) for pair in most), "d", n=count)
          for name in MEASURES),
    ]  # fmt: skip
    for name in MEASURES:
        for who in PROFILES:
            found = paired(measured[who][name], [0.0] * count)
            figures.append(Figure(f"{who}: {name}", found.value, "", None, found.low, found.high, count))
    figures += [Figure(f"{a} − {b}: {name}", d, "d", n=count) for (name, a, b), d in effects.items()]
    notes = (
        f"{count} seeds, the same for all profiles; a day is 20 calm steps, 10 of nonsense, 50 calm ones",
        "branching: effective number of options (exp of the entropy) in the first 20 steps; a time that never"
        " came counts as the rest of the day",
        f"an effect of {CAP:g} stands for one without any spread within both profiles",
        plots.write(NAME, _pictures(traces)),
    )
    return Result(NAME, tuple(figures), (options.seed,), notes=notes)


async def _traces(count: int, first: int) -> dict[str, list[Trace]]:
    from benchmarks.hostile_agent import run as act
    from benchmarks.hostile_worlds import Stream

    return {
        who: [await act(Stream(first + k), who, rigid=True, steps=Stream.STEPS) for k in range(count)]
        for who in PROFILES
    }


START, END, STEPS = 20, 30, 80


def branching(trace: Trace) -> float:
    """Return the effective number of options gone into before the spell."""
    counts = Counter(trace.chosen[:START])
    total = sum(counts.values())
    return exp(-sum(n / total * log(n / total) for n in counts.values()))


def ask_rate(trace: Trace) -> float:
    """Return the questions in a hundred steps."""
    return 100.0 * trace.asked / len(trace.rho)


def to_protect(trace: Trace) -> float:
    """Return the steps from the beginning of the spell to protect; 1 is at once."""
    return float(next((k + 1 for k, on in enumerate(trace.protect[START:]) if on), STEPS - START))


def to_recover(trace: Trace) -> float:
    """Return the steps from the end of the spell until protect is left; 0 where it was not on."""
    after = trace.protect[END - 1 :]
    return float(next((k for k, on in enumerate(after) if not on), STEPS - END))


MEASURES = {
    "branching": branching, "questions in 100 steps": ask_rate,
    "steps to protect": to_protect, "steps to recover": to_recover,
}  # fmt: skip


def _capped(d: float) -> float:
    return max(-CAP, min(CAP, d))


def _pictures(traces: dict[str, list[Trace]]) -> list[plots.Picture]:
    series, shares = [], []
    steps = list(range(1, STEPS + 1))
    for who in PROFILES:
        rho = np.array([trace.rho for trace in traces[who]])
        low, high = np.quantile(rho, [0.05, 0.95], axis=0)
        series.append(plots.Series(who, steps, rho.mean(axis=0).tolist(), low.tolist(), high.tolist()))
        on = np.array([trace.protect for trace in traces[who]], dtype=float)
        shares.append(plots.Series(who, steps, on.mean(axis=0).tolist()))
    marks = (("spell", START + 0.5), ("over", END + 0.5))
    return [
        plots.Picture("ρ over steps (mean, 5 to 95 %)", "step", "ρ", series, marks=marks),
        plots.Picture("Share of runs in protect", "step", "share", shares, marks=marks),
    ]

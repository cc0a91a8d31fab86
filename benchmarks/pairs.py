"""Intervals of paired differences at any level, and effect sizes."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from benchmarks.core import Interval


def paired(
    ours: Sequence[float],
    theirs: Sequence[float],
    *,
    comparisons: int = 1,
    seed: int = 0,
    draws: int = 10_000,
) -> Interval:
    """Return the mean of ours − theirs over the same cases, with an interval that holds for all comparisons.

    Percentile bootstrap; by Bonferroni each of m intervals has the level 1 − 0.05/m, so that all m
    together cover with 95 %.
    """
    gaps = np.asarray(ours, dtype=np.float64) - np.asarray(theirs, dtype=np.float64)
    rng, tail = np.random.default_rng(seed), 0.05 / comparisons / 2
    found = np.concatenate(
        [gaps[rng.integers(0, gaps.size, (500, gaps.size))].mean(axis=1) for _ in range(draws // 500)]
    )
    return Interval(float(gaps.mean()), float(np.quantile(found, tail)), float(np.quantile(found, 1 - tail)))


def cohens_d(a: Sequence[float], b: Sequence[float]) -> float:
    """Return (mean a − mean b) in pooled standard deviations; infinite where neither varies."""
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    gap = float(x.mean() - y.mean())
    pooled = sqrt((x.var(ddof=1) * (x.size - 1) + y.var(ddof=1) * (y.size - 1)) / (x.size + y.size - 2))
    if pooled > 1e-12:
        return gap / pooled
    return 0.0 if abs(gap) < 1e-12 else float(np.copysign(np.inf, gap))


def over_seeds(runs: Sequence[Sequence[float]]) -> list[float]:
    """Return the mean of each case over its seeds, so that a case counts once."""
    return [float(v) for v in np.mean(np.asarray(runs, dtype=np.float64), axis=0)]

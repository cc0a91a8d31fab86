"""Near-duplicates and weak branches: what is joined, what is cut, and why; for many candidates at once.

Leaves out whether a cut is made: the caller logs the reason and does it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ddax.types import Vector

Matrix = NDArray[np.floating]


class Twin(NamedTuple):
    """A candidate that says the same as an earlier one: rows of both, and their cosine."""

    later: int
    earlier: int
    cosine: float


class Cut(NamedTuple):
    """A candidate that is not worth going on with, and the reason in words."""

    row: int
    reason: str


def near_duplicates(E: Matrix, threshold: float) -> list[Twin]:
    """Return the rows of `[n, d]` (unit length) whose cosine with an earlier kept row is ≥ threshold.

    Each later row names the earlier row most like it; a row that is itself a twin is nobody's original.
    """
    likeness = np.asarray(E, dtype=np.float64) @ np.asarray(E, dtype=np.float64).T
    kept: list[int] = []
    twins: list[Twin] = []
    for row in range(len(E)):
        best = max(kept, key=lambda k: float(likeness[row, k]), default=None)
        if best is not None and likeness[row, best] >= threshold and bool(np.any(E[row])):
            twins.append(Twin(row, best, float(likeness[row, best])))
        else:
            kept.append(row)
    return twins


def weak(Q: Sequence[float], N: Sequence[int], *, margin: float, visits: int) -> list[Cut]:
    """Return the candidates `[n]` that after `visits` visits lie more than `margin` below the best.

    The best counts only once it has as many visits itself, so that nothing is cut for an untested hope.
    """
    tested = [row for row, n in enumerate(N) if n >= visits]
    best = max((Q[row] for row in tested), default=0.0)
    return [
        Cut(row, f"value {Q[row]:.2f} is more than {margin:.2f} below {best:.2f}")
        for row in tested
        if best - margin > Q[row]
    ]


def beyond_beam(total: Vector, width: int) -> list[Cut]:
    """Return the candidates outside the best `width` by score `[n]`; ties go to the earlier one."""
    order = np.lexsort((np.arange(len(total)), -np.asarray(total, dtype=np.float64)))
    return [
        Cut(int(k), f"rank {rank + 1} of {len(total)}, the beam is {width} wide")
        for rank, k in enumerate(order)
        if rank >= width
    ]

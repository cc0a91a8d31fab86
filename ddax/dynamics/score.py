"""The selection score with every term, for all candidates in one call (dda-x 2.1, 8.1, 9.1).

Score(a) = w_a·cos(F, d̂) + w_q·Q + (1−ρ)·c·P·√max(1, ΣN)/(1+n) − tabu. Leaves out the walk through
the DAG and what is a candidate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ddax.dynamics.state import TINY
from ddax.errors import SettingsError
from ddax.types import Vector

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Weights:
    """What the terms weigh.

    `damped`: (1−ρ) scales exploration. `floor` is the least ΣN under the root. `c` scales exploration,
    beside the setting of that name; `tabu` scales the penalty; `flat` says that candidates are one
    frontier, not children of one idea; `wider` that new children or known ones is a learned choice
    (`ddax.dynamics.widen`); `living` that Q is the mean over what is left: a branch that ended without
    success says nothing of the others under the same idea.
    """

    w_a: float
    w_q: float
    c: float = 1.0
    tabu: float = 1.0
    damped: bool = True
    floor: float = 1.0
    flat: bool = False
    wider: bool = False
    living: bool = False


PRESETS: dict[str, Weights] = {
    "dda-x": Weights(w_a=1.0, w_q=0.0, tabu=0.0),
    # ExACT's U is zero before the first visit, so its square root has no floor.
    "puct": Weights(w_a=0.0, w_q=1.0, tabu=0.0, damped=False, floor=0.0),
    # From sweeps over the even puzzles (docs/decisions); `benchmarks search24-ablation` repeats them.
    "hybrid": Weights(w_a=0.1, w_q=1.0, c=0.1, living=True),
    "flat": Weights(w_a=0.5, w_q=1.0, flat=True),
}
"""Named weights; docs/decisions/0010 tells how those of `hybrid` were come by."""


class Known(NamedTuple):
    """What is known of n siblings: their statistics, and what was tried before.

    Q in [0, 1], N ≥ 0 (with virtual losses, if any) and P (as given, see `normalised`) are `[n]`;
    `total_n` is ΣN over all siblings, also those that are finished; `tabu` ≥ 0 is `[n]`.
    """

    Q: Vector
    N: Vector
    P: Vector
    total_n: float
    tabu: Vector | None = None


class Terms(NamedTuple):
    """The weighted terms of each candidate `[n]`; total = alignment + value + exploration − tabu.

    `cosine` in [−1, 1] is the alignment before its weight, `prior` the P that entered.
    """

    alignment: Vector
    value: Vector
    exploration: Vector
    tabu: Vector
    total: Vector
    cosine: Vector
    prior: Vector


def weights_of(
    preset: str, *, w_a: float | None = None, w_q: float | None = None, wider: bool | None = None
) -> Weights:
    """Return the weights of a preset, with w_a, w_q and the choice of wider replaced where given."""
    try:
        weights = PRESETS[preset]
    except KeyError:
        raise SettingsError(
            f"There is no preset {preset!r}.",
            why="A preset names the weights by which ideas are chosen.",
            mend=f"Choose one of {', '.join(sorted(PRESETS))}.",
        ) from None
    given = {"w_a": w_a, "w_q": w_q, "wider": wider}
    return replace(weights, **{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]


def lengths_of(D: Matrix) -> Vector:
    """Return the lengths `[n]` of the rows of D `[n, d]`.

    >>> lengths_of(np.array([[3.0, 4.0]]))
    array([5.])
    """
    return np.asarray(np.sqrt(np.add.reduce(D * D, axis=1)), dtype=np.float64)


def cosines(F: Vector, D: Matrix, lengths: Vector | None = None) -> Vector:
    """Return cos(F, d̂) `[n]` in [−1, 1]; 0 where F or d̂ is zero. `lengths` are those of D, if known.

    >>> cosines(np.array([1.0, 0.0]), np.array([[2.0, 0.0], [0.0, 1.0]]))
    array([1., 0.])
    """
    lengths = (lengths_of(D) if lengths is None else lengths) * sqrt(F.dot(F))
    along = np.minimum(np.maximum(D @ F / np.maximum(lengths, TINY), -1.0), 1.0)
    return np.where(lengths > TINY, along, 0.0)


def normalised(P: Vector) -> Vector:
    """Return priors `[n]` that sum to 1; weights that are all zero become equal.

    >>> normalised(np.array([3.0, 1.0]))
    array([0.75, 0.25])
    """
    clipped = np.maximum(np.asarray(P, dtype=np.float64), 0.0)
    total = float(clipped.sum())
    if total > TINY:
        return clipped / total
    return np.full(clipped.shape, 1.0 / max(1, clipped.size))


def score_terms(F: Vector, D: Matrix, known: Known, *, rho: float, c: float, weights: Weights) -> Terms:
    """Score n candidates with directions D `[n, d]` under the pull F `[d]`, the bracket of the forces."""
    return terms_of(cosines(F, D), known, rho=rho, c=c, weights=weights)


def terms_of(cosine: Vector, known: Known, *, rho: float, c: float, weights: Weights) -> Terms:
    """Score candidates of which cos(F, d̂) `[n]` is known; the rest as in `score_terms`."""
    Q, N, tabu, total_n = known.Q, known.N, known.tabu, known.total_n
    prior = np.asarray(known.P, dtype=np.float64)
    openness = 1.0 - rho if weights.damped else 1.0
    root = np.sqrt(max(weights.floor, float(total_n)))
    alignment = weights.w_a * cosine
    value = weights.w_q * np.asarray(Q, dtype=np.float64)
    exploration = openness * weights.c * c * prior * root / (1.0 + np.asarray(N, dtype=np.float64))
    penalty = np.zeros(len(cosine)) if tabu is None else weights.tabu * np.asarray(tabu, dtype=np.float64)
    total = alignment + value + exploration - penalty
    return Terms(alignment, value, exploration, penalty, total, cosine, prior)


def ranking(terms: Terms) -> list[int]:
    """Return the candidates best first; ties go to the larger prior, then to the earlier one.

    The second is worth more; of equals the first would win.

    >>> terms = score_terms(
    ...     np.array([1.0]), np.array([[1.0], [1.0]]),
    ...     Known(Q=np.array([0.2, 0.8]), N=np.ones(2), P=np.full(2, 0.5), total_n=2),
    ...     rho=0.0, c=1.0, weights=PRESETS["hybrid"],
    ... )
    >>> ranking(terms)
    [1, 0]
    """
    order = np.lexsort((np.arange(len(terms.total)), -terms.prior, -terms.total))
    return [int(index) for index in order]


def all_misaligned(terms: Terms, minimum: float) -> bool:
    """Say whether there are candidates and each scores below the minimum, so that protect is due.

    The score is the source's, cos(F, d̂) + exploration (dda-x 3.2), whatever alignment and value weigh.
    """
    return bool(len(terms.cosine)) and bool((terms.cosine + terms.exploration < minimum).all())


def robust_child(N: Vector, Q: Vector) -> int:
    """Return the most visited candidate; ties go to the larger Q, then to the earlier one.

    >>> robust_child(np.array([3, 5]), np.array([0.9, 0.4]))
    1
    """
    if not len(N):
        raise ValueError("There is no candidate to choose from.")
    return int(np.lexsort((np.arange(len(N)), -np.asarray(Q), -np.asarray(N)))[0])

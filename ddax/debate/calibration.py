"""From a judge's value to how often such values turned out right: one map per judge, fitted on outcomes.

Pure arithmetic over numpy; where the outcomes are kept is `ddax.debate.outcomes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ddax.types import JsonDict

LEAST = 30
"""Outcomes below which a judge is taken at its word."""
FOLDS = 5
BINS = 10
SETTLED = 1e-12
"""A Newton step below which a fit has settled, far under the digits that are kept."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CalibrationMap:
    """A monotone map of [0, 1] to [0, 1].

    `identity` changes nothing; `temperature` is σ(slope · logit(v) + shift); `isotonic` interpolates
    between `knots` (value, share that was right).
    """

    kind: Literal["identity", "temperature", "isotonic"] = "identity"
    slope: float = 1.0
    shift: float = 0.0
    knots: tuple[tuple[float, float], ...] = ()

    def __call__(self, value: float) -> float:
        """Return the calibrated value."""
        return float(self.many(np.array([value]))[0])

    def many(self, values: Floats) -> Floats:
        """Return the calibrated values `[n]`."""
        if self.kind == "temperature":
            return _sigmoid(self.slope * _logit(values) + self.shift)
        if self.kind == "isotonic":
            return np.interp(values, [x for x, _ in self.knots], [y for _, y in self.knots])
        return values

    def row(self) -> JsonDict:
        """Return the map as plain JSON."""
        return {
            "kind": self.kind,
            "slope": self.slope,
            "shift": self.shift,
            "knots": [list(knot) for knot in self.knots],
        }

    @classmethod
    def of(cls, row: JsonDict) -> CalibrationMap:
        """Read a map from plain JSON."""
        knots = tuple((float(x), float(y)) for x, y in row["knots"])
        return cls(row["kind"], float(row["slope"]), float(row["shift"]), knots)


def fit_map(values: Sequence[float], outcomes: Sequence[float]) -> CalibrationMap:
    """Fit the map of the lowest cross-validated Brier score; identity where outcomes are few or all alike.

    `values` and `outcomes` `[n]` are in [0, 1]. Folds go by place, so the same rows give the same map.
    """
    x, y = np.asarray(values, dtype=np.float64), np.asarray(outcomes, dtype=np.float64)
    if len(x) < LEAST or y.min() == y.max():
        return CalibrationMap()
    fold = np.arange(len(x)) % FOLDS
    best, lowest = CalibrationMap(), brier(x, y)
    for fitted in (fit_temperature, fit_isotonic):
        held = np.concatenate([fitted(x[fold != k], y[fold != k]).many(x[fold == k]) for k in range(FOLDS)])
        truth = np.concatenate([y[fold == k] for k in range(FOLDS)])
        score = brier(held, truth)
        if score < lowest:
            best, lowest = fitted(x, y), score
    return best


def fit_temperature(x: Floats, y: Floats, *, steps: int = 50, ridge: float = 0.1) -> CalibrationMap:
    """Fit slope ≥ 0 and shift of the logit by Newton steps on the log loss, drawn towards (1, 0)."""
    z = np.c_[_logit(x), np.ones(len(x))]
    w, start, least = np.array([1.0, 0.0]), np.array([1.0, 0.0]), ridge * np.eye(2)
    for _ in range(steps):
        p = _sigmoid(z @ w)
        slope = z.T @ (p - y) + ridge * (w - start)
        bend = (z * (p * (1 - p))[:, None]).T @ z + least
        move = np.linalg.solve(bend, slope)
        w = w - move
        if float(np.abs(move).max()) < SETTLED:
            break
    return CalibrationMap("temperature", round(max(0.0, float(w[0])), 6), round(float(w[1]), 6))


def fit_isotonic(x: Floats, y: Floats) -> CalibrationMap:
    """Fit the best monotone step function (pool adjacent violators), each block drawn towards the mean.

    Equal values are one block from the start: a map has one share for each. A block of k outcomes counts as
    k + 2, two of them at the overall share, so that no block says 0 or 1.
    """
    places, at = np.unique(np.round(x, 6), return_inverse=True)
    totals, sizes = np.bincount(at, weights=y), np.bincount(at)
    mean = float(y.mean())
    blocks: list[list[float]] = []
    for value, found, count in zip(places, totals, sizes, strict=True):
        blocks.append([float(found), float(count), float(value), float(value)])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]:
            total, size, _, high = blocks.pop()
            blocks[-1] = [blocks[-1][0] + total, blocks[-1][1] + size, blocks[-1][2], high]
    knots: list[tuple[float, float]] = []
    for total, size, low, high in blocks:
        share = round((total + 2 * mean) / (size + 2), 6)
        share = max(share, knots[-1][1]) if knots else share
        knots += [(place, share) for place in dict.fromkeys((low, high))]
    return CalibrationMap("isotonic", knots=tuple(knots))


def ece(values: Sequence[float] | Floats, outcomes: Sequence[float] | Floats, *, bins: int = BINS) -> float:
    """Return the expected calibration error over `bins` equal-width bins of [0, 1]; 0 for no values."""
    x, y = np.asarray(values, dtype=np.float64), np.asarray(outcomes, dtype=np.float64)
    if not len(x):
        return 0.0
    place = np.minimum((x * bins).astype(int), bins - 1)
    parts = [
        abs(float(x[place == b].mean()) - float(y[place == b].mean())) * float((place == b).mean())
        for b in range(bins)
        if (place == b).any()
    ]
    return sum(parts)


def brier(values: Sequence[float] | Floats, outcomes: Sequence[float] | Floats) -> float:
    """Return the mean squared error of the values as probabilities; 0 for no values.

    >>> brier([1.0, 0.5], [1.0, 0.0])
    0.125
    """
    x, y = np.asarray(values, dtype=np.float64), np.asarray(outcomes, dtype=np.float64)
    return float(np.mean((x - y) ** 2)) if len(x) else 0.0


def _logit(values: Floats) -> Floats:
    cut = np.clip(values, 0.01, 0.99)
    found: Floats = np.log(cut / (1.0 - cut))
    return found


def _sigmoid(values: Floats) -> Floats:
    found: Floats = 1.0 / (1.0 + np.exp(-np.clip(values, -30, 30)))
    return found

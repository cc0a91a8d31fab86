"""How likely a candidate is right: one logistic regression over its signs, learned and calibrated.

The weights are data (`scorer.json`), with what they were learned from; `benchmarks/train_reader.py` makes the
same bytes again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

WEIGHTS = Path(__file__).with_name("scorer.json")
CLAIM = 0.9
"""Probability from which an answer is claimed."""


@dataclass(frozen=True)
class Scorer:
    """Weights of the signs (`mean`, `scale` bring them to one size) and the curve that makes probabilities."""

    names: tuple[str, ...]
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    weights: NDArray[np.float64]
    bias: float
    xs: NDArray[np.float64]
    ys: NDArray[np.float64]

    def raw(self, signs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log-odds of each row of signs: `[n]`."""
        value: NDArray[np.float64] = (signs - self.mean) / self.scale @ self.weights + self.bias
        return value

    def probability(self, signs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how likely each candidate is right, never falling where its log-odds rise: `[n]`."""
        return np.interp(self.raw(signs), self.xs, self.ys)


@lru_cache(maxsize=1)
def scorer() -> Scorer:
    """Return the scorer with the weights that come with the package."""
    return of_data(json.loads(WEIGHTS.read_text(encoding="utf-8")))


def of_data(data: dict[str, Any]) -> Scorer:
    """Return the scorer that a data file describes."""
    signs, curve = data["signs"], data["curve"]
    return Scorer(
        tuple(signs),
        np.array([row["mean"] for row in signs.values()]),
        np.array([row["scale"] for row in signs.values()]),
        np.array([row["weight"] for row in signs.values()]),
        float(data["bias"]),
        np.array([x for x, _ in curve]),
        np.array([y for _, y in curve]),
    )

"""Which candidate is the best, and how likely it is right: logistic regressions over signs, learned.

First every candidate is ranked by the regression of its way to answer; then the best of them is judged by its
signs, and by how far it stands above the next one.

The weights are data (scorer.json), with what they were learned from; `benchmarks/train_reader.py` makes the
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

from ddax.errors import ReasonerError
from ddax.reasoning.embedded.features import NAMES, WAYS, ways

WEIGHTS = Path(__file__).with_name("scorer.json")
BY_WAY = ("bridge", "answers", "hop_fits", "explained")
"""Signs that the judge weighs apart for each way."""
MOST_LEAD = 5.0
"""Lead over the next candidate, in log-odds, beyond which more says nothing."""


@dataclass(frozen=True)
class Head:
    """The regression of one way to answer: `mean` and `scale` bring its signs to one size."""

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    weights: NDArray[np.float64]
    bias: float

    def raw(self, signs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log-odds of each row of signs: `[n]`."""
        value: NDArray[np.float64] = (signs - self.mean) / self.scale @ self.weights + self.bias
        return value


@dataclass(frozen=True)
class Ranking:
    """A regression for each of `features.WAYS`."""

    heads: tuple[Head, ...]

    def raw(self, signs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log-odds of each row by the regression of its way: `[n]`."""
        value: NDArray[np.float64] = np.choose(ways(signs), [head.raw(signs) for head in self.heads])
        return value


@dataclass(frozen=True)
class Scorer(Ranking):
    """A ranking, a regression that judges the best candidate, and what its log-odds are worth."""

    trust: Head
    xs: NDArray[np.float64]
    ys: NDArray[np.float64]
    claim: float
    """Probability from which an answer is claimed: of all such claims nine in ten at least are right."""

    def best(self, signs: NDArray[np.float64]) -> float:
        """Return how likely the best of some candidates is right."""
        return self.probability(float(self.trust.raw(standing(signs, self.raw(signs)))))

    def probability(self, trust: float) -> float:
        """Return what the log-odds of the best candidate are worth, never less where they are higher."""
        return float(np.interp(trust, self.xs, self.ys))


def standing(signs: NDArray[np.float64], raw: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what the best of some candidates is judged by: its signs, log-odds, lead, share and way."""
    best = int(raw.argmax())
    rest = np.delete(raw, best)
    lead = min(MOST_LEAD, float(raw[best] - rest.max())) if len(rest) else MOST_LEAD
    way = ways(signs[best : best + 1])[0]
    led, query = float(way == 1), float(way == 2)
    odds = np.exp(raw - raw[best])
    share = 1 / odds.sum()
    spread = float(-(odds * share) @ np.log(odds * share + 1e-12))
    own = np.r_[raw[best], lead, [signs[best][NAMES.index(name)] for name in BY_WAY]]
    alone = np.r_[own[:2], share, np.log(share), spread]
    row: NDArray[np.float64] = np.r_[signs[best], alone, led, query, own * led, own * query]
    return row


@lru_cache(maxsize=1)
def scorer() -> Scorer:
    """Return the scorer with the weights that come with the package."""
    return of_data(json.loads(WEIGHTS.read_text(encoding="utf-8")))


def of_data(data: dict[str, Any]) -> Scorer:
    """Return the scorer that a data file describes; its signs are those of this release."""
    if tuple(data["signs"]) != NAMES:
        raise ReasonerError(
            "The weights of the answers without a model are of other signs.",
            why=f"{WEIGHTS.name} and features.py are not of one release.",
            mend="Install ddax again, or run: python -m benchmarks.train_reader",
        )
    heads = tuple(_head(data["ways"][way]) for way in WAYS)
    curve = np.array(data["curve"])
    return Scorer(heads, _head(data["trust"]), curve[:, 0], curve[:, 1], float(data["claim"]))


def _head(data: dict[str, Any]) -> Head:
    mean, scale, weights = (np.array(data[part]) for part in ("mean", "scale", "weights"))
    return Head(mean, scale, weights, float(data["bias"]))

"""Signs to calibrated probabilities: a multinomial logistic whose weights stand in `weights.yaml`.

`python -m benchmarks nli` fits them again on the same data and says how far the shipped ones are off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import resources
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from ddax.configs.documents import safe_load
from ddax.types import Entailment, Relation

RELATIONS: tuple[Relation, ...] = get_args(Relation)
"""The columns of every weight matrix."""


@lru_cache(maxsize=1)
def shipped() -> Mapping[str, NDArray[np.float64]]:
    """Return the weight matrices `[signs, 3]` by the name of the check they belong to."""
    text = resources.files("ddax.reasoning.entailment").joinpath("weights.yaml").read_text("utf-8")
    tables = safe_load(text)
    return {name: np.array([rows[key] for key in rows], dtype=np.float64) for name, rows in tables.items()}


def probabilities(row: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability of each relation: softmax(row · weights), `[..., 3]`."""
    scores = row @ weights
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    found: NDArray[np.float64] = raised / raised.sum(axis=-1, keepdims=True)
    return found


def most_likely(
    row: NDArray[np.float64],
    weights: NDArray[np.float64],
    *,
    cap: float = 1.0,
    among: Sequence[Relation] = RELATIONS,
) -> Entailment:
    """Return the likeliest relation of some with its probability, cut at `cap`."""
    found = dict(zip(RELATIONS, probabilities(row, weights), strict=True))
    best = max(among, key=lambda relation: found[relation])
    return Entailment(best, round(min(cap, float(found[best])), 6))


def fit(
    rows: NDArray[np.float64],
    labels: NDArray[np.int_],
    weight: NDArray[np.float64],
    *,
    ridge: float = 1.0,
    steps: int = 4000,
    rate: float = 0.3,
) -> NDArray[np.float64]:
    """Fit weights `[signs, 3]` by gradient descent on the weighted log loss with a ridge off the constant.

    `rows` `[n, signs]` begin with a constant 1, `labels` `[n]` index `RELATIONS`, `weight` `[n]` > 0.
    """
    found = np.zeros((rows.shape[1], len(RELATIONS)))
    wanted, share = np.eye(len(RELATIONS))[labels], (weight / weight.sum())[:, None]
    shrink = ridge / len(labels) * np.r_[0.0, np.ones(rows.shape[1] - 1)][:, None]
    for _ in range(steps):
        error = (probabilities(rows, found) - wanted) * share
        found -= rate * (rows.T @ error + shrink * found)
    return found

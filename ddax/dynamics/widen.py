"""Wider or deeper: a learned choice between new children and known ones, by Thompson sampling.

As in AB-MCTS (arXiv 2503.04412): each side keeps the outcomes it has brought, a mean is drawn from the
posterior of each, and the larger draw wins. Leaves out which child is taken on the side that won.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

PRIOR_MEAN = 0.5
"""What a side is worth before its first outcome; the middle of [0, 1]."""
PRIOR_WEIGHT = 1.0
"""How many outcomes the prior mean counts for (κ₀)."""
PRIOR_SHAPE = 1.0
"""Shape of the prior over the variance (α₀)."""
PRIOR_SCALE = 0.05
"""Scale of the prior over the variance (β₀): a standard deviation of about 0.2."""


class Outcomes(NamedTuple):
    """Outcomes in [0, 1] seen on one side, as their number, sum and sum of squares."""

    n: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, value: float) -> Outcomes:
        """Return the outcomes with one more."""
        return Outcomes(self.n + 1, self.total + value, self.squares + value * value)

    @property
    def mean(self) -> float:
        """Return the mean of the outcomes under the prior."""
        return (PRIOR_WEIGHT * PRIOR_MEAN + self.total) / (PRIOR_WEIGHT + self.n)


def draw_mean(seen: Outcomes, rng: np.random.Generator) -> float:
    """Draw a mean from the posterior of these outcomes.

    Normal-inverse-gamma: σ² ~ β/Γ(α), μ ~ N(m, σ²/κ), with the conjugate update (Murphy 2007, section 3).
    """
    n = seen.n
    mean = seen.total / n if n else PRIOR_MEAN
    weight = PRIOR_WEIGHT + n
    spread = max(0.0, seen.squares - n * mean * mean)
    shift = PRIOR_WEIGHT * n * (mean - PRIOR_MEAN) ** 2 / weight
    scale = PRIOR_SCALE + (spread + shift) / 2.0
    variance = scale / rng.standard_gamma(PRIOR_SHAPE + n / 2.0)
    return seen.mean + sqrt(variance / weight) * rng.standard_normal()


def goes_wider(new: Outcomes, known: Outcomes, rng: np.random.Generator) -> bool:
    """Draw whether to go to new children (`new`: what first outcomes were) rather than into known ones.

    `known` are the outcomes that came from below known children. Draws two means from `rng`.
    """
    return draw_mean(new, rng) > draw_mean(known, rng)

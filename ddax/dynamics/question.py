"""The question worth asking: which answer is expected to change the decision most.

Asking whether a candidate is right changes the choice to it (yes) or takes it out (no). How far a
choice moved is the total variation distance between what would be done before and after.
"""

from __future__ import annotations

import numpy as np

from ddax.types import Vector

TEMPERATURE = 0.25
"""Score difference that makes a candidate e times as likely to be taken; about the noise of a value."""


def leanings(total: Vector, *, temperature: float = TEMPERATURE) -> Vector:
    """Return how strongly each candidate `[n]` is leaned to, by its score: a softmax that sums to 1."""
    scaled = np.asarray(total, dtype=np.float64) / temperature
    weights = np.exp(scaled - scaled.max(initial=-np.inf)) if len(scaled) else scaled
    return np.asarray(weights / max(float(weights.sum()), 1e-300), dtype=np.float64)


def expected_change(leaning: Vector, belief: Vector) -> Vector:
    """Return the expected change of the decision `[n]` in [0, 1] by asking about each candidate.

    With leaning π and belief p that the answer is yes: p·(1 − π) + (1 − p)·π. A yes puts everything on
    the candidate, at a distance of 1 − π; a no takes it out, at a distance of π. It is largest where one
    is about to do what one does not believe in, and zero where the answer is known.
    """
    pi, p = np.asarray(leaning, dtype=np.float64), np.clip(np.asarray(belief, dtype=np.float64), 0.0, 1.0)
    return p * (1.0 - pi) + (1.0 - p) * pi

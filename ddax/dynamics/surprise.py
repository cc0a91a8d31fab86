"""Surprise: how far what came is from what was expected, on a scale measured once per encoder.

Distances are taken in the encoder's own space, not in the projected one, so that one pair of
constants serves every `state_dim`. Leaves out where the constants are kept (`ddax.configs.calibration`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ddax.errors import SettingsError
from ddax.types import Vector

W_FORECAST, W_VALUE = 0.5, 0.5
"""Weights of forecast and value in the hybrid surprise (dda-x 9.2)."""


@dataclass(frozen=True)
class Calibration:
    """Median distances of one encoder: between texts that say the same, and between unrelated ones.

    Raises `SettingsError` unless 0 ≤ d_match < d_unrelated.
    """

    d_match: float
    d_unrelated: float

    def __post_init__(self) -> None:
        if not 0.0 <= self.d_match < self.d_unrelated:
            raise SettingsError(
                f"The calibration d_match={self.d_match!r}, d_unrelated={self.d_unrelated!r} is no scale.",
                why="It needs 0 <= d_match < d_unrelated.",
                mend="Measure both again with ddax.configs.calibration.measure_encoder.",
            )


UNMEASURED = Calibration(d_match=0.7, d_unrelated=1.35)
"""For an encoder that nobody has measured: unrelated unit vectors stand nearly at right angles (√2),
and a paraphrase shares most of its meaning (a cosine of about 0.75). To be passed explicitly."""


def distance(expected: NDArray[np.floating], actual: NDArray[np.floating]) -> float:
    """Return ‖E(expected) − E(actual)‖ of two vectors of one space, in [0, 2] for unit vectors.

    >>> round(distance(np.array([1.0, 0.0]), np.array([0.0, 1.0])), 3)
    1.414
    """
    gap = np.asarray(expected, dtype=np.float64) - np.asarray(actual, dtype=np.float64)
    return float(np.linalg.norm(gap))


def calibrated(d: float, calibration: Calibration) -> float:
    """Return ε in [0, 1] = clip((d − d_match)/(d_unrelated − d_match), 0, 1).

    >>> calibrated(0.9, Calibration(d_match=0.5, d_unrelated=1.3))
    0.5
    """
    width = calibration.d_unrelated - calibration.d_match
    return float(np.clip((d - calibration.d_match) / width, 0.0, 1.0))


def forecast_surprise(
    expected: NDArray[np.floating], actual: NDArray[np.floating], calibration: Calibration
) -> float:
    """Return ε in [0, 1] of a forecast, from the embeddings `[dim]` of what was expected and what came."""
    return calibrated(distance(expected, actual), calibration)


def td_error(v_next: float, q: float) -> float:
    """Return |V(o′) − Q(o, a)|, in [0, 1] for values in [0, 1] (dda-x 8.3).

    >>> td_error(0.75, 0.5)
    0.25
    """
    return abs(v_next - q)


def hybrid_surprise(epsilon: float, td: float) -> float:
    """Return ½·ε + ½·|V′ − Q|, what drives ρ (dda-x 9.2).

    >>> hybrid_surprise(0.5, 0.25)
    0.375
    """
    return W_FORECAST * epsilon + W_VALUE * td


def raw_surprise(x: Vector, delta_x: Vector, x_actual: Vector) -> float:
    """Return the source's ‖x + Δx − x_actual‖ in the state space (dda-x 2.1); logged, drives nothing."""
    return distance(x + delta_x, x_actual)


def measure(
    matching: tuple[NDArray[np.floating], NDArray[np.floating]],
    unrelated: tuple[NDArray[np.floating], NDArray[np.floating]],
) -> Calibration:
    """Measure an encoder: medians of the row distances of matching and of unrelated pairs `[n, dim]`."""
    return Calibration(_median_distance(*matching), _median_distance(*unrelated))


def _median_distance(a: NDArray[np.floating], b: NDArray[np.floating]) -> float:
    gaps = np.linalg.norm(np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64), axis=1)
    return float(np.median(gaps))

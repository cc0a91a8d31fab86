"""Pressure, impasses, and the predicate that starts an evolution (evolution, phase 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Impasse(StrEnum):
    """Why deciding stopped: nothing changes, or several options are equal."""

    NO_CHANGE = "no_change"
    TIE = "tie"


@dataclass(frozen=True)
class PressureWeights:
    """The weights of the four parts, non-negative, and what counts as full of each.

    `full_depth` is in levels, `full_seconds` in seconds, `full_impasses` a count.
    """

    depth: float = 0.3
    time: float = 0.2
    impasses: float = 0.3
    ambiguity: float = 0.2
    full_depth: float = 6.0
    full_seconds: float = 300.0
    full_impasses: float = 3.0

    def __post_init__(self) -> None:
        parts = (self.depth, self.time, self.impasses, self.ambiguity)
        if min(parts) < 0:
            raise ValueError(f"the weights of pressure must be ≥ 0, not {parts!r}")
        if min(self.full_depth, self.full_seconds, self.full_impasses) <= 0:
            raise ValueError("what counts as full depth, seconds and impasses must be positive")


def pressure(
    *, depth: float, seconds: float, impasses: int, ambiguity: float, weights: PressureWeights
) -> float:
    """Return the weighted mean of the four parts, each capped at 1, in [0, 1]; 0 where nothing has weight.

    `ambiguity` in [0, 1] is how close the best options are, 1 where they are equal.
    """
    parts = (
        (weights.depth, depth / weights.full_depth),
        (weights.time, seconds / weights.full_seconds),
        (weights.impasses, impasses / weights.full_impasses),
        (weights.ambiguity, ambiguity),
    )
    total = sum(weight for weight, _ in parts)
    if not total:
        return 0.0
    return sum(weight * min(1.0, max(0.0, value)) for weight, value in parts) / total


def ambiguity_of(utilities: Sequence[float]) -> float:
    """Return in [0, 1] how close the two best utilities are, relative to the range of all; 0 below two."""
    if len(utilities) < 2:
        return 0.0
    ordered = sorted(utilities, reverse=True)
    spread = ordered[0] - ordered[-1]
    return 1.0 if spread <= 0 else 1.0 - (ordered[0] - ordered[1]) / spread


def impasse_of(utilities: Sequence[float], *, changed: bool, tolerance: float = 1e-6) -> Impasse | None:
    """Name the impasse of a decision, or None: NO_CHANGE before TIE."""
    if not changed or not utilities:
        return Impasse.NO_CHANGE
    ordered = sorted(utilities, reverse=True)
    if len(ordered) > 1 and ordered[0] - ordered[1] <= tolerance:
        return Impasse.TIE
    return None


def trigger(
    value: float,
    recent: Sequence[Impasse | None],
    *,
    threshold: float = 0.9,
    persist: int = 2,
    enabled: bool = True,
) -> bool:
    """Say whether to evolve: pressure ≥ `threshold`, or the last `persist` impasses all NO_CHANGE.

    It is asked only of a task that has code and a test; words in its goal play no part.
    """
    if not enabled:
        return False
    stuck = len(recent) >= persist and all(i is Impasse.NO_CHANGE for i in recent[-persist:])
    return value >= threshold or stuck

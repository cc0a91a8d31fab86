"""Whether a debate is worth holding: only where it can change a decision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

BOUNDARIES = (0.5,)
"""Values at which decisions turn: below 0.5 a claim counts as weak and is verified."""


class Gate(NamedTuple):
    """Whether to debate, and why."""

    opens: bool
    why: str


def gate(
    values: Sequence[float], *, margin: float, boundaries: Sequence[float] = BOUNDARIES, quotable: bool = True
) -> Gate:
    """Decide by the cheap values `[n ≥ 1]` in [0, 1], one per judge, whether a debate is held.

    It is not where there is nothing to quote (no argument could count), where several judges agree on
    the side of every boundary, or where the median is `margin` or more from each boundary.
    """
    if not quotable:
        return Gate(False, "nothing was read that an argument could quote")
    if unanimous(values, boundaries):
        return Gate(False, f"all {len(values)} judges agree")
    middle = median(values)
    near = min(abs(middle - boundary) for boundary in boundaries)
    if near >= margin:
        return Gate(False, f"the value {middle:.2f} is {near:.2f} from the nearest boundary")
    return Gate(True, f"the value {middle:.2f} is within {margin:.2f} of a boundary")


def unanimous(values: Sequence[float], boundaries: Sequence[float] = BOUNDARIES) -> bool:
    """Say whether at least two judges stand on the same side of every boundary."""
    sides = {tuple(value >= boundary for boundary in boundaries) for value in values}
    return len(values) >= 2 and len(sides) == 1


def median(values: Sequence[float]) -> float:
    """Return the median; of an odd number it lies on the majority's side of any boundary."""
    ranked, middle = sorted(values), len(values) // 2
    return ranked[middle] if len(ranked) % 2 else (ranked[middle - 1] + ranked[middle]) / 2

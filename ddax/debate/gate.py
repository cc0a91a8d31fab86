"""Whether a debate is worth holding: only where it can change a decision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ddax.configs.settings import Debate
from ddax.debate.quotes import UNASKED, Bearing
from ddax.ideas.idea import clip

EVIDENCE = ("evidence", "both")
"""The gates that ask the support check how what was read bears on the result."""
WEAK = 0.5
"""A claim valued below this is weak: it is verified, and marked in the answer."""
BOUNDARIES = (WEAK,)
"""Values at which decisions turn."""


class Gate(NamedTuple):
    """Whether to debate, and why; `change` is the chance that arguments move the value over a boundary."""

    opens: bool
    why: str
    change: float = 0.0


def opening(
    settings: Debate,
    values: Sequence[float],
    *,
    confidence: float,
    boundaries: Sequence[float] = BOUNDARIES,
    quotable: bool = True,
    bearing: Bearing = UNASKED,
) -> Gate:
    """Apply the gate that the settings name to the first votes `[n ≥ 1]`, each in [0, 1].

    Nothing to quote, or first votes that agree, keep it shut under every rule but `always`, and under
    that one only the lack of anything to quote does.
    """
    if not settings.enabled or settings.gate == "never":
        return Gate(False, "debates are switched off")
    if settings.gate == "always":
        return Gate(quotable, "every value is debated" if quotable else _NOTHING, float(quotable))
    near = gate(values, margin=settings.margin, boundaries=boundaries, quotable=quotable)
    if settings.gate == "margin" or not quotable or unanimous(values, boundaries):
        return near
    if settings.gate in EVIDENCE:
        return _by_evidence(settings, median(values), near, bearing, min(boundaries))
    if not near.opens and confidence < settings.doubt:
        return Gate(True, f"the confidence {confidence:.2f} is below {settings.doubt:.2f}", 1 - confidence)
    return near


def _by_evidence(settings: Debate, value: float, near: Gate, bearing: Bearing, least: float) -> Gate:
    """Open where what was read contradicts a result that is believed; stay shut where it is silent.

    Where no sentence read bears on the result, the same check drops what either side could quote for it
    or against it.
    """
    if bearing.disputed and value >= least:
        return Gate(True, f"what was read contradicts “{clip(bearing.disputed, 80)}”", 1.0)
    if bearing.silent:
        return Gate(False, "nothing read bears on the result")
    if settings.gate == "both":
        return near
    why = "the value is low already" if bearing.disputed else "nothing read contradicts the result"
    return Gate(False, why)


def gate(
    values: Sequence[float], *, margin: float, boundaries: Sequence[float] = BOUNDARIES, quotable: bool = True
) -> Gate:
    """Decide by the cheap values `[n ≥ 1]` in [0, 1], one per judge, whether a debate is held.

    It is not where there is nothing to quote (no argument could count), where several judges agree on
    the side of every boundary, or where the median is `margin` or more from each boundary.
    """
    if not quotable:
        return Gate(False, _NOTHING)
    if unanimous(values, boundaries):
        return Gate(False, f"all {len(values)} judges agree")
    middle = median(values)
    near = min(abs(middle - boundary) for boundary in boundaries)
    if near >= margin:
        return Gate(False, f"the value {middle:.2f} is {near:.2f} from the nearest boundary")
    return Gate(True, f"the value {middle:.2f} is within {margin:.2f} of a boundary", 1 - near / margin)


_NOTHING = "nothing was read that an argument could quote"


def unanimous(values: Sequence[float], boundaries: Sequence[float] = BOUNDARIES) -> bool:
    """Say whether at least two judges stand on the same side of every boundary."""
    sides = {tuple(value >= boundary for boundary in boundaries) for value in values}
    return len(values) >= 2 and len(sides) == 1


def median(values: Sequence[float]) -> float:
    """Return the median; of an odd number it lies on the majority's side of any boundary.

    >>> median([0.2, 0.9, 0.4])
    0.4
    """
    ranked, middle = sorted(values), len(values) // 2
    return ranked[middle] if len(ranked) % 2 else (ranked[middle - 1] + ranked[middle]) / 2


def weighted_median(values: Sequence[float], weights: Sequence[float]) -> float:
    """Return the value at half of the weight; the median where all weights are equal or none is positive."""
    if len(set(weights)) <= 1 or sum(weights) <= 0:
        return median(values)
    ranked = sorted(zip(values, weights, strict=True))
    half, passed = sum(weights) / 2, 0.0
    for value, weight in ranked:
        passed += weight
        if passed >= half:
            return value
    return ranked[-1][0]

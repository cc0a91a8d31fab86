"""What the parts of this benchmark bring: one value of one measure for one peer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Literal

from benchmarks.agree import widened
from benchmarks.core import Figure, Target
from benchmarks.peers.driving import OURS

BETWEEN = " | "


@dataclass(frozen=True)
class Measure:
    """What is measured: its name, unit, which way is better ("" for neither), and the target for ours.

    One that must hold each time is stated by the `worst` of its repetitions, else by their median.
    """

    name: str
    unit: str = ""
    better: str = "lower"
    target: Target | None = None
    of: Literal["median", "worst"] = "median"

    def stated(self, values: Sequence[float]) -> float:
        """Return the one value that is stated of all repetitions."""
        if self.of == "median":
            return median(values)
        return min(values) if self.better == "higher" else max(values)


@dataclass(frozen=True)
class Row:
    """The values of one measure for one peer, one for each repetition."""

    measure: Measure
    peer: str
    values: Sequence[float]

    def figure(self) -> Figure:
        """Return the value that is stated, with its spread; the target is for ours alone.

        The spread is from the least to the largest value, and for what is time or memory as large as
        `benchmarks.agree` says at least.
        """
        target = self.measure.target if self.peer == OURS else None
        name, middle = f"{self.measure.name}{BETWEEN}{self.peer}", self.measure.stated(self.values)
        several = len(self.values) > 1
        low, high = widened(middle, self.values, self.measure.unit) if several else (None, None)
        return Figure(name, middle, self.measure.unit, target, low, high, len(self.values))


@dataclass(frozen=True)
class Part:
    """What one part found: rows, remarks, and the peers it could not measure with the reason."""

    rows: Sequence[Row] = ()
    notes: Sequence[str] = ()
    missing: Mapping[str, str] = field(default_factory=dict)


def rows_of(
    found: Mapping[str, Sequence[Any]], measures: Mapping[Measure, Callable[[Any], float | None]]
) -> Iterable[Row]:
    """Return a row for each measure and peer; a peer for which a measure has no sense is left out."""
    for measure, take in measures.items():
        for peer, runs in found.items():
            values = [value for one in runs if (value := take(one)) is not None]
            if values:
                yield Row(measure, peer, values)


def of_the_best(
    measure: Measure, each: Mapping[str, float | None], solved: Mapping[str, float]
) -> Iterable[Row]:
    """Return ours by the least of the peers that solve as many; of all peers where none does."""
    ours = each.get(OURS)
    others = {peer: value for peer, value in each.items() if peer != OURS and value is not None}
    as_many = [value for peer, value in others.items() if solved[peer] >= solved.get(OURS, 0.0)]
    if ours is not None and others:
        yield Row(measure, OURS, [ours / min(as_many or others.values())])

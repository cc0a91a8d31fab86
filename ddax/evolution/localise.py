"""Says where the fault may be: line coverage per test, Ochiai's coefficient, and the traceback."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ddax.evolution.operators.base import Seen
from ddax.wording import NO_END

Place = tuple[str, int]
NAME_BONUS, TRACEBACK_BONUS = 0.05, 0.15
"""Added to the suspiciousness of lines of a function that a failing test names, and of a line at which
its exception arose."""


@dataclass(frozen=True)
class Row:
    """How one unit ended, after how many seconds of the processor.

    `kind` is pass, skip, assert, error, timeout or uncollected.
    """

    unit: int
    kind: str
    name: str
    message: str
    path: str
    line: int
    depth: int
    ticks: int
    lines: tuple[Place, ...] = ()
    spent: float = 0.0

    @property
    def good(self) -> bool:
        """Say whether the unit did not fail."""
        return self.kind in ("pass", "skip")


@dataclass(frozen=True)
class Report:
    """What one run of a program brought; `stage` is run, syntax, import, timeout or killed.

    `still` is for how many seconds a test only waited and came to its end all the same, `loading` how long
    the processor was at the imports.
    """

    stage: str
    error: str
    rows: tuple[Row, ...]
    seen: Seen = field(default_factory=Seen)
    answers: tuple[str, ...] = ()
    still: float = 0.0
    loading: float = 0.0


_KINDS = frozenset({"pass", "skip", "assert", "error", "timeout", "uncollected"})
_SCHEMA: tuple[type, ...] = (int, str, str, str, str, int, int, int)


def _row(values: Any, units: int) -> Row:
    if (
        type(values) is not list
        or len(values) != 10
        or any(type(v) is not t for v, t in zip(values, _SCHEMA, strict=False))
    ):
        raise ValueError("a row of the report is malformed")
    if values[1] not in _KINDS or not 0 <= values[0] < units:
        raise ValueError("a row of the report names no unit")
    lines = tuple((str(p), int(n)) for p, numbers in values[8] for n in numbers)
    return Row(*values[:8], lines=lines, spent=float(values[9]))  # type: ignore[misc]


def _seen(trace: Any) -> Seen:
    if not trace:
        return Seen()
    types = {(p, n): {v: frozenset(k) for v, k in t.items()} for p, n, t in trace["types"]}
    attributes = {k: tuple(v) for k, v in trace["attributes"].items()}
    calls = {(str(p), str(n)): tuple(list(row) for row in rows) for p, n, rows in trace["calls"]}
    return Seen(types, attributes, calls=calls)


def read_report(body: bytes, units: int) -> Report:
    """Check a worker's raw report; anything malformed counts as a killed run."""
    try:
        raw = json.loads(body)
        rows = tuple(_row(values, units) for values in raw["rows"])
        if len({row.unit for row in rows}) != len(rows):
            raise ValueError("a unit is reported twice")
        answers = tuple(str(answer) for answer in raw.get("answers", ()))
        error = NO_END if raw["stage"] == "timeout" else str(raw["error"])[:500]
        still = float(raw.get("still", 0.0))
        loading = float(raw.get("loading", 0.0))
        return Report(str(raw["stage"]), error, rows, _seen(raw.get("trace")), answers, still, loading)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        return Report("killed", f"malformed report: {error}"[:200], ())


def ochiai(rows: Iterable[Row]) -> dict[Place, float]:
    """Return each covered line's suspiciousness, failed/√(F·(failed+passed)), in [0, 1] (Ochiai)."""
    failed: dict[Place, int] = {}
    passed: dict[Place, int] = {}
    total = 0
    for row in rows:
        total += not row.good
        counts = passed if row.good else failed
        for place in row.lines:
            counts[place] = counts.get(place, 0) + 1
    return {p: n / math.sqrt(total * (n + passed.get(p, 0))) for p, n in failed.items()}


def suspicion(
    rows: Iterable[Row], hints: Iterable[Place] = (), named: Collection[Place] = ()
) -> dict[Place, float]:
    """Return Ochiai's coefficients, raised by TRACEBACK_BONUS at the places of exceptions and hints.

    Covered lines of a function that a failing test names are raised by NAME_BONUS. So the most
    suspected line of all may stand above 1.
    """
    rows = list(rows)
    scores = ochiai(rows)
    for row in rows:
        if row.kind == "error" and row.line:
            place = (row.path, row.line)
            scores[place] = scores.get(place, 0.0) + TRACEBACK_BONUS
    for place in hints:
        scores[place] = scores.get(place, 0.0) + TRACEBACK_BONUS
    return {
        place: score + (NAME_BONUS if place in named else 0.0)
        for place, score in scores.items()
        if place[1] > 0
    }


def ranked(scores: Mapping[Place, float]) -> list[tuple[Place, float]]:
    """Order the places, most suspicious first; ties by place."""
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))

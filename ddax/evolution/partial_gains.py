"""Says which edits bring a program further without mending a test, and lets two searches take turns.

A module that does not load for want of an import hides every further fault: no test can pass before
both are mended.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from ddax.evolution.baseline import Baseline
from ddax.evolution.localise import Report
from ddax.evolution.operators import Edit

_NAMING = frozenset({"import", "misspelt"})
"""Operators that mend what a test says is not there."""
_SURE = frozenset({"own_object", "rows"})
"""Operators that part what is shared by mistake, which is a fault whatever else is one."""
_NOT_THERE = frozenset({"NameError", "ImportError", "ModuleNotFoundError", "UnboundLocalError"})
T = TypeVar("T")


def further(report: Report, baseline: Baseline, edit: Edit) -> bool:
    """Say whether a changed program loads that did not, or fails of something else than a missing name.

    A program that does not load may also come further to another error of loading it, and one that shares an
    object by mistake to other results.
    """
    before = baseline.report
    if before.stage == "import":
        return report.stage == "run" or (
            report.stage == "import" and edit.operator in _NAMING and report.error != before.error
        )
    if edit.operator in _SURE and report.stage == "run" and report.rows:
        old = {row.unit: row.message for row in before.rows}
        return any(row.message != old.get(row.unit, row.message) for row in report.rows if not row.good)
    if edit.operator not in _NAMING or report.stage != "run" or not report.rows:
        return False
    failed = {row.unit: (row.name, row.message) for row in before.rows if row.name in _NOT_THERE}
    now = [(failed[row.unit], (row.name, row.message)) for row in report.rows if row.unit in failed]
    # Another name that is missing may stop other tests as before.
    return bool({old for old, _ in now} - {new for _, new in now})


def alternate(*streams: Iterator[T]) -> Iterator[T]:
    """Yield from streams by turns until each has ended."""
    waiting, ended = list(streams), object()
    while waiting:
        for stream in list(waiting):
            one = next(stream, ended)  # taken when it is its turn: who stops here loses nothing
            if one is ended:
                waiting.remove(stream)
            else:
                yield one  # type: ignore[misc]

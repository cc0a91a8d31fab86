"""Judges patches by the tests that the search does not see: the rest of the suite, chosen by coverage.

Who names one test has others that run the same function. Those that passed before must pass with a patch;
those that failed before and pass with it say more than the one that was named.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from ddax.errors import SourceError
from ddax.evolution.changes import changed_lines
from ddax.evolution.evaluator import CodeEvaluator
from ddax.evolution.localise import Place, Report
from ddax.evolution.records import RepairTask
from ddax.evolution.sandbox.protocol import Limits, Sandbox
from ddax.evolution.standin import needs_pytest
from ddax.evolution.suites import Runner, Suite


@dataclass(frozen=True)
class Heard:
    """What tests say of a patch: how many that passed before still do, which do not, how many it mends.

    `left` are those that failed before and fail as well.
    """

    kept: int = 0
    broken: tuple[str, ...] = ()
    mended: int = 0
    left: int = 0


def touched(before: Mapping[str, str], after: Mapping[str, str]) -> frozenset[Place]:
    """Return the lines of the unchanged functions in which a patch changes something."""
    return frozenset(
        (path, line)
        for path, text in after.items()
        if text != before[path]
        for line in changed_lines(before[path], text)
    )


class Rest:
    """The tests of a task that were not asked for, run when there is something to judge."""

    def __init__(self, task: RepairTask, asked: Collection[str], sandbox: Sandbox, limits: Limits) -> None:
        self.before = task.files
        self.evaluator: CodeEvaluator | None = None
        self.report: Report | None = None
        suite = _suite(task, asked)
        if suite is not None and suite.units:
            self.evaluator = CodeEvaluator(sandbox, suite, limits=limits)

    def close(self) -> None:
        """End the workers."""
        if self.evaluator is not None:
            self.evaluator.close()

    @property
    def silent(self) -> bool:
        """Say whether there are such tests and they could not be run."""
        return self.report is not None and self.report.stage != "run"

    def judge(self, sources: Mapping[str, str]) -> Heard:
        """Run the tests that run what a patch changes, and say how they end."""
        if self.evaluator is None:
            return Heard()
        if self.report is None:
            self.report = self.evaluator.run({}, trace=True)
        lines = touched(self.before, sources)
        good = {row.unit: row.good for row in self.report.rows if lines & set(row.lines)}
        if not good:
            return Heard()
        after = {row.unit: row.good for row in self.evaluator.run(sources, units=sorted(good)).rows}
        units = self.evaluator.suite.units
        return Heard(
            sum(good[u] and after.get(u, False) for u in good),
            tuple(units[u].id for u in good if good[u] and not after.get(u, False)),
            sum(not good[u] and after.get(u, False) for u in good),
            sum(not good[u] and not after.get(u, False) for u in good),
        )


def _suite(task: RepairTask, asked: Collection[str]) -> Suite | None:
    """Return the tests of the task's files, and of those beside them, that are not asked for."""
    if not task.only and not task.rest:
        return None
    tests = {**task.rest, **task.tests}
    runner: Runner = "pytest" if task.runner == "pytest" or needs_pytest(dict(tests), False) else "fast"
    try:
        whole = replace(task, tests=tests, only=(), runner=runner).suite()
    except SourceError:  # a file that nobody asked for cannot be read: it says nothing
        return None
    out = {u.id for u in whole.units if any(f"{u.id}::".startswith(f"{word}::") for word in task.left_out)}
    return whole.only({*asked, *task.held_out, *out}, keep=False)

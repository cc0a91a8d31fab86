"""Judges patches by the tests that the search does not see: the rest of the suite, chosen by coverage.

Who names one test has others that run the same function. Those that passed before must pass with a patch;
those that failed before and pass with it say more than the one that was named.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from ddax.errors import SandboxError, SourceError
from ddax.evolution.evaluator import CodeEvaluator
from ddax.evolution.judging.changes import IMPORTED, changed_lines
from ddax.evolution.localise import Place, Report, Row, read_report
from ddax.evolution.program.suites import Suite
from ddax.evolution.program.test_command import Selection
from ddax.evolution.records import RepairTask
from ddax.evolution.sandbox.protocol import Limits, Sandbox


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
        self.before, self.asked = task.files, {*asked, *task.held_out}
        self.report: Report | None = None
        try:
            suite = _suite(task)
        except SourceError as error:
            suite, self.report = None, Report("import", error.what, ())
        self.evaluator = CodeEvaluator(sandbox, suite, limits=limits) if suite is not None else None

    def close(self) -> None:
        """End the workers."""
        if self.evaluator is not None:
            self.evaluator.close()

    @property
    def silent(self) -> bool:
        """Say whether there are such tests and they could not be run."""
        return self.report is not None and self.report.stage != "run"

    def stand(self, evaluator: CodeEvaluator, cpu: float | None = None) -> Report:
        """Run those not asked for on the unchanged program, as many as there is time for.

        That is `cpu` seconds, or what one candidate has.
        """
        try:
            cases = evaluator.find_cases()
            others = cases.only(self.asked, keep=False).units
            left = [number for number, unit in enumerate(cases.units) if unit in others]
            job = evaluator.worker.job(left, also="trace", cpu=cpu, idle=cpu or 0.0)
            return read_report(next(iter(list(evaluator.worker.run([job])))), len(cases.units))
        except (SourceError, SandboxError) as error:  # such as no pytest, which only these tests need
            return Report("import", error.what, ())

    def passed(self, cpu: float) -> tuple[Row, ...]:
        """Return tests not asked for that pass with the unchanged program, with the lines they run.

        As many as can be traced in `cpu` seconds of the processor.
        """
        rows = self.stand(self.evaluator, cpu).rows if self.evaluator is not None else ()
        return tuple(row for row in rows if row.kind == "pass")

    def judge(self, sources: Mapping[str, str]) -> Heard:
        """Run the tests that run what a patch changes, and say how they end."""
        if self.evaluator is None:
            return Heard()
        if self.report is None:
            self.report = self.stand(self.evaluator)
        lines = touched(self.before, sources)
        wide = any(line == IMPORTED for _, line in lines)
        good = {row.unit: row.good for row in self.report.rows if wide or lines & set(row.lines)}
        if not good:
            return Heard()
        rows = self.evaluator.run(sources, units=sorted(good)).rows
        after = {row.unit: row.good for row in rows}
        passed = {row.unit for row in rows if row.kind == "pass"}  # a test that skips says nothing
        changed = [unit for unit, was in good.items() if after.get(unit, False) != was]
        still = {row.unit: row.good for row in self.evaluator.run({}, units=changed).rows} if changed else {}
        # One that ends otherwise with the unchanged program, too, says nothing of the patch.
        good = {u: was for u, was in good.items() if u not in changed or still.get(u, False) == was}
        units = self.evaluator.suite.units
        return Heard(
            0 if wide else sum(good[u] and u in passed for u in good),
            tuple(units[u].id for u in good if good[u] and not after.get(u, False)),
            sum(not good[u] and u in passed for u in good),
            sum(not good[u] and not after.get(u, False) for u in good),
        )


def _suite(task: RepairTask) -> Suite | None:
    """Return the tests of the task's files, and of those beside them, but for those left out."""
    said = task.selection
    if not (task.rest or said.wanted or said.keyword):
        return None
    return replace(
        task, tests={**task.tests, **task.rest}, selection=Selection(without=said.without),
        runner="pytest" if task.runner == "pytest" else None,
    ).suite()  # fmt: skip

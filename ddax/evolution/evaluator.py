"""Scores programs on the 0–100 scale; the verdict is the harness's, never the candidate's word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ddax.evolution.inside.loading import WORK
from ddax.evolution.localise import Report, Row, read_report
from ddax.evolution.program.suites import Suite
from ddax.evolution.records import Evaluation
from ddax.evolution.sandbox.carried import carrying, dropped
from ddax.evolution.sandbox.crew import Crew
from ddax.evolution.sandbox.protocol import Limits, Pace, Sandbox
from ddax.evolution.sandbox.worker import Worker
from ddax.wording import NO_END, NO_END_OF_ITSELF, UNCOLLECTED

LETTERS = {"pass": "p", "skip": "p", "assert": "f", "error": "e", "timeout": "t", "uncollected": "e"}
REPORT_LINES = 6
TELLING = 3.0
"""Seconds of the processor in which failing tests are run once more to tell of them."""
_STAGES = {"syntax": 0.0, "import": 10.0, "timeout": 15.0, "killed": 18.0}
_SHALLOW = frozenset(
    {"NameError", "ImportError", "ModuleNotFoundError", "UnboundLocalError", "AttributeError"}
)


def signature(rows: Sequence[Row], units: int) -> str:
    """Write one letter per unit; see Evaluation."""
    letters = ["-"] * units
    for row in rows:
        letters[row.unit] = LETTERS[row.kind]
    return "".join(letters)


def error_score(rows: Sequence[Row]) -> float:
    """Score in [20, 30] a program that fails with an error everywhere: later and deeper errors are better."""
    if all(row.kind == "timeout" for row in rows):
        return 15.0
    best = 20.0
    for row in rows:
        if row.kind in ("error", "uncollected"):
            kind = 20.0 if row.name in _SHALLOW else 24.0
            best = max(best, kind + min(row.depth, 6))
    return best


def evaluate_report(report: Report, suite: Suite) -> Evaluation:
    """Turn a report into an evaluation; 99 needs every expected unit, none missing."""
    units = len(suite.units)
    letters = signature(report.rows, units)
    if report.stage != "run":
        score = _STAGES.get(report.stage, 18.0)
        return Evaluation(score, report.stage != "syntax", False, False, report.error, letters, report.error)
    passed = letters.count("p")
    failures = [row for row in report.rows if not row.good]
    text = describe(failures, suite)
    dodged = [row for row in report.rows if row.kind == "skip" and not suite.may_skip(row.unit)]
    if passed == units and dodged:
        return Evaluation(59.0, True, True, False, "a test was skipped that was not before", letters)
    if passed == units:
        return Evaluation(99.0, True, True, True, "", letters)
    runs = passed > 0 or any(row.kind == "assert" for row in failures)
    score = 40.0 + 20.0 * passed / units if runs else error_score(failures) if failures else 18.0
    if len(failures) == units and all(row.kind == "uncollected" for row in failures):
        score = _STAGES["import"]
    return Evaluation(score, True, runs, False, text.split("\n")[0], letters, text)


def describe(failures: Sequence[Row], suite: Suite) -> str:
    """Say which tests failed and how, a few lines that a model can use."""
    lines = []
    for row in failures[:REPORT_LINES]:
        unit = suite.units[row.unit]
        message = row.message.split("\n")[0].replace(f"{WORK}/", "")[:160]
        text = unit.text.split("\n")[0] if unit.kind == "script" else unit.id
        how = row.name or row.kind if row.kind != "timeout" else NO_END if row.path else NO_END_OF_ITSELF
        how = f"{UNCOLLECTED}: {how}" if row.kind == "uncollected" else how
        lines.append(f"{text[:200]}: {how}{': ' + message if message else ''}")
    if len(failures) > REPORT_LINES:
        lines.append(f"and {len(failures) - REPORT_LINES} more")
    return "\n".join(lines)


class CodeEvaluator:
    """Evaluates whole programs in warm workers; opens them on first use, ends them on exit.

    One program is run by the `worker`, many at once by the `crew`, which it is one of.
    """

    def __init__(self, sandbox: Sandbox, suite: Suite, *, limits: Limits) -> None:
        self.sandbox = carrying(sandbox, suite.folder)
        self.suite, self.limits, self.pace = suite, limits, Pace()
        self.crew = Crew(self.sandbox, suite.message(), limits=limits)
        self.worker = self.crew.workers[0]

    def at_pace(self, pace: Pace) -> None:
        """Measure candidates from here on by the time that the tests of the unchanged program took."""
        self.pace = pace
        for worker in self.crew.workers:
            worker.pace = pace

    def find_cases(self) -> Suite:
        """Let pytest say which cases the tests have of the unchanged program, and take these as the units."""
        if self.suite.runner == "pytest":
            job = self.worker.job([], also="cases")
            report = read_report(next(iter(list(self.worker.run([job])))), 0)
            self.suite = self.suite.with_cases(report.answers or [".\n"])
            self.crew.recast(self.suite.rows())
        return self.suite

    def __enter__(self) -> CodeEvaluator:
        return self

    def __exit__(self, *_details: object) -> None:
        self.close()

    def close(self) -> None:
        """End the workers, and remove what was copied for them."""
        self.crew.close()
        dropped(self.sandbox)

    def run(
        self,
        sources: Mapping[str, str],
        *,
        ticks: int = 0,
        trace: bool = False,
        cpu: float | None = None,
        worker: Worker | None = None,
        units: Sequence[int] | None = None,
        patience: float = 1.0,
    ) -> Report:
        """Run every unit, or just those `units`, on a program with these changed files.

        Where these are more than fit into the time of one candidate, the rest has a time of its own.
        """
        at, left = worker or self.worker, list(range(len(self.suite.units)) if units is None else units)
        found: Report | None = None
        while True:
            job = at.job(
                left, sources=sources, ticks=ticks, also="trace" if trace else "", cpu=cpu, patience=patience
            )
            report = read_report(next(iter(list(at.run([job])))), len(self.suite.units))
            done = len(report.rows) - bool(report.rows and report.rows[-1].name == "OutOfTime")
            rows = (*(found.rows if found else ()), *report.rows[:done])
            if report.stage != "run" or done in (0, len(left)):
                return replace(report, rows=(*rows, *report.rows[done:]))
            left, found = left[done:], replace(report, rows=rows)

    def tell(
        self, units: Sequence[int], sources: Mapping[str, str], *, ticks: int = 0
    ) -> tuple[tuple[str, ...], str]:
        """Return what a person would see of these units on a program, and why there is none of it.

        The texts are in the order of the units, "" for one that passes; none where the program does not run.
        """
        job = self.worker.job(units, sources=sources, ticks=ticks, cpu=TELLING, also="tell")
        report = read_report(next(iter(list(self.worker.run([job])))), len(self.suite.units))
        return (report.answers, "") if len(report.answers) == len(units) else ((), report.error)

    def evaluate(
        self, sources: Mapping[str, str], *, ticks: int = 0, cpu: float | None = None, patience: float = 1.0
    ) -> Evaluation:
        """Score a program; 99 at most, see `confirm`."""
        return evaluate_report(self.run(sources, ticks=ticks, cpu=cpu, patience=patience), self.suite)

    def confirm(self, sources: Mapping[str, str], *, runs: int = 3) -> Evaluation:
        """Score a program in fresh sandboxes without time-outs by ticks, `runs` times; the worst counts.

        Each hashes texts in another way: what holds for one order of a set only is no repair. A test that
        fails of it with the unchanged program, too, counts for neither.
        """
        for seed in range(runs):
            with Worker(
                self.sandbox, self.suite.message(), limits=replace(self.limits, hash_seed=seed)
            ) as fresh:
                found = evaluate_report(self.run(sources, worker=fresh), self.suite)
                if found.score < 99.0 and not (seed and self._by_order(found.signature, fresh)):
                    return found
        return Evaluation(100.0, True, True, True, "", "p" * len(self.suite.units))

    def _by_order(self, letters: str, other: Worker) -> bool:
        """Say whether the unchanged program, too, fails the failed tests of a run in another order only."""
        here, there = (evaluate_report(self.run({}, worker=w), self.suite).signature for w in (None, other))
        return all(
            letter == "p" or (before == "p" and after != "p")
            for letter, before, after in zip(letters, here, there, strict=True)
        )

"""How a program stands before any change: which tests fail, which lines are suspected, what else is known."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace

from ddax.evolution.evaluator import CodeEvaluator
from ddax.evolution.localise import Place, Report, Row, suspicion
from ddax.evolution.operators import Edit, Seen
from ddax.evolution.operators.base import FunctionNode
from ddax.evolution.program.definitions import behind, words
from ddax.evolution.program.imports import parsed
from ddax.evolution.program.suites import Suite
from ddax.evolution.sandbox.protocol import FLOOR, Pace
from ddax.evolution.told_by_texts import informed

TICKS, PROBE_TICKS = 10_000, 100_000
QUICK, LONG = 3, 2.0
"""Times the least that a test of the unchanged program may compute at first, and seconds that all may compute
beyond it that do not come to an end."""
TRACED, SLOWER = 5.0, 30.0
"""Seconds that a traced run may compute, and how many times slower it is taken to be."""
FEW_TRACED = 10
"""Failing tests that are traced where all tests are too many."""
LIKE = 0.5
"""Share of lines in common from which on two failing tests count as of one fault."""


@dataclass(frozen=True)
class Baseline:
    """How the program stands before any change; unit numbers are indexes into the suite.

    Where a search goes on from a changed program, `changed` are its changed files and `edits` what was done.
    `lines` are what each unit runs.
    """

    report: Report
    failing: tuple[int, ...]
    passing: tuple[int, ...]
    suspects: Mapping[Place, float]
    seen: Seen
    ticks: int
    changed: Mapping[str, str] = field(default_factory=dict)
    edits: tuple[Edit, ...] = ()
    lines: Mapping[int, Set[Place]] = field(default_factory=dict, repr=False)

    @property
    def order(self) -> list[int]:
        """The units in the order candidates meet them: failing ones first."""
        return [*self.failing, *self.passing]


def measure(
    evaluator: CodeEvaluator,
    *,
    hints: Sequence[Place] = (),
    changed: Mapping[str, str] | None = None,
    edits: tuple[Edit, ...] = (),
    late: Callable[[], bool] = lambda: False,
) -> Baseline:
    """Run the tests twice, once to see how they stand, once traced to see where and with what types."""
    files = changed or {}
    first = (
        standing(evaluator, files, late) if not changed else evaluator.run(files, ticks=PROBE_TICKS, cpu=3.0)
    )
    if not changed:
        evaluator.at_pace(pace_of(first))
    ticks = max([TICKS, *(10 * row.ticks for row in first.rows if row.good)])
    rows = {row.unit: row for row in first.rows}
    units = range(len(evaluator.suite.units))
    passing = [u for u in units if u in rows and rows[u].good]
    failing = [u for u in units if u not in passing]
    many = len(units) > FEW_TRACED and evaluator.pace.whole(units) > TRACED
    chosen = failing[:FEW_TRACED] if many else None  # where tests fail says most
    end = any(not row.good and row.kind != "timeout" for row in first.rows)
    patience = SLOWER if end else QUICK  # what is known to have no end shows where it is soon
    traced = evaluator.run(files, ticks=ticks, trace=True, cpu=TRACED, units=chosen, patience=patience)
    if traced.stage != "run" and first.stage == "run":
        traced = evaluator.run(
            files, ticks=ticks, trace=True, cpu=TRACED, units=failing[:FEW_TRACED], patience=SLOWER
        )

    def effort(unit: int) -> tuple[int, int]:
        return (rows[unit].ticks if unit in rows and rows[unit].kind != "timeout" else PROBE_TICKS, unit)

    suite = replace(evaluator.suite, sources={**evaluator.suite.sources, **files})
    lines = {row.unit: frozenset(row.lines) for row in traced.rows}
    found = Baseline(
        first,
        tuple(apart(sorted(failing, key=effort), lines)),
        tuple(sorted(passing, key=effort)),
        {},
        informed(traced.seen, suite, first),
        ticks,
        files,
        edits,
        lines,
    )
    return with_suspects(found, suite, hints)


def with_suspects(
    baseline: Baseline, suite: Suite, hints: Sequence[Place], beside: Sequence[Row] = ()
) -> Baseline:
    """Say which lines are suspected; what tests `beside` those of the suite run and pass is less so.

    Then a line counts half by itself and half by the most suspected one of its function. Lines in no
    function run as a file is imported, so that every test needs them.
    """
    rows = [replace(row, lines=tuple(sorted(baseline.lines[row.unit]))) for row in baseline.report.rows
            if row.unit in baseline.lines]  # fmt: skip
    if not beside:
        return replace(baseline, suspects=suspected(suite, rows, hints, baseline.failing))
    within = _functions(suite)
    imported = {place for row in rows for place in row.lines if place not in within}
    beside = [replace(row, lines=tuple({*row.lines} | imported)) for row in beside]
    found = suspected(suite, [*rows, *beside], hints, baseline.failing)
    most = dict[Place, float]()
    for place, score in found.items():
        function = within.get(place, place)
        most[function] = max(score, most.get(function, 0.0))
    halves = {place: (score + most[within.get(place, place)]) / 2 for place, score in found.items()}
    return replace(baseline, suspects=halves)


def _functions(suite: Suite) -> dict[Place, Place]:
    """Return the innermost function of each line of the targets within one, by its first line."""
    return {
        (path, line): (path, node.lineno)
        for path in suite.targets
        for node in ast.walk(parsed(suite.sources[path])) if isinstance(node, FunctionNode)
        for line in range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)
    }  # fmt: skip


def standing(evaluator: CodeEvaluator, files: Mapping[str, str], late: Callable[[], bool]) -> Report:
    """Run the tests of the unchanged program; one that does not end soon gets more time, by itself.

    Of the time for those that never end, each takes a half of what the one before it left; where it is
    `late`, the first of them speaks for the others.
    """
    first = evaluator.run(files, ticks=PROBE_TICKS, patience=QUICK)
    rows = {row.unit: row for row in first.rows}
    if first.stage != "run" or not rows:
        return first
    left = 2 * LONG
    for unit in range(len(evaluator.suite.units)):
        if unit in rows and rows[unit].kind != "timeout":
            continue
        again = evaluator.run(files, ticks=PROBE_TICKS, units=[unit], patience=left / 2 / FLOOR)
        if again.rows:
            rows[unit] = again.rows[0]
        if not again.rows or again.rows[0].kind == "timeout":
            left /= 2
            if late():
                break
    return replace(first, rows=tuple(rows[unit] for unit in sorted(rows)))


def pace_of(first: Report) -> Pace:
    """Return what candidates are measured by: how long the tests took that came to an end."""
    ended = {row.unit: row.spent for row in first.rows if row.kind not in ("timeout", "uncollected")}
    longest = max(ended.values(), default=0.0)
    known = {row.unit: ended[row.unit] if row.good else longest for row in first.rows if row.unit in ended}
    return Pace(first.loading, known)


def apart(failing: Sequence[int], lines: Mapping[int, Set[Place]]) -> list[int]:
    """Put second, of failing tests, the one that runs fewest of the lines that the first runs.

    A candidate is given up where both fail: of two faults in a program one would hide the repair of the
    other. Where they have `LIKE` or more in common, the order stays.
    """

    def shared(unit: int) -> float:
        mine, its = lines.get(failing[0], set()), lines.get(unit, set())
        return len(mine & its) / max(1, len(mine | its)) if mine and its else 1.0

    second = min(failing[1:], key=shared, default=None)
    if second is None or shared(second) >= LIKE:
        return list(failing)
    return [failing[0], second, *(unit for unit in failing[1:] if unit != second)]


def suspected(
    suite: Suite, rows: Sequence[Row], hints: Sequence[Place], failing: Sequence[int]
) -> dict[Place, float]:
    """Return the suspicion of covered lines, and of the definitions behind them."""
    asked = {word for u in failing for word in words(ast.parse(suite.units[u].text))}
    trees: dict[str, ast.Module] = {}
    for path in suite.targets:
        with suppress(SyntaxError):
            trees[path] = ast.parse(suite.sources[path])
    covered = suspicion(rows, hints, named(trees, asked))
    return covered | behind(trees, covered, asked) if covered else {}  # where nothing ran, all may be wrong


def named(trees: Mapping[str, ast.Module], asked: Collection[str]) -> set[Place]:
    """Return the lines of the functions whose names a failing test speaks of."""
    return {
        (path, line)
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, FunctionNode) and node.name in asked
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }

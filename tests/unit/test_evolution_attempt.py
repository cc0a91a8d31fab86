"""A repair stops at once where no edit brings what tests import, and holds to its time."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from ddax.configs.settings import Evolution
from ddax.evolution import attempt
from ddax.evolution.attempt import Attempt
from ddax.evolution.baseline import Baseline, standing
from ddax.evolution.localise import Report, Row
from ddax.evolution.operators import Seen
from ddax.evolution.records import RepairTask
from ddax.evolution.sandbox.protocol import Pace
from ddax.evolution.search import Partial, Search

PROGRAM = "def total(xs):\n    return -sum(xs)\n\n\ndef double(x):\n    return x * 2\n"
TESTS = {
    f"test_{n}.py": f"from prog import total\n\n\ndef test_it():\n    assert total([{n}]) == {n}\n"
    for n in range(12)
}


class Clock:
    """A clock that goes on by what is done."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def made(clock: Clock | None = None, seconds: float = 20.0) -> Attempt:
    task = RepairTask({"prog.py": PROGRAM}, ("prog.py",), TESTS, hold_out=True)
    return Attempt(task, Evolution(seconds=seconds), SimpleNamespace(name="none"), clock or Clock())  # type: ignore[arg-type]


def stood(*failing: Row) -> Baseline:
    others = tuple(Row(u, "pass", "", "", "", 0, 0, 1) for u in range(len(failing), 12))
    return Baseline(Report("run", "", (*failing, *others)), tuple(range(len(failing))),
                    tuple(range(len(failing), 12)), {}, Seen(), 10)  # fmt: skip


def uncollected(message: str, path: str = "") -> Baseline:
    return stood(
        Row(0, "uncollected", "ImportError", message, path, 0, 0, 1), Row(1, "assert", "", "", "", 0, 0, 1)
    )


@pytest.mark.parametrize(
    ("message", "path", "stops", "stops_a_model"),
    [
        ("No module named 'missing_lib'", "", True, True),
        ("cannot import name 'cubed' from 'prog' (prog.py)", "", True, False),
        ("No module named 'prog.parsing'", "", True, False),
        ("module 'prog' has no attribute 'Walker'", "", True, False),
        ("cannot import name 'totals' from 'prog' (prog.py)", "", False, False),
        ("cannot import name 'dubble' from 'prog' (prog.py)", "", False, False),
        ("name 'lenn' is not defined", "prog.py", False, False),
    ],
)
def test_a_file_that_no_edit_lets_be_collected_ends_the_search_and_not_a_model(
    message, path, stops, stops_a_model
):
    run, baseline = made(), uncollected(message, path)
    assert run.hopeless(baseline) is stops
    assert run.hopeless(baseline, written=True) is stops_a_model


def test_a_suite_that_takes_half_of_the_time_is_run_no_more_than_it_must(monkeypatch):
    clock = Clock()
    run = made(clock)

    def measured(*_args, **_more):
        clock.now += 11.0
        return stood(Row(0, "assert", "", "", "", 0, 0, 1))

    monkeypatch.setattr(attempt, "measure", measured)
    run.prepare()
    assert clock.now == 11.0 and not run.private.units and run.left() == 9.0


def test_a_slow_suite_keeps_more_of_the_time_for_judging_what_was_found(monkeypatch):
    ends: dict[float, float] = {}

    class Ended(Search):
        def __init__(self, *args, end: float, **more) -> None:
            ends[run.evaluator.pace.loading] = end
            super().__init__(*args, end=end, **more)

        def run(self):
            return iter(())

    monkeypatch.setattr(attempt, "Search", Ended)
    for loading in (0.1, 0.5, 9.0):
        run = made()
        run.evaluator.at_pace(Pace(loading, dict.fromkeys(range(12), 0.01)))
        run.search(stood(Row(0, "assert", "", "", "", 0, 0, 1)), 20.0)
    assert ends == pytest.approx({0.1: 18.0, 0.5: 15.04, 9.0: 10.0})


def test_a_search_runs_no_partial_repair_again_when_its_time_is_over():
    clock, runs = Clock(), list[int]()

    def run(*_args, **_more):
        runs.append(1)
        clock.now += 4.0
        return Report("run", "", ())

    tests = made()
    evaluator = SimpleNamespace(suite=tests.suite, run=run)
    search = Search(evaluator, stood(), end=10.0, clock=clock)  # type: ignore[arg-type]
    edits = [SimpleNamespace(start=n, end=n, text="", path="prog.py") for n in range(40)]
    search.tested([Partial(1.0, edit, 1) for edit in edits], 20)  # type: ignore[arg-type]
    assert len(runs) == 3


@pytest.mark.parametrize(("late", "runs"), [(False, 12), (True, 1)])
def test_where_time_is_short_one_test_that_has_no_end_speaks_for_others(late, runs):
    asked = list[object]()

    def run(_files, *, units=None, **_more):
        asked.append(units)
        return Report("run", "", tuple(Row(u, "timeout", "", "", "", 0, 0, 1) for u in units or range(12)))

    evaluator = SimpleNamespace(suite=made().suite, run=run)
    found = standing(evaluator, {}, lambda: late)  # type: ignore[arg-type]
    assert len(asked) == 1 + runs and [row.kind for row in found.rows] == ["timeout"] * 12


def asked(lines: int, passing: int, failing: int = 1) -> Baseline:
    suspects = {("prog.py", line): 1.0 for line in range(lines)}
    return replace(stood(), failing=tuple(range(failing)), passing=tuple(range(failing, failing + passing)),
                   suspects=suspects)  # fmt: skip


@pytest.mark.parametrize(
    "baseline",
    [asked(attempt.WIDE - 1, 0), asked(attempt.WIDE, attempt.ENOUGH_TO_LOCATE), asked(attempt.WIDE, 0, 0)],
    ids=["few lines", "enough passing tests", "nothing fails"],
)
def test_no_other_test_is_traced_where_those_asked_for_say_enough(baseline):
    assert made().located(baseline) is baseline


def test_other_tests_are_traced_for_a_share_of_the_time(monkeypatch):
    run, given = made(seconds=50.0), list[float]()
    line = ("prog.py", 2)
    monkeypatch.setattr(run.bench.rest, "passed", lambda cpu: given.append(cpu) or (
        Row(0, "pass", "", "", "", 0, 0, 1, (line,)),))  # fmt: skip
    baseline = asked(attempt.WIDE, attempt.ENOUGH_TO_LOCATE - 1)
    failing = Row(0, "assert", "", "", "", 0, 0, 1)
    baseline = replace(baseline, report=Report("run", "", (failing,)), lines={0: frozenset({line})})
    found = run.located(baseline)
    assert given == [2.0] and 0.0 < found.suspects[line] < 1.0

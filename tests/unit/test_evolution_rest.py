"""The tests that the search does not see: what they say of a patch, and which of them say nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace

from ddax.evolution.judging.unseen_tests import Heard, Rest
from ddax.evolution.localise import Report, Row
from ddax.evolution.records import RepairTask
from ddax.evolution.sandbox import Limits, choose

BEFORE, AFTER = {"prog.py": "def f():\n    return 1\n"}, {"prog.py": "def f():\n    return 2\n"}


def row(unit: int, kind: str) -> Row:
    return Row(unit, kind, "", "", "prog.py", 2, 0, 0, (("prog.py", 2),))


@dataclass
class Scripted:
    """Ends each test as is said, run by run: of the patch, then of the unchanged program."""

    patched: Sequence[str]
    unchanged: Sequence[str]
    asked: list[Sequence[int]] = field(default_factory=list)
    suite: SimpleNamespace = field(
        default_factory=lambda: SimpleNamespace(units=[SimpleNamespace(id=f"t{n}") for n in range(3)])
    )

    def run(self, sources: Mapping[str, str], *, units: Sequence[int]) -> Report:
        self.asked.append(list(units))
        kinds = self.patched if sources else self.unchanged
        return Report("run", "", tuple(row(unit, kinds[unit]) for unit in units))


def judged(before: Sequence[str], evaluator: Scripted) -> Heard:
    rest = Rest(RepairTask(BEFORE, ("prog.py",), {}), (), choose(), Limits())
    rest.evaluator = evaluator  # type: ignore[assignment]
    rest.report = Report("run", "", tuple(row(n, kind) for n, kind in enumerate(before)))
    return rest.judge(AFTER)


def test_a_test_that_ends_otherwise_without_a_patch_says_nothing_of_it():
    scripted = Scripted(["assert", "pass", "pass"], ["assert", "pass", "pass"])
    assert judged(["pass", "assert", "pass"], scripted) == Heard(kept=1)
    assert scripted.asked == [[0, 1, 2], [0, 1]]


def test_a_test_that_stands_as_before_speaks():
    scripted = Scripted(["assert", "pass", "assert"], ["pass", "assert", "assert"])
    assert judged(["pass", "assert", "assert"], scripted) == Heard(0, ("t0",), 1, 1)


def test_nothing_is_run_again_where_a_patch_changes_nothing():
    scripted = Scripted(["pass", "pass", "pass"], ["assert", "assert", "assert"])
    assert judged(["pass", "pass", "pass"], scripted) == Heard(3)
    assert scripted.asked == [[0, 1, 2]]

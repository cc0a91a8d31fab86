"""Settles what was found: which patches hold, what speaks for each, and which of them stand side by side."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from ddax.evolution.baseline import Baseline
from ddax.evolution.evaluator import CodeEvaluator
from ddax.evolution.judging.evidence import Evidence, Finding, weigh
from ddax.evolution.judging.ranker import Ranked, Ranker
from ddax.evolution.judging.ranking import literals
from ddax.evolution.judging.unseen_tests import Heard, Rest, touched
from ddax.evolution.judging.verdict import separate_verdict
from ddax.evolution.minimise import minimise
from ddax.evolution.program.standin import can_be_called
from ddax.evolution.program.suites import Suite
from ddax.evolution.records import Difference, Evaluation, RepairTask, Trust
from ddax.evolution.sandbox.protocol import Sandbox
from ddax.evolution.sandbox.worker import UNLIMITED
from ddax.evolution.search import Found
from ddax.evolution.wording import explain
from ddax.wording import amount

SIDE_BY_SIDE = 3
"""Proposals that are shown at most."""
REFUSED = 8
"""Patches of one pool that may fail the tests that the search did not see before the search goes on."""


@dataclass(frozen=True)
class Solution:
    """A change with which every test passes, and what it rests on."""

    sources: Mapping[str, str]
    evaluation: Evaluation
    hypothesis: str
    reasoning: str
    origin: str
    seconds: float
    trust: Trust
    finding: Finding
    held: tuple[int, int] = (0, 0)
    operators: tuple[str, ...] = ()


@dataclass(frozen=True)
class Settled:
    """The patches that hold, the best first, and inputs on which they differ."""

    solutions: tuple[Solution, ...] = ()
    differences: tuple[Difference, ...] = ()


def standing(finding: Finding) -> tuple[bool, bool, float]:
    """Return what patches stand in order by: a fix, no value of the tests written in, the likeliest."""
    return not finding.fixed, bool(finding.features.get("told")), -finding.chance


class Bench:
    """Judges patches by every test: those of the search, those held out, and the rest of the suite."""

    def __init__(
        self, task: RepairTask, sandbox: Sandbox, evaluator: CodeEvaluator, private: Suite,
        asked: Collection[str], *, left: Callable[[], float] = lambda: UNLIMITED,
    ) -> None:  # fmt: skip
        self.left = left  # seconds
        self.task, self.sandbox, self.evaluator = task, sandbox, evaluator
        self.suite, self.private = evaluator.suite, private
        self.hidden = CodeEvaluator(sandbox, private, limits=evaluator.limits) if private.units else None
        self.rest = Rest(task, asked, sandbox, evaluator.limits)
        self.before: frozenset[int] | None = None
        self.rejected = 0

    def close(self) -> None:
        """End the workers."""
        self.rest.close()
        if self.hidden is not None:
            self.hidden.close()

    def privately(self, sources: Mapping[str, str]) -> tuple[Heard, int]:
        """Return what the held-out tests say of a patch, and how many of them pass with it."""
        if self.hidden is None:
            return Heard(), 0
        if self.before is None:
            self.before = frozenset(row.unit for row in self.hidden.run({}).rows if row.good)
        report = self.hidden.run(sources)
        after = {row.unit for row in report.rows if row.good}
        units = self.private.units
        failing = tuple(unit.id for i, unit in enumerate(units) if i not in after)
        return Heard(len(after & self.before), failing, len(after - self.before)), len(after)

    def settle(self, found: Sequence[Found], baseline: Baseline, *, most: int = SIDE_BY_SIDE) -> Settled:
        """Return the patches of a pool that hold, the best first: a fix alone, or proposals that differ."""
        ranker = Ranker(
            self.evaluator, found[0].baseline or baseline, self.task.files, seconds=max(1.0, self.left())
        )
        ranked = ranker.order(found)
        if self.task.script:  # a script whose end is its only test ends best where what failed is gone
            ranked.sort(key=lambda one: one.found.deletes)
        ways = {one.answers for one in ranked}
        agreed = len(ranked[0].answers) if len(ways) == 1 and len(ranked) > 1 else 0
        rivals = len(ways) - 1 if ranked[0].answers else len(ranked) - 1
        kept: list[tuple[Ranked, Solution]] = []
        refused = 0
        for one in ranked:
            if any(one.answers and one.answers == other.answers for other, _ in kept):
                continue
            solution = self.solution(
                one, baseline, first=found[0].seconds, of=len(found), agreed=agreed, rivals=rivals,
                again=bool(kept),
            )  # fmt: skip
            refused += solution is None
            if solution is not None:
                kept.append((one, solution))
            if len(kept) == most or (kept and (kept[0][1].finding.fixed or self.left() <= 0)):
                break
            if refused >= REFUSED and not kept:
                break
        kept.sort(key=lambda item: standing(item[1].finding))
        kept = kept[:1] if kept and kept[0][1].finding.fixed else kept
        apart = ranker.difference([one for one, _ in kept]) if len(kept) > 1 else None
        return Settled(tuple(s for _, s in kept), (apart,) if apart is not None else ())

    def solution(
        self, one: Ranked, baseline: Baseline, *, first: float, of: int, agreed: int, rivals: int, again: bool
    ) -> Solution | None:
        """Make a plausible patch smaller and confirm it; None where a test refuses it.

        One that comes `again`, beside a better one, or when the time is over, is confirmed once.
        """
        found = one.found
        small = self.smaller(found.sources) if len(found.edits) > 1 and not found.said else found.sources
        heard, passed = self.privately(small)
        beside = self.rest.judge(small)
        if beside.broken or (heard.broken and self.task.hold_out):
            self.rejected += 1
            return None
        again = again or self.left() <= 0  # what a reasoner says is judged apart from it in any case
        evaluation = self.evaluator.confirm(small, runs=1 if again else 3)
        if evaluation.score < 100.0:
            return None
        evidence = Evidence(
            mended=len(baseline.failing),
            # Tests that the caller holds out measure a repair: they choose nothing.
            unseen=(heard.mended if self.task.hold_out else 0) + beside.mended,
            covering=self.covering(small, baseline) + beside.kept,
            examples=one.examples,
            agreed=agreed,
            kept=one.kept,
            rivals=rivals,
            left=beside.left,
        )
        finding = weigh(evidence, self.task.files, small, told=self.told(), features=one.features)
        hypothesis, reasoning, origin = found.said or self.words(found, small, evaluation, of)
        operators = tuple(edit.operator for edit in found.edits) if not found.said else ()
        if again and finding.fixed and self.evaluator.confirm(small, runs=3).score < 100.0:
            return None
        trust: Trust = self.separately(small) if found.said or finding.fixed or not again else "confirmed"
        held = (passed, len(self.private.units))
        return Solution(
            small, evaluation, hypothesis, reasoning, origin, first, trust, finding, held, operators
        )

    def covering(self, sources: Mapping[str, str], baseline: Baseline) -> int:
        """Count the tests that passed before and run what a patch changes."""
        lines = touched(self.task.files, sources)
        return sum(bool(lines & baseline.lines.get(unit, frozenset())) for unit in baseline.passing)

    def told(self) -> frozenset[str]:
        """Return the uncommon literals of the visible tests."""
        return frozenset().union(*(literals(unit.text) for unit in self.suite.units))

    def words(
        self, found: Found, small: Mapping[str, str], evaluation: Evaluation, of: int
    ) -> tuple[str, str, str]:
        """Say what a patch of the search does, and why it was taken."""
        units = amount(len(self.suite.units), "test passes", "tests pass")
        why = f"{evaluation.passed} of {units} with it; candidate {found.tried} of the search"
        best = f", one of {of} that pass" if of > 1 else ""
        return explain(found.edits, self.task.files, small), why + best, "search"

    def smaller(self, sources: Mapping[str, str]) -> dict[str, str]:
        """Return the changed files with what need not change as it was."""
        small = dict(sources)
        for path, text in sources.items():

            def passes(one: str, path: str = path) -> bool:
                return self.evaluator.evaluate({**small, path: one}).score >= 99.0

            small[path] = minimise(self.task.files[path], text, passes)
        return small

    def separable(self) -> bool:
        """Say whether the tests may run in another process than the program at all."""
        called = self.suite.runner == "fast" or (not self.task.conftest and can_be_called(self.task.tests))
        return called and not self.task.script

    def separately(self, sources: Mapping[str, str]) -> Trust:
        """Say how far a confirmed repair can be trusted: by tests in another process, or not."""
        if not self.separable():
            return "confirmed"
        verdict = separate_verdict(self.sandbox, self.suite, sources, limits=self.evaluator.limits)
        return "separate" if verdict.score >= 100.0 else "confirmed"

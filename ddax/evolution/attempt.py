"""One repair in progress: how the program stands, the search, what decides, and the result."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from ddax.configs.settings import Evolution
from ddax.errors import SourceError
from ddax.evolution.baseline import PROBE_TICKS, QUICK, Baseline, measure
from ddax.evolution.evaluator import CodeEvaluator, describe, evaluate_report
from ddax.evolution.inside.loading import module_names
from ddax.evolution.judging.branches import fewer_statements, only_taken_out
from ddax.evolution.judging.inputs import changed_classes
from ddax.evolution.judging.ranker import Ranker
from ddax.evolution.judging.ranking import literals
from ddax.evolution.judging.side_effects import reaching_out
from ddax.evolution.judging.verdict import separate_report, separate_verdict
from ddax.evolution.localise import ranked
from ddax.evolution.minimise import minimise
from ddax.evolution.operators.calls import CHANGING
from ddax.evolution.program.standin import can_be_called
from ddax.evolution.program.suites import Suite
from ddax.evolution.records import Evaluation, RepairResult, RepairTask, Trust
from ddax.evolution.sandbox.protocol import Limits, Sandbox
from ddax.evolution.search import Found, Partial, Search
from ddax.evolution.wording import explain, unified
from ddax.types import Usage
from ddax.wording import amount

FEW_TESTS = 5
LOCATIONS, NEAREST = 10, 8
"""Suspected places, and changes that came close, of which is told."""
ENOUGH_TO_HOLD_OUT = 8
HOLD_OUT_EVERY = 4
"""With `hold_out`, one test in so many is kept from the search where there are enough of them."""
FLAKY_RUNS = 5
CONFIRMING = 0.1
"""Share of the time that is kept for comparing and confirming what was found."""
POOL, MORE = 16, {"fast": 240, "pytest": 60}
"""Plausible repairs that are compared at most, and candidates tried after the first one."""
OF_CLASSES = 3
"""Times as many are tried where the first one changes a class: tests see less of an object than of a call."""


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
    operators: tuple[str, ...] = ()


def limits_of(settings: Evolution) -> Limits:
    """Return a candidate's limits under the settings."""
    return Limits(cpu=settings.candidate_seconds, wall=settings.candidate_seconds + 2.0)


class Attempt:
    """One repair in progress, in one thread."""

    def __init__(
        self, task: RepairTask, settings: Evolution, sandbox: Sandbox, clock: Callable[[], float]
    ) -> None:
        self.task, self.settings, self.clock = task, settings, clock
        self.begin = clock()
        self.sandbox, self.hidden_passed, self.rejected = sandbox, 0, 0
        self.flaky: tuple[str, ...] = ()
        self.baseline: Baseline | None = None
        self.tried, self.late = 0, False
        self.partials: dict[str, str] = {}
        self.near: list[tuple[str, int]] = []  # what mends a part of what fails, and how many tests
        self.searched: Search | None = None
        self._suited: bool | None = None
        self.whole = task.suite()
        self.split(self.whole, task.held_out)

    def split(self, whole: Suite, held_out: Collection[str]) -> None:
        """Part the tests into those that the search sees and those that judge what it found."""
        self.suite, self.private = whole.only(held_out, keep=False), whole.only(held_out, keep=True)
        if not self.suite.units:
            raise SourceError(
                "Every test is held out, so none is left to search by.",
                why="The search must see some tests.",
                mend="Hold fewer tests out.",
            )
        self.evaluator = CodeEvaluator(self.sandbox, self.suite, limits=limits_of(self.settings))

    def close(self) -> None:
        """End the workers."""
        self.evaluator.close()

    def prepare(self) -> Baseline:
        """Measure how the program stands, leave flaky tests out, and hold some back where asked."""
        if not self.private.units:
            self.whole = self.suite = self.evaluator.find_cases()
        self.baseline = measure(self.evaluator, hints=self.task.hints)
        if self.hopeless(self.baseline):
            return self.baseline
        unsteady = self.unsteady(self.baseline)
        held = self.spared(self.baseline, unsteady) if self.task.hold_out else []
        if len(unsteady) == len(self.suite.units):
            raise SourceError(
                "Every test passes at times and fails at times, so none can decide.",
                why="The unchanged program was run several times, and no test ended alike each time.",
                mend="Make the tests steady: fix their seeds, clocks and order.",
            )
        if unsteady or held:
            self.flaky = tuple(unsteady)
            self.close()
            self.split(self.whole.only(unsteady, keep=False), {*self.task.held_out, *held})
            self.baseline = measure(self.evaluator, hints=self.task.hints)
        rows = self.baseline.report.rows
        skips = frozenset(self.suite.units[row.unit].id for row in rows if row.kind == "skip")
        self.suite = self.evaluator.suite = replace(self.suite, skips=skips)
        return self.baseline

    def hopeless(self, baseline: Baseline) -> bool:
        """Tell whether tests cannot be collected for what lies outside of the program: nothing mends that."""
        own = {n.split(".")[0] for p in self.suite.sources for n in module_names(p, self.suite.roots)}
        return any(
            row.kind == "uncollected" and not row.path and not own & set(re.findall(r"'(\w+)", row.message))
            for row in baseline.report.rows
        )

    def unsteady(self, baseline: Baseline) -> list[str]:
        """Return the tests that do not end alike in every one of some runs of the unchanged program."""
        end = self.clock() + 0.1 * self.settings.seconds
        changed: set[int] = set()
        for _ in range(FLAKY_RUNS - 1):
            if self.clock() >= end:
                break
            report = self.evaluator.run({}, ticks=PROBE_TICKS, patience=QUICK)
            good = {row.unit for row in report.rows if row.good}
            changed |= good ^ set(baseline.passing)
        return [self.suite.units[u].id for u in sorted(changed)]

    def spared(self, baseline: Baseline, unsteady: Collection[str]) -> list[str]:
        """Choose the tests that the search shall not see: some of the failing, some of the passing."""
        steady = [u for u in range(len(self.suite.units)) if self.suite.units[u].id not in unsteady]
        if len(steady) < ENOUGH_TO_HOLD_OUT:
            return []
        failing = [u for u in steady if u in baseline.failing]
        passing = [u for u in steady if u not in baseline.failing]
        kept = [*failing[2::HOLD_OUT_EVERY], *passing[1::HOLD_OUT_EVERY]]
        return [self.suite.units[u].id for u in kept]

    def search(self, baseline: Baseline, seconds: float) -> Solution | None:
        """Search over edits until one is confirmed or `seconds` of the attempt are over.

        A further search goes on where the last one ended: it tries nothing again.
        """
        # What came before the search counts, and what it finds has to be confirmed in time.
        end = self.begin + (1 - CONFIRMING) * seconds
        search = Search(self.evaluator, baseline, end=end, clock=self.clock, priors=self.task.priors)
        if self.searched is not None:
            search.follow(self.searched)
        self.searched = search
        stream, solution = search.run(), None
        while solution is None and (pool := self.pool(search, stream)):
            for found in self.ordered(pool, baseline):
                solution = self.settle(found, first=pool[0].seconds, rivals=len(pool) - 1)
                if solution is not None and (not self.task.hold_out or self.holds(solution)):
                    break
                solution = None
        self.tried += search.tried
        self.late = search.cut or self.clock() >= end
        seeds = [*search.partial, *search.further] if solution is None else []
        best = sorted(seeds, key=lambda p: (-p.fixed, p.rank))
        self.partials = dict(map(self.partial, best[:2]))
        nearest = sorted(search.partial, key=lambda p: (-len(p.mended), p.rank)) if solution is None else []
        self.near = [(self.partial(one)[1], len(one.mended)) for one in nearest[:NEAREST]]
        return solution

    def ordered(self, pool: list[Found], baseline: Baseline) -> list[Found]:
        """Order plausible repairs, the most trustworthy first."""
        order = Ranker(self.evaluator, pool[0].baseline or baseline, self.task.files).order(pool)
        # A script whose end is its only test ends best where what failed is gone.
        return sorted(order, key=lambda found: found.deletes) if self.task.script else order

    def partial(self, found: Partial) -> tuple[str, str]:
        """Return the text of a partial repair, and what it does."""
        text = found.text.decode()
        return text, explain((found.edit,), self.task.files, {found.edit.path: text})

    def pool(self, search: Search, stream: Iterator[Found | None]) -> list[Found]:
        """Collect plausible repairs: the first, and those among a fixed number of candidates after it.

        The number is fixed, not the time, so that the same seed gives the same patch.
        """
        found: list[Found] = []
        more = MORE[self.suite.runner]
        for one in stream:
            if one is not None:
                found.append(one)
            if len(found) == 1 and one is not None:  # variants of tests tell classes from others
                classes = (changed_classes(self.task.files[p], text) for p, text in one.sources.items())
                more *= OF_CLASSES if any(classes) else 1
            if found and (len(found) == POOL or search.tried >= found[0].tried + more):
                break
        return found

    def settle(self, found: Found, *, first: float, rivals: int) -> Solution | None:
        """Minimise a plausible repair and confirm it in a fresh sandbox."""
        small = self.smaller(found.sources) if len(found.edits) > 1 else found.sources
        evaluation = self.evaluator.confirm(small)
        if evaluation.score < 100.0:
            return None
        trust = self.separately(small)
        hypothesis = explain(found.edits, self.task.files, small)
        passed, units = evaluation.passed, len(self.suite.units)
        of = amount(units, "test passes", "tests pass")
        reasoning = f"{passed} of {of} with it; candidate {found.tried} of the search"
        if rivals:
            reasoning += f", the best of {rivals + 1} that pass"
        operators = tuple(edit.operator for edit in found.edits)
        return Solution(small, evaluation, hypothesis, reasoning, "search", first, trust, operators)

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

    def holds(self, solution: Solution) -> bool:
        """Say whether the tests kept from the search agree; a repair they refuse is counted."""
        self.judge_privately(solution.sources)
        good = self.hidden_passed == len(self.private.units)
        self.rejected += not good
        return good

    def suited(self) -> bool:
        """Say whether tests in another process judge the original as tests beside it do."""
        if not self.separable():
            return False
        if self._suited is None and self.baseline is not None:
            report = separate_report(self.sandbox, self.suite, {}, limits=self.evaluator.limits)
            passed = {row.unit for row in report.rows if row.good}
            self._suited = set(self.baseline.passing) <= passed
        return self._suited is not False

    def judge_privately(self, sources: Mapping[str, str]) -> None:
        """Count the held-out tests that pass with changed files."""
        if self.private.units:
            with CodeEvaluator(self.sandbox, self.private, limits=self.evaluator.limits) as judge:
                self.hidden_passed = judge.evaluate(sources).passed

    def score(self, path: str, code: str) -> Evaluation:
        """Score a foreign candidate; one that passes counts only if tests in another process agree.

        Where such tests cannot judge even the original, a fresh sandbox confirms, and the result says so.
        """
        evaluation = self.evaluator.evaluate({path: code})
        if evaluation.score < 99.0:
            return evaluation
        if self.suited():
            return separate_verdict(self.sandbox, self.suite, {path: code}, limits=self.evaluator.limits)
        return self.evaluator.confirm({path: code})

    def failures(self, baseline: Baseline) -> tuple[str, ...]:
        """Say which tests fail and how, or why the program does not even load."""
        if baseline.report.stage != "run":
            return (baseline.report.error,)
        failing = [row for row in baseline.report.rows if not row.good]
        return tuple(describe(failing, self.suite).split("\n")) if failing else ()

    def unsolved(self) -> str:
        """Say why nothing was found: the time was over, or every candidate was tried."""
        if not self.tried:
            return "nothing was tried in time" if self.late else "nothing was tried"
        if self.late:
            return "no candidate passed every test in time"
        return "no candidate passed every test, and all of them were tried before the time was over"

    def result(self, solution: Solution | None, usage: Usage, problems: tuple[str, ...]) -> RepairResult:
        """Write the result, with what it rests on."""
        baseline, units = self.baseline, len(self.suite.units)
        before = len(baseline.passing) if baseline else 0
        places = ranked(baseline.suspects)[:LOCATIONS] if baseline else []
        unsolved = RepairResult(
            solved=False,
            score=evaluate_report(baseline.report, self.suite).score if baseline else 0.0,
            diff="",
            files=dict(self.task.files),
            hypothesis="",
            reasoning=self.unsolved(),
            tried=self.tried,
            seconds=self.clock() - self.begin,
            first_seconds=0.0,
            tests_before=(before, units),
            tests_after=(before, units),
            held_out=(0, len(self.private.units)),
            trust="none",
            caveats=(*self.doubts(), *problems),
            failures=self.failures(baseline) if baseline else (),
            suspicious=tuple((path, line, score) for (path, line), score in places),
            usage=usage,
            out_of_time=solution is None and self.late,
        )
        return unsolved if solution is None else self.solved(unsolved, solution)

    def doubts(self) -> tuple[str, ...]:
        """Say which tests were left out because they do not end alike in every run."""
        return (f"flaky tests were left out: {', '.join(self.flaky)}",) if self.flaky else ()

    def solved(self, frame: RepairResult, solution: Solution) -> RepairResult:
        """Fill in what a solution brought."""
        return replace(
            frame,
            solved=True,
            score=solution.evaluation.score,
            diff=unified(self.task.files, solution.sources),
            files={**self.task.files, **solution.sources},
            hypothesis=solution.hypothesis,
            reasoning=solution.reasoning,
            first_seconds=solution.seconds,
            tests_after=(solution.evaluation.passed, len(self.suite.units)),
            held_out=(self.hidden_passed, len(self.private.units)),
            trust=solution.trust,
            caveats=(
                *self.caveats(solution.trust),
                *self.removed(solution),
                *self.changing(solution),
                *self.by_heart(solution),
                *reaching_out(self.task.files, solution.sources),
                *frame.caveats,
            ),
            origin=solution.origin,
            operators=solution.operators,
        )

    def removed(self, solution: Solution) -> tuple[str, ...]:
        """Say whether code is gone with a solution; where a script's end is the only test, any part of it."""
        for path, new in solution.sources.items():
            old = self.task.files[path]
            if fewer_statements(old, new) or (self.task.script and only_taken_out(old, new)):
                return ("the patch removes code: see that nothing is lost with it",)
        return ()

    def changing(self, solution: Solution) -> tuple[str, ...]:
        """Say whether a method that changes its object stands now where one only read."""
        if CHANGING not in solution.operators:
            return ()
        return ("the patch calls a method that changes its object where one only read: see what is lost",)

    def by_heart(self, solution: Solution) -> tuple[str, ...]:
        """Say which value of the tests stands in a solution and nowhere in the program before it."""
        if self.private.units:  # they would have failed it
            return ()
        told = frozenset().union(*(literals(unit.text) for unit in self.suite.units))
        new = frozenset().union(*(literals(text) for text in solution.sources.values()))
        before = "\n".join(self.task.files.values())
        learnt = sorted(value for value in new & told if value.strip("'\"") not in before)
        values = " and ".join(learnt[:2])
        said = f"the patch has {values} from the tests: see that it is no answer by heart"
        return (said,) if learnt else ()

    def caveats(self, trust: Trust) -> tuple[str, ...]:
        """Say what to distrust."""
        units, total = len(self.suite.units), len(self.private.units)
        notes = ["all tests decided, none was held out"]
        if total:
            of = amount(total, "held-out test passes", "held-out tests pass")
            notes = [f"{self.hidden_passed} of {of}"]
        if self.rejected:
            earlier = amount(self.rejected, "earlier candidate")
            notes.append(f"{earlier} passed every test of the search and failed a held-out one")
        if self.task.script:
            notes.append("the only test is that the script ends without an error: its results are unchecked")
        elif trust != "separate":
            notes.append(
                "the tests could not judge from a process of their own: a cheat would not be noticed"
            )
        if units <= FEW_TESTS and not self.task.script:
            notes.append(f"only {amount(units, 'test')}: the repair may fit these and nothing else")
        return tuple(notes)

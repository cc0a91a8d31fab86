"""One repair in progress: how the program stands, the search, and what decides."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from difflib import get_close_matches

from ddax.configs.settings import Evolution
from ddax.errors import SourceError
from ddax.evolution.baseline import PROBE_TICKS, QUICK, Baseline, measure, with_suspects
from ddax.evolution.evaluator import CodeEvaluator, describe
from ddax.evolution.inside.loading import module_names
from ddax.evolution.judging.inputs import changed_classes
from ddax.evolution.judging.settling import Bench, Settled
from ddax.evolution.judging.verdict import separate_report, separate_verdict
from ddax.evolution.program.suites import Suite
from ddax.evolution.program.test_code import of_tests, told_by_judges
from ddax.evolution.records import Evaluation, RepairTask
from ddax.evolution.sandbox.protocol import SLACK, Limits, Sandbox
from ddax.evolution.search import Found, Partial, Search
from ddax.evolution.wording import explain

NEAREST = 8
"""Changes that came close of which is told."""
ENOUGH_TO_HOLD_OUT = 8
HOLD_OUT_EVERY = 4
FAILING_EVERY = 3
"""With `hold_out`, one test in so many is kept from the search where there are enough of them."""
ENOUGH_TO_LOCATE, WIDE, LOCATING = 8, 60, 0.04
"""Passing tests that say where a fault may be, suspected lines from which on fewer do not say it, and share
of the time in which others are traced for it."""
FLAKY_RUNS = 5
CONFIRMING, RUNS, HALF = 0.1, 8, 0.5
"""Share of the time that is kept for comparing and confirming what was found, and how many runs of all tests
that takes; it is a half at most."""
POOL, MORE = 16, {"fast": 240, "pytest": 60}
"""Plausible repairs that are compared at most, and candidates tried after the first one."""
ENDLESS = 0.3
"""Share of the time after which tests that seem to have no end get no more of it."""
JUDGED = 98.0
JUDGES = "it changes code by which the tests judge, which stays as it is"
"""The score of a candidate that passes by changing what judges it, and what is said of it."""
OF_CLASSES = 3
"""Times as many are tried where the first one changes a class: tests see less of an object than of a call."""


def limits_of(settings: Evolution) -> Limits:
    """Return a candidate's limits under the settings."""
    return Limits(cpu=settings.candidate_seconds, wall=settings.candidate_seconds + 2.0)


def free(task: RepairTask) -> RepairTask:
    """Return a task with the targets that are no files of tests; raises SourceError where none is left."""
    targets = tuple(path for path in task.targets if not of_tests(path))
    if not targets:
        raise SourceError(
            "Every file that may change belongs to the tests.",
            why="What judges a repair is not changed by it.",
            mend="Name the files of the program.",
        )
    return replace(task, targets=targets)


class Attempt:
    """One repair in progress, in one thread."""

    def __init__(
        self, task: RepairTask, settings: Evolution, sandbox: Sandbox, clock: Callable[[], float]
    ) -> None:
        self.task, self.settings, self.clock = free(task), settings, clock
        self.begin = clock()
        self.sandbox = sandbox
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
        self.bench = self.benched()

    def benched(self) -> Bench:
        """Make what judges patches; no test that was asked for is one of the rest, be it flaky."""
        asked = {u.id for u in self.whole.units}
        return Bench(self.task, self.sandbox, self.evaluator, self.private, asked, left=self.left)

    def left(self) -> float:
        """Return how many seconds are left."""
        return self.begin + self.settings.seconds - self.clock()

    def close(self) -> None:
        """End the workers."""
        self.bench.close()
        self.evaluator.close()

    def stands(self) -> Baseline:
        """Measure how the program stands; what never ends may take no more than a share of the time."""
        late = (1 - ENDLESS) * self.settings.seconds
        return measure(self.evaluator, hints=self.task.hints, late=lambda: self.left() < late)

    def prepare(self) -> Baseline:
        """Measure how the program stands, leave flaky tests out, and hold some back where asked.

        Where measuring takes half of the time, no test is held back or run again.
        """
        if not self.private.units:
            self.whole = self.suite = self.evaluator.find_cases()
            self.bench = self.benched()
        self.baseline = self.stands()
        if self.hopeless(self.baseline) or self.left() < HALF * self.settings.seconds:
            return self.allowing_skips(self.baseline)
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
            self.baseline = self.stands()
        self.baseline = self.located(self.baseline)
        return self.allowing_skips(self.baseline)

    def located(self, baseline: Baseline) -> Baseline:
        """Suspect less what the rest of the suite runs and passes, where few tests were asked for."""
        told = len(baseline.passing) >= ENOUGH_TO_LOCATE or len(baseline.suspects) < WIDE
        if told or not baseline.failing:
            return baseline
        beside = self.bench.rest.passed(LOCATING * self.settings.seconds)
        return with_suspects(baseline, self.suite, self.task.hints, beside) if beside else baseline

    def allowing_skips(self, baseline: Baseline) -> Baseline:
        """Note which tests the unchanged program skips: a candidate may skip no others."""
        rows = baseline.report.rows
        skips = frozenset(self.suite.units[row.unit].id for row in rows if row.kind == "skip")
        self.suite = self.evaluator.suite = self.bench.suite = replace(self.suite, skips=skips)
        return baseline

    def hopeless(self, baseline: Baseline, *, written: bool = False) -> bool:
        """Tell whether tests cannot be collected for what no small edit of the program brings.

        That is what lies outside of it, and a name of its own that is like none in it, which may be `written`
        by a model.
        """
        own = {name for path in self.suite.sources for name in module_names(path, self.suite.roots)}
        words = set(re.findall(r"\w+", " ".join(self.suite.sources.values())))
        for row in baseline.report.rows:
            if row.kind != "uncollected" or row.path:
                continue
            named = re.findall(r"'([\w.]+)", row.message)
            foreign = not {n.split(".")[0] for n in own} & {n.split(".")[0] for n in named}
            wanted = [n.split(".")[-1] for n in named if n not in own]
            near = any(get_close_matches(word, words, 1) for word in wanted)
            if foreign or (wanted and not near and not written):
                return True
        return False

    def unsteady(self, baseline: Baseline) -> list[str]:
        """Return the tests that do not end alike in every one of some runs of the unchanged program."""
        end = self.clock() + 0.1 * self.settings.seconds
        changed, last = set[int](), 0.0
        for _ in range(FLAKY_RUNS - 1):
            begun = self.clock()
            if begun + last >= end:
                break
            report = self.evaluator.run({}, ticks=PROBE_TICKS, patience=QUICK)
            good = {row.unit for row in report.rows if row.good}
            changed |= good ^ set(baseline.passing)
            last = self.clock() - begun
        return [self.suite.units[u].id for u in sorted(changed)]

    def spared(self, baseline: Baseline, unsteady: Collection[str]) -> list[str]:
        """Choose the tests that the search shall not see: some of the failing, some of the passing.

        A failing test that it did not see says most of a patch.
        """
        steady = [u for u in range(len(self.suite.units)) if self.suite.units[u].id not in unsteady]
        if len(steady) < ENOUGH_TO_HOLD_OUT:
            return []
        failing = [u for u in steady if u in baseline.failing]
        passing = [u for u in steady if u not in baseline.failing]
        kept = [*failing[1::FAILING_EVERY], *passing[1::HOLD_OUT_EVERY]]
        return [self.suite.units[u].id for u in kept]

    def search(self, baseline: Baseline, seconds: float) -> Settled:
        """Search over edits until something holds or `seconds` of the attempt are over.

        A further search goes on where the last one ended: it tries nothing again.
        """
        # What came before the search counts, and what it finds has to be confirmed in time.
        runs = RUNS * self.evaluator.pace.whole(range(len(self.suite.units))) / SLACK
        kept = min(HALF * seconds, max(CONFIRMING * seconds, runs))
        end = self.begin + seconds - kept
        search = Search(self.evaluator, baseline, end=end, clock=self.clock, priors=self.task.priors)
        if self.searched is not None:
            search.follow(self.searched)
        self.searched = search
        stream, settled = search.run(), Settled()
        while not settled.solutions and (pool := self.pool(search, stream)):
            settled = self.bench.settle(pool, baseline)
        self.tried += search.tried
        self.late = search.cut or self.clock() >= end
        if not settled.solutions:
            self.remember(search)
        return settled

    def remember(self, search: Search) -> None:
        """Keep what came close, for who goes on."""
        best = sorted([*search.partial, *search.further], key=lambda p: (-p.fixed, p.rank))
        self.partials = dict(map(self.partial, best[:2]))
        nearest = sorted(search.partial, key=lambda p: (-len(p.mended), p.rank))
        self.near = [(self.partial(one)[1], len(one.mended)) for one in nearest[:NEAREST]]

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

    def suited(self) -> bool:
        """Say whether tests in another process judge the original as tests beside it do."""
        if not self.bench.separable():
            return False
        if self._suited is None and self.baseline is not None:
            report = separate_report(self.sandbox, self.suite, {}, limits=self.evaluator.limits)
            passed = {row.unit for row in report.rows if row.good}
            self._suited = set(self.baseline.passing) <= passed
        return self._suited is not False

    def score(self, path: str, code: str) -> Evaluation:
        """Score a foreign candidate; one that passes counts only if tests in another process agree.

        Where such tests cannot judge even the original, a fresh sandbox confirms, and the result says so.
        """
        evaluation = self.evaluator.evaluate({path: code})
        if evaluation.score < 99.0:
            return evaluation
        files, tests = self.task.files, tuple(self.task.tests.values())
        if told_by_judges(files, tests) != told_by_judges({**files, path: code}, tests):
            return replace(evaluation, score=JUDGED, correctness_valid=False, report=JUDGES)
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

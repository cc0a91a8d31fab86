"""Repairs a program against its tests: search over edits first, then generations of a reasoner's patches.

The public door of this package for the graph and the command line. Nothing is written anywhere.
"""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from numpy.random import Generator

from ddax.configs.settings import Evolution
from ddax.errors import SandboxError, SourceError
from ddax.evolution.evaluator import CodeEvaluator, describe
from ddax.evolution.localise import ranked
from ddax.evolution.minimise import minimise
from ddax.evolution.operators import Edit
from ddax.evolution.population import EvolutionarySolver, Evolved
from ddax.evolution.records import Evaluation, RepairResult, RepairTask, Trust
from ddax.evolution.sandbox.probe import choose
from ddax.evolution.sandbox.protocol import Limits, Sandbox
from ddax.evolution.search import Baseline, Found, Search, measure
from ddax.evolution.suites import build_suite
from ddax.evolution.verdict import separate_report, separate_verdict
from ddax.reasoning.protocol import CodeCandidate, Patches, PatchRequest, Reasoner
from ddax.types import Usage

MODEL_SHARE = 0.4
"""Share of the time that search over edits gets where a model follows."""
FEW_TESTS = 5
LOCATIONS = 10


@dataclass(frozen=True)
class _Solution:
    sources: Mapping[str, str]
    evaluation: Evaluation
    hypothesis: str
    reasoning: str
    origin: str
    seconds: float
    trust: Trust


def unified(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    """Write the changes as one unified diff."""
    parts = []
    for path in sorted(new):
        before, after = old.get(path, "").splitlines(True), new[path].splitlines(True)
        lines = difflib.unified_diff(before, after, f"a/{path}", f"b/{path}")
        parts += [
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
        ]
    return "".join(parts)


def explain(edits: Sequence[Edit], files: Mapping[str, str]) -> str:
    """Say in words what the edits do."""
    words = []
    for edit in edits:
        old = files[edit.path].encode()[edit.start : edit.end].decode(errors="replace").strip()
        new = " ".join(edit.text.split())
        what = f"replace `{' '.join(old.split())[:80]}` by `{new[:120]}`" if new else f"remove `{old[:80]}`"
        words.append(f"{edit.path} line {edit.line}: {what} ({edit.operator.replace('_', ' ')})")
    return "; ".join(words)


def limits_of(settings: Evolution) -> Limits:
    """Return a candidate's limits under the settings."""
    return Limits(cpu=settings.candidate_seconds, wall=settings.candidate_seconds + 2.0)


class _Repair:
    """One repair in progress, in one thread."""

    def __init__(
        self, task: RepairTask, settings: Evolution, sandbox: Sandbox, clock: Callable[[], float]
    ) -> None:
        self.task, self.settings, self.clock = task, settings, clock
        self.begin = clock()
        whole = build_suite(task.files, task.targets, task.tests)
        self.suite = whole.only(task.held_out, keep=False)
        self.private = whole.only(task.held_out, keep=True)
        if not self.suite.units:
            raise SourceError("Every test is held out, so none is left to search by.")
        self.sandbox, self.hidden_passed = sandbox, 0
        self.evaluator = CodeEvaluator(sandbox, self.suite, limits=limits_of(settings))
        self.baseline: Baseline | None = None
        self.tried = 0
        self.partials: dict[str, str] = {}
        self._suited: bool | None = None

    def prepare(self) -> Baseline:
        """Measure how the program stands."""
        self.baseline = measure(self.evaluator)
        return self.baseline

    def search(self, baseline: Baseline, seconds: float) -> _Solution | None:
        """Search over edits until one is confirmed or the time is over."""
        search = Search(self.evaluator, baseline, seconds=seconds, clock=self.clock)
        solution = None
        for found in search.run():
            solution = self.settle(found)
            if solution is not None:
                break
        self.tried += search.tried
        best = sorted(search.partial, key=lambda p: (-p.fixed, p.rank))[:2] if solution is None else []
        self.partials = {p.text.decode(): explain((p.edit,), self.task.files) for p in best}
        return solution

    def settle(self, found: Found) -> _Solution | None:
        """Minimise a plausible repair and confirm it in a fresh sandbox."""
        path, text = next(iter(found.sources.items()))
        small = text
        if len(found.edits) > 1:
            small = minimise(
                self.task.files[path], text, lambda t: self.evaluator.evaluate({path: t}).score >= 99.0
            )
        evaluation = self.evaluator.confirm({path: small})
        if evaluation.score < 100.0:
            return None
        trust = self.separately({path: small})
        hypothesis = explain(found.edits, self.task.files)
        passed, units = evaluation.passed, len(self.suite.units)
        reasoning = f"{passed} of {units} tests pass with it; candidate {found.tried} of the search"
        return _Solution({path: small}, evaluation, hypothesis, reasoning, "search", found.seconds, trust)

    def separately(self, sources: Mapping[str, str]) -> Trust:
        """Say how far a confirmed repair can be trusted: by tests in another process, or not."""
        verdict = separate_verdict(self.sandbox, self.suite, sources, limits=self.evaluator.limits)
        return "separate" if verdict.score >= 100.0 else "confirmed"

    def suited(self) -> bool:
        """Say whether tests in another process judge the original as tests beside it do."""
        if self._suited is None and self.baseline is not None:
            report = separate_report(self.sandbox, self.suite, {}, limits=self.evaluator.limits)
            passed = {row.unit for row in report.rows if row.good}
            self._suited = set(self.baseline.passing) <= passed
        return self._suited is not False

    def judge_privately(self, solution: _Solution) -> None:
        """Count the held-out tests that pass with a solution."""
        if self.private.units:
            with CodeEvaluator(self.sandbox, self.private, limits=self.evaluator.limits) as judge:
                self.hidden_passed = judge.evaluate(solution.sources).passed

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

    def request(self, baseline: Baseline) -> tuple[str, PatchRequest]:
        """Make the reasoner's request for the most suspected file."""
        places = ranked(baseline.suspects)
        path = next((p for (p, _), _ in places if p in self.task.targets), self.task.targets[0])
        lines = tuple(line for (p, line), _ in places if p == path)[:LOCATIONS]
        failures = tuple(describe([r for r in baseline.report.rows if not r.good], self.suite).split("\n"))
        request = PatchRequest(
            self.task.goal or "make the tests pass",
            self.task.files[path],
            failures,
            lines,
            self.settings.evolution_population_size,
        )
        return path, request

    def result(self, solution: _Solution | None, usage: Usage, problems: tuple[str, ...]) -> RepairResult:
        """Write the result, with what it rests on."""
        baseline, units = self.baseline, len(self.suite.units)
        before = len(baseline.passing) if baseline else 0
        places = ranked(baseline.suspects)[:LOCATIONS] if baseline else []
        unsolved = RepairResult(
            solved=False,
            score=40.0 + 20.0 * before / units if before else 0.0,
            diff="",
            files=dict(self.task.files),
            hypothesis="",
            reasoning="no candidate passed every test in time" if self.tried else "nothing was tried",
            tried=self.tried,
            seconds=self.clock() - self.begin,
            first_seconds=0.0,
            tests_before=(before, units),
            tests_after=(before, units),
            held_out=(0, len(self.private.units)),
            trust="none",
            caveats=problems,
            suspicious=tuple((path, line, score) for (path, line), score in places),
            usage=usage,
        )
        return unsolved if solution is None else self.solved(unsolved, solution)

    def solved(self, frame: RepairResult, solution: _Solution) -> RepairResult:
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
            caveats=(*self.caveats(solution.trust), *frame.caveats),
            origin=solution.origin,
        )

    def caveats(self, trust: Trust) -> tuple[str, ...]:
        """Say what to distrust."""
        units = len(self.suite.units)
        total = len(self.private.units)
        held = (
            f"{self.hidden_passed} of {total} held-out tests pass"
            if total
            else "all tests decided, none was held out"
        )
        notes = [held]
        if trust != "separate":
            notes.append(
                "the tests could not judge from a process of their own: a cheat would not be noticed"
            )
        if units <= FEW_TESTS:
            notes.append(
                f"only {units} test{'s' if units > 1 else ''}: the repair may fit these and nothing else"
            )
        return tuple(notes)


def _begin(run: _Repair, seconds: float) -> tuple[Baseline, _Solution | None]:
    baseline = run.prepare()
    if not baseline.failing:
        return baseline, None
    return baseline, run.search(baseline, seconds)


async def repair(
    task: RepairTask,
    *,
    settings: Evolution,
    rng: Generator,
    clock: Callable[[], float],
    reasoner: Reasoner | None = None,
    sandbox: Sandbox | None = None,
) -> RepairResult:
    """Find a change of the targets with which every test passes.

    `clock` returns seconds; `reasoner`, where given, follows the search with its own candidates.
    Raises SandboxError where no sandbox holds, SourceError where the tests cannot be read.
    """
    chosen = sandbox if sandbox is not None else await asyncio.to_thread(choose)
    run = _Repair(task, settings, chosen, clock)
    share = MODEL_SHARE if reasoner is not None else 1.0
    usage, problems = Usage(), tuple[str, ...]()
    with run.evaluator:
        baseline, solution = await asyncio.to_thread(_begin, run, share * settings.seconds)
        if not baseline.failing:
            return replace(
                run.result(None, usage, ("every test passes already",)), reasoning="nothing to repair"
            )
        if solution is None and reasoner is not None:
            evolved, path = await _generations(run, baseline, reasoner, rng)
            usage, problems = evolved.usage, evolved.problems
            solution = _won(evolved, path, clock() - run.begin, "separate" if run.suited() else "confirmed")
            run.tried += evolved.tried
    if solution is not None:
        await asyncio.to_thread(run.judge_privately, solution)
    return run.result(solution, usage, problems)


async def _generations(
    run: _Repair, baseline: Baseline, reasoner: Reasoner, rng: Generator
) -> tuple[Evolved, str]:
    path, request = run.request(baseline)
    solver = EvolutionarySolver(
        reasoner,
        lambda code: run.score(path, code),
        size=run.settings.evolution_population_size,
        generations=run.settings.evolution_max_generations,
        rng=rng,
    )
    return await solver.evolve(request, seeds=run.partials), path


def _won(evolved: Evolved, path: str, seconds: float, trust: Trust) -> _Solution | None:
    best = evolved.best
    if best is None or best.evaluation.score < 100.0:
        return None
    code: CodeCandidate = best.candidate
    return _Solution(
        {path: code.code}, best.evaluation, code.hypothesis, code.reasoning, best.origin, seconds, trust
    )


def template_patcher(
    tests: Mapping[str, str],
    *,
    path: str = "program.py",
    settings: Evolution,
    clock: Callable[[], float],
    sandbox: Sandbox | None = None,
) -> Callable[[PatchRequest], Patches]:
    """Return a function from a PatchRequest to Patches that searches over edits; for the embedded reasoner.

    It blocks; call it in a thread. Without a repair it returns the best partial ones, and says so.
    """

    def patch(request: PatchRequest) -> Patches:
        task = RepairTask({path: request.code}, (path,), tests, request.goal)
        run = _Repair(task, settings, sandbox or choose(), clock)
        with run.evaluator:
            baseline, solution = _begin(run, settings.seconds)
        if not baseline.failing:
            return Patches(())
        if solution is not None:
            return Patches((CodeCandidate(solution.hypothesis, solution.sources[path], solution.reasoning),))
        partial = [
            CodeCandidate(why, code, "mends some of the tests only") for code, why in run.partials.items()
        ]
        return Patches(tuple(partial[: request.n]))

    return patch


__all__ = ["RepairResult", "RepairTask", "SandboxError", "explain", "repair", "template_patcher", "unified"]

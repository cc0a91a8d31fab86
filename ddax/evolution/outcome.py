"""Writes the result of a repair: what was found, what it rests on, and what to distrust."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from ddax.evolution.attempt import Attempt
from ddax.evolution.evaluator import evaluate_report
from ddax.evolution.judging.branches import fewer_statements, only_taken_out
from ddax.evolution.judging.ranking import literals
from ddax.evolution.judging.settling import Settled, Solution
from ddax.evolution.judging.side_effects import reaching_out
from ddax.evolution.localise import ranked
from ddax.evolution.operators.calls import CHANGING
from ddax.evolution.records import Proposal, RepairResult
from ddax.evolution.wording import unified
from ddax.types import Usage
from ddax.wording import amount

FEW_TESTS, LOCATIONS = 5, 10
"""Tests that are few, and suspected places of which is told."""


def result_of(
    run: Attempt,
    settled: Settled,
    usage: Usage,
    problems: Collection[str] = (),
) -> RepairResult:
    """Write the result of an attempt: a fix, proposals, or how it stands without either."""
    frame = _unsolved(run, usage, tuple(problems))
    patches = tuple(_proposal(run, one) for one in settled.solutions)
    if not patches:
        return replace(frame, out_of_time=run.late)
    if patches[0].finding.fixed:
        return replace(frame.with_patch(patches[0]), status="fixed")
    first = patches[0]
    return replace(
        frame,
        status="proposed",
        score=first.score,
        reasoning=_proposing(len(patches)),
        first_seconds=first.first_seconds,
        tests_after=first.tests_after,
        held_out=first.held_out,
        trust=first.trust,
        origin=first.origin,
        proposals=patches,
        differences=settled.differences,
    )


def _proposing(count: int) -> str:
    many = f"{count} patches pass" if count > 1 else "a patch passes"
    return f"{many} every test, and too little beside the failing tests says that it is right"


def _unsolved(run: Attempt, usage: Usage, problems: tuple[str, ...]) -> RepairResult:
    baseline, units = run.baseline, len(run.suite.units)
    before = len(baseline.passing) if baseline else 0
    places = ranked(baseline.suspects)[:LOCATIONS] if baseline else []
    return RepairResult(
        status="none",
        score=evaluate_report(baseline.report, run.suite).score if baseline else 0.0,
        diff="",
        files=dict(run.task.files),
        hypothesis="",
        reasoning=run.unsolved(),
        tried=run.tried,
        seconds=run.clock() - run.begin,
        first_seconds=0.0,
        tests_before=(before, units),
        tests_after=(before, units),
        held_out=(0, len(run.private.units)),
        trust="none",
        caveats=(*_doubts(run), *problems),
        failures=run.failures(baseline) if baseline else (),
        suspicious=tuple((path, line, score) for (path, line), score in places),
        usage=usage,
    )


def _doubts(run: Attempt) -> tuple[str, ...]:
    """Say which tests were left out, since they do not end alike in every run or do not run in time."""
    flaky = (f"flaky tests were left out: {', '.join(run.flaky)}",) if run.flaky else ()
    silent = "the rest of the suite could not be run, so that it says nothing"
    rest = (silent,) if run.bench.rest.silent else ()
    return (*flaky, *rest)


def _proposal(run: Attempt, solution: Solution) -> Proposal:
    """Write what a solution brought."""
    files = run.task.files
    return Proposal(
        diff=unified(files, solution.sources),
        files={**files, **solution.sources},
        hypothesis=solution.hypothesis,
        reasoning=solution.reasoning,
        score=solution.evaluation.score,
        tests_after=(solution.evaluation.passed, len(run.suite.units)),
        held_out=solution.held,
        trust=solution.trust,
        finding=solution.finding,
        first_seconds=solution.seconds,
        origin=solution.origin,
        operators=solution.operators,
        caveats=(
            *_caveats(run, solution),
            *_removed(run, solution),
            *_changing(solution),
            *_by_heart(run, solution),
            *reaching_out(files, solution.sources),
        ),
    )


def _removed(run: Attempt, solution: Solution) -> tuple[str, ...]:
    """Say whether code is gone with a solution; where a script's end is the only test, any part of it."""
    for path, new in solution.sources.items():
        old = run.task.files[path]
        if fewer_statements(old, new) or (run.task.script and only_taken_out(old, new)):
            return ("the patch removes code: see that nothing is lost with it",)
    return ()


def _changing(solution: Solution) -> tuple[str, ...]:
    """Say whether a method that changes its object stands now where one only read."""
    if CHANGING not in solution.operators:
        return ()
    return ("the patch calls a method that changes its object where one only read: see what is lost",)


def _by_heart(run: Attempt, solution: Solution) -> tuple[str, ...]:
    """Say which value of the tests stands in a solution and nowhere in the program before it."""
    if run.private.units:  # they would have failed it
        return ()
    told = frozenset().union(*(literals(unit.text) for unit in run.suite.units))
    new = frozenset().union(*(literals(text) for text in solution.sources.values()))
    before = "\n".join(run.task.files.values())
    learnt = sorted(value for value in new & told if value.strip("'\"") not in before)
    values = " and ".join(learnt[:2])
    return (f"the patch has {values} from the tests: see that it is no answer by heart",) if learnt else ()


def _caveats(run: Attempt, solution: Solution) -> tuple[str, ...]:
    """Say what to distrust."""
    units, (passed, total), script = len(run.suite.units), solution.held, run.task.script
    covering, trust = solution.finding.evidence.covering, solution.trust
    notes = ["all tests decided, none was held out"]
    if total:
        notes = [f"{passed} of {amount(total, 'held-out test passes', 'held-out tests pass')}"]
    if covering:
        notes.append(f"{amount(covering, 'test', 'tests')} of the changed code passed before and still")
    if run.bench.rejected:
        earlier = amount(run.bench.rejected, "earlier candidate")
        notes.append(f"{earlier} passed every test of the search and failed a held-out one")
    if script:
        notes.append("the only test is that the script ends without an error: its results are unchecked")
    elif trust != "separate":
        notes.append("the tests did not judge from a process of their own: a cheat would not be noticed")
    if units <= FEW_TESTS and not script:
        notes.append(f"only {amount(units, 'test')}: the repair may fit these and nothing else")
    return tuple(notes)

"""What a repair asks a reasoner: what it is shown, and how its candidates are judged.

The search comes first and is cheap; what it tried and how close it came is a part of what is asked.
"""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Iterable
from dataclasses import replace

from numpy.random import Generator

from ddax.evolution.attempt import Attempt
from ddax.evolution.baseline import Baseline
from ddax.evolution.judging.settling import Settled
from ddax.evolution.localise import ranked
from ddax.evolution.minimise import minimise
from ddax.evolution.operators import Edit
from ddax.evolution.operators.base import FunctionNode
from ddax.evolution.outcome import LOCATIONS
from ddax.evolution.population import EvolutionarySolver, Evolved
from ddax.evolution.program.imports import parsed
from ddax.evolution.records import Evaluation
from ddax.evolution.search import Found
from ddax.evolution.shown_program import called_elsewhere, failing_tests, outlined
from ddax.evolution.wording import by_lines, unified
from ddax.reasoning.protocol import CodeCandidate, PatchRequest, Reasoner
from ddax.reasoning.sourced import CODE_READ, TOLD, sourced
from ddax.wording import amount

NEAR = 5
"""Changes that came close which are told."""
CHANGED = 600
"""Characters of a change that are told."""
KEPT_BACK = "it passes every test that is shown, and fails one that is kept back: it fits these tests alone"


def request_of(run: Attempt, baseline: Baseline) -> tuple[str, PatchRequest]:
    """Make the reasoner's request for the most suspected file."""
    places = ranked(baseline.suspects)
    path = next((p for (p, _), _ in places if p in run.task.targets), run.task.targets[0])
    lines = tuple(line for (p, line), _ in places if p == path)[:LOCATIONS]
    code = run.task.files[path]
    request = PatchRequest(
        run.task.goal or "make the tests pass",
        code,
        told_failures(run, baseline),
        lines,
        run.settings.evolution_population_size,
        shown=outlined(code, lines),
        called=called_elsewhere(run.task.files, path, lines),
        tried=tuple(tried(run, baseline)),
    )
    origins = dict.fromkeys(("code", "failures", "shown", "called", "tried"), CODE_READ)
    return path, sourced(request, goal=TOLD, **origins)


def told_failures(run: Attempt, baseline: Baseline) -> tuple[str, ...]:
    """Tell of the failing tests, or why the program does not even load."""
    if baseline.report.stage != "run":
        return (baseline.report.error,)
    rows = [row for row in baseline.report.rows if not row.good]
    return failing_tests(run.evaluator, rows, baseline.changed, ticks=baseline.ticks)


def tried(run: Attempt, baseline: Baseline) -> Iterable[str]:
    """Yield what the search has tried, and how close the best of it came."""
    if not run.tried:
        return
    yield f"{amount(run.tried, 'small change')} of one or two places, none of which passes every test"
    failing = len(baseline.failing)
    for what, mended in run.near[:NEAR]:
        yield f"{what}: mends {mended} of {amount(failing, 'failing test')}"


class Judge:
    """Judges the candidates for one file."""

    def __init__(self, run: Attempt, path: str) -> None:
        self.run, self.path = run, path

    def score(self, code: str) -> Evaluation:
        """Score a candidate; one that fails a test kept from everybody has not won."""
        found = self.run.score(self.path, code)
        if found.score < 100.0 or not self.run.task.hold_out or not self.run.private.units:
            return found
        if not self.run.bench.privately({self.path: code})[0].broken:
            return found
        self.run.bench.rejected += 1
        return replace(found, score=98.0, correctness_valid=False, report=KEPT_BACK)

    def tell(self, code: str) -> str:
        """Tell of the tests that a candidate fails, with their values; "" where there is nothing to tell."""
        report = self.run.evaluator.run({self.path: code})
        rows = [row for row in report.rows if not row.good]
        return "\n\n".join(failing_tests(self.run.evaluator, rows, {self.path: code})) or report.error

    def change(self, code: str) -> str:
        """Return what a candidate changes, as the lines of a diff."""
        lines = unified({"": self.run.task.files[self.path]}, {"": code}).splitlines()
        changed = (line for line in lines[2:] if line[:1] in "+-")
        return "\n".join(changed)[:CHANGED]


async def generations(
    run: Attempt, baseline: Baseline, reasoner: Reasoner, rng: Generator
) -> tuple[Evolved, str]:
    """Let generations of the reasoner's candidates compete; return what came of it and for which file."""
    path, request = await asyncio.to_thread(request_of, run, baseline)
    judge = Judge(run, path)
    solver = EvolutionarySolver(
        reasoner,
        judge.score,
        size=run.settings.evolution_population_size,
        generations=run.settings.evolution_max_generations,
        rng=rng,
        late=lambda: run.clock() - run.begin >= run.settings.seconds,
        tell=judge.tell,
        change=judge.change,
        show=lambda code: outlined(code, request.suspicious),
    )
    return await solver.evolve(request, seeds=run.partials), path


def won(run: Attempt, baseline: Baseline, evolved: Evolved, path: str, seconds: float) -> Settled:
    """Weigh the candidates that passed, without the changes they do not need, as what the search finds."""
    found = []
    for one in evolved.won:
        code: CodeCandidate = one.candidate
        text = needed(run, path, code.code)
        said = (code.hypothesis, code.reasoning, one.origin)
        edits = edits_of(path, run.task.files[path], text)
        found.append(Found({path: text}, edits, run.tried, seconds, said=said))
    return run.bench.settle(found, baseline) if found else Settled()


def edits_of(path: str, old: str, new: str) -> tuple[Edit, ...]:
    """Return what differs between two texts as edits one after the other, by lines."""
    edits, ahead = list[Edit](), 0
    for one in by_lines(old, new):
        line = old.encode()[: one.start].count(b"\n") + 1
        edits.append(Edit(path, one.start + ahead, one.end + ahead, one.text.decode(), "model", 0.0, line))
        ahead += len(one.text) - (one.end - one.start)
    return tuple(edits)


def needed(run: Attempt, path: str, code: str) -> str:
    """Return a candidate's text without changes that the tests do not need, as of comments and layout.

    It defines what the candidate defines: an old definition beside its new one is no smaller change.
    """
    wanted = definitions(code)

    def passes(text: str) -> bool:
        return definitions(text) == wanted and run.evaluator.evaluate({path: text}).score >= 99.0

    small = minimise(run.task.files[path], code, passes)
    return small if small == code or Judge(run, path).score(small).score >= 100.0 else code


def definitions(text: str) -> list[str]:
    """Return the names of all functions and classes of a program, in their order."""
    return [node.name for node in ast.walk(parsed(text)) if isinstance(node, FunctionNode | ast.ClassDef)]

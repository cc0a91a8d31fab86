"""Repairs a program against its tests: search over edits first, then generations of a reasoner's patches.

The public door of this package for the graph and the command line. Nothing is written anywhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

from numpy.random import Generator

from ddax.configs.settings import Evolution
from ddax.errors import SandboxError
from ddax.evolution.attempt import Attempt, Solution
from ddax.evolution.baseline import Baseline
from ddax.evolution.population import EvolutionarySolver, Evolved
from ddax.evolution.records import RepairResult, RepairTask, Trust
from ddax.evolution.sandbox.probe import choose
from ddax.evolution.sandbox.protocol import Sandbox
from ddax.evolution.wording import explain, unified
from ddax.reasoning.protocol import CodeCandidate, Reasoner
from ddax.types import Usage

MODEL_SHARE = 0.4
"""Share of the time that search over edits gets where a model follows."""


def _begin(run: Attempt, seconds: float) -> tuple[Baseline, Solution | None]:
    baseline = run.prepare()
    if not baseline.failing or run.hopeless(baseline):
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
    run = Attempt(task, settings, chosen, clock)
    share = MODEL_SHARE if reasoner is not None else 1.0
    usage, problems = Usage(), tuple[str, ...]()
    with closing(run):
        baseline, solution = await asyncio.to_thread(_begin, run, share * settings.seconds)
        if not baseline.failing:
            return replace(
                run.result(None, usage, ("every test passes already",)), reasoning="nothing to repair"
            )
        if solution is None and reasoner is not None and not run.hopeless(baseline):
            evolved, path = await _generations(run, baseline, reasoner, rng)
            usage, problems = evolved.usage, evolved.problems
            run.tried += evolved.tried
            seconds = clock() - run.begin
            run.late = run.late or seconds >= settings.seconds
            # Asking which trust it has may start sandboxes, which takes long.
            solution = await asyncio.to_thread(_won, run, evolved, path, seconds)
    if solution is not None:
        await asyncio.to_thread(run.judge_privately, solution)
    return run.result(solution, usage, problems)


async def _generations(
    run: Attempt, baseline: Baseline, reasoner: Reasoner, rng: Generator
) -> tuple[Evolved, str]:
    path, request = run.request(baseline)
    solver = EvolutionarySolver(
        reasoner,
        lambda code: run.score(path, code),
        size=run.settings.evolution_population_size,
        generations=run.settings.evolution_max_generations,
        rng=rng,
        late=lambda: run.clock() - run.begin >= run.settings.seconds,
    )
    return await solver.evolve(request, seeds=run.partials), path


def _won(run: Attempt, evolved: Evolved, path: str, seconds: float) -> Solution | None:
    best = evolved.best
    if best is None or best.evaluation.score < 100.0:
        return None
    code: CodeCandidate = best.candidate
    trust: Trust = "separate" if run.suited() else "confirmed"
    return Solution(
        {path: code.code}, best.evaluation, code.hypothesis, code.reasoning, best.origin, seconds, trust
    )


__all__ = ["RepairResult", "RepairTask", "SandboxError", "explain", "repair", "unified"]

"""Repairs a program against its tests: search over edits first, then generations of a reasoner's patches.

The public door of this package for the graph and the command line. Nothing is written anywhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from numpy.random import Generator

from ddax.configs.settings import Evolution
from ddax.errors import SandboxError
from ddax.evolution.asking import generations, won
from ddax.evolution.attempt import Attempt, Solution
from ddax.evolution.baseline import Baseline
from ddax.evolution.records import RepairResult, RepairTask
from ddax.evolution.sandbox.probe import choose
from ddax.evolution.sandbox.protocol import Sandbox
from ddax.evolution.wording import explain, unified
from ddax.reasoning.protocol import Reasoner
from ddax.types import Usage

MODEL_SHARE = 0.4
"""Share of the time that search over edits gets where a model follows."""


def _begin(run: Attempt, seconds: float) -> tuple[Baseline, Solution | None]:
    baseline = run.prepare()
    if not baseline.failing or run.hopeless(baseline):
        return baseline, None
    return baseline, run.search(baseline, seconds)


@asynccontextmanager
async def _closing(run: Attempt) -> AsyncIterator[None]:
    try:
        yield
    finally:  # ends processes and removes a copy of the project, which takes long
        await asyncio.to_thread(run.close)


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
    run = await asyncio.to_thread(Attempt, task, settings, chosen, clock)
    share = MODEL_SHARE if reasoner is not None else 1.0
    usage, problems = Usage(), tuple[str, ...]()
    async with _closing(run):
        baseline, solution = await asyncio.to_thread(_begin, run, share * settings.seconds)
        if not baseline.failing:
            return replace(
                run.result(None, usage, ("every test passes already",)), reasoning="nothing to repair"
            )
        if solution is None and reasoner is not None and not run.hopeless(baseline):
            evolved, path = await generations(run, baseline, reasoner, rng)
            usage, problems = evolved.usage, evolved.problems
            run.tried += evolved.tried
            seconds = clock() - run.begin
            run.late = run.late or seconds >= settings.seconds
            # Asking which trust it has may start sandboxes, which takes long.
            solution = await asyncio.to_thread(won, run, evolved, path, seconds)
            if solution is None and run.clock() - run.begin < settings.seconds:  # the rest is the search's
                solution = await asyncio.to_thread(run.search, baseline, settings.seconds)
    if solution is not None:
        await asyncio.to_thread(run.judge_privately, solution.sources)
    return run.result(solution, usage, problems)


__all__ = ["RepairResult", "RepairTask", "SandboxError", "explain", "repair", "unified"]

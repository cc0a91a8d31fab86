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
from ddax.evolution.attempt import Attempt
from ddax.evolution.baseline import Baseline
from ddax.evolution.judging.settling import Settled
from ddax.evolution.outcome import result_of
from ddax.evolution.records import RepairResult, RepairTask
from ddax.evolution.sandbox.probe import choose
from ddax.evolution.sandbox.protocol import Sandbox
from ddax.evolution.wording import explain, unified
from ddax.reasoning.protocol import Reasoner
from ddax.types import Usage

NOTHING = "nothing to repair"
MODEL_SHARE = 0.4
"""Share of the time that search over edits gets where a model follows."""


def _begin(run: Attempt, seconds: float) -> tuple[Baseline, Settled]:
    baseline = run.prepare()
    if not baseline.failing or run.hopeless(baseline):
        return baseline, Settled()
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
    """Find a change of the targets with which every test passes: a fix, or proposals to choose from.

    `clock` returns seconds; `reasoner`, where given, follows the search with its own candidates.
    Raises SandboxError where no sandbox holds, SourceError where the tests cannot be read.
    """
    chosen = sandbox if sandbox is not None else await asyncio.to_thread(choose)
    run = await asyncio.to_thread(Attempt, task, settings, chosen, clock)
    share = MODEL_SHARE if reasoner is not None else 1.0
    usage, problems = Usage(), tuple[str, ...]()
    async with _closing(run):
        baseline, settled = await asyncio.to_thread(_begin, run, share * settings.seconds)
        if not baseline.failing:
            none = result_of(run, Settled(), usage, ("every test passes already",))
            return replace(none, status="nothing", reasoning=NOTHING, out_of_time=False)
        if not settled.solutions and reasoner is not None and not run.hopeless(baseline, written=True):
            evolved, path = await generations(run, baseline, reasoner, rng)
            usage, problems = evolved.usage, evolved.problems
            run.tried += evolved.tried
            seconds = clock() - run.begin
            run.late = run.late or seconds >= settings.seconds
            # Weighing them may start sandboxes, which takes long.
            settled = await asyncio.to_thread(won, run, baseline, evolved, path, seconds)
            if (
                not settled.solutions and run.clock() - run.begin < settings.seconds
            ):  # the rest is the search's
                settled = await asyncio.to_thread(run.search, baseline, settings.seconds)
        return await asyncio.to_thread(result_of, run, settled, usage, problems)


__all__ = ["RepairResult", "RepairTask", "SandboxError", "explain", "repair", "unified"]

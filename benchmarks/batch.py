"""Many scripted tasks in processes that are killed at random: one result each, equal to the serial run."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.core import Figure, Options, Result, Target

if TYPE_CHECKING:
    from ddax.batch.tasks import BatchTask
    from ddax.types import JsonDict

NAME = "batch"
DESCRIPTION = "scripted tasks with workers killed at random: each result once, as in the serial run"
STRUCK = 0.25
"""Share of the tasks in whose middle a worker is killed."""


Kills = tuple[np.random.Generator, float]
"""What draws the kills, and the seconds within which they come."""


class Ran(NamedTuple):
    """One batch: results by task, how often each was told, the kills, the wall seconds."""

    rows: dict[str, JsonDict]
    told: list[str]
    kills: int
    seconds: float


def run(options: Options) -> Result:
    """Run the tasks serially, in two processes, and in two processes that are killed."""
    count = 16 if options.quick else 1000
    with tempfile.TemporaryDirectory(prefix="ddax-batch-") as place:
        serial = asyncio.run(measure(Path(place) / "serial", count, workers=1))
        two = asyncio.run(measure(Path(place) / "two", count, workers=2))
        rng = np.random.default_rng(options.seed)
        each = serial.seconds / count
        struck = asyncio.run(measure(Path(place) / "struck", count, workers=2, kills=(rng, each)))
    same = sum(struck.rows[name] == row for name, row in serial.rows.items())
    once = len(struck.told) == len(set(struck.told)) == count
    figures = (
        Figure("results as in the serial run", same / count, "", Target(">=", 1), n=count),
        Figure("each result exactly once", float(once), "", Target(">=", 1), n=count),
        Figure("workers killed in the middle of a task", struck.kills, "", n=count),
        Figure("throughput of 2 processes", serial.seconds / two.seconds, "×", Target(">=", 1.7), n=count),
        Figure("one task, serially", serial.seconds / count, "s", n=count),
    )  # fmt: skip
    return Result(NAME, figures, (options.seed,), 1, ("the start of the processes is part of the time",))


async def measure(place: Path, count: int, *, workers: int, kills: Kills | None = None) -> Ran:
    """Run so many tasks; `kills` is a generator and the seconds of one task."""
    from ddax.batch.pool import Folder, run_all
    from ddax.batch.processes import ProcessRunner
    from ddax.batch.tasks import BatchTask
    from ddax.configs.settings import Context

    base = Context.model_validate({"mood": {"engine": "numpy"}})
    folder = Folder(place).ensure()
    tasks = [BatchTask(id=f"t{k}", task=f"What is kept under the number {k}?") for k in range(count)]
    delays = _delays(tasks, kills)
    struck = [0]

    class Runner(ProcessRunner):
        """A worker that is killed some time into the tasks that were drawn."""

        module = "benchmarks.durable.scripted_worker"

        async def run(self, task: BatchTask, home: Path) -> JsonDict:
            """Do a task, perhaps while something kills its process."""
            delay = delays.pop(task.id, None)
            strike = asyncio.create_task(self._kill(delay)) if delay is not None else None
            try:
                return await super().run(task, home)
            finally:
                if strike is not None:
                    strike.cancel()

        async def _kill(self, seconds: float) -> None:
            await asyncio.sleep(seconds)
            if self._process is not None and self._process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._process.pid, signal.SIGKILL)
                    struck[0] += 1

    @asynccontextmanager
    async def runner() -> AsyncIterator[Runner]:
        one = Runner(base, folder.root / "cache")
        try:
            yield one
        finally:
            await one.end(kill=True)

    told: list[str] = []
    begun = time.perf_counter()
    await run_all(tasks, folder, [runner() for _ in range(workers)], lambda row: told.append(row["id"]))
    seconds = time.perf_counter() - begun
    rows = {task.id: _plain(folder.result(task)) for task in tasks}
    return Ran(rows, told, struck[0], seconds)


def _delays(tasks: Sequence[BatchTask], kills: Kills | None) -> dict[str, float]:
    if kills is None:
        return {}
    rng, seconds = kills
    drawn = [task.id for task in tasks if rng.random() < STRUCK]
    return {name: float(rng.uniform(0, seconds)) for name in drawn}


def _plain(row: JsonDict | None) -> JsonDict:
    return {key: value for key, value in (row or {}).items() if key != "seconds"}

"""Spread tasks over runners: a dead runner's task is tried again, a poisonous one is set aside.

A result is a file that is written whole and once; what has one is not done again.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ddax.batch.job import failed
from ddax.batch.tasks import BatchTask
from ddax.errors import RateLimited, Unavailable, UsageError
from ddax.memory.files import ensure_folder, read_json, write_atomic
from ddax.types import JsonDict

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

TRIES = 3
"""Times a task may take its runner down before it is set aside."""
BROKEN_OFF = frozenset(kind.__name__ for kind in (Unavailable, RateLimited))
"""Kinds of errors that a task is resumed after, since time or somebody mends them."""


class RunnerDied(Exception):
    """Say that a runner ended in the middle of a task; `why` is its last word."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


class Runner(Protocol):
    """Does one task at a time and returns its row; raises RunnerDied, after which it can be used again."""

    async def run(self, task: BatchTask, home: Path) -> JsonDict: ...


class Folder:
    """The output folder of a batch."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.results, self.work, self.tries = root / "results", root / "work", root / "tries"

    def ensure(self) -> Folder:
        """Create it."""
        for folder in (self.results, self.work, self.tries):
            ensure_folder(folder)
        return self

    def bind(self, memory: Path | None) -> None:
        """Keep which memory the tasks share; raises UsageError where the batch began with another one."""
        file, mine = self.root / "memory.json", str(memory) if memory is not None else ""
        known = read_json(file)
        if known is None or not any(self.work.iterdir()):
            write_atomic(file, json.dumps({"memory": mine}))
        elif known["memory"] != mine:
            began = f"the one in {known['memory']!r}" if known["memory"] else "one for each task"
            way = f"--memory {known['memory']}" if known["memory"] else "no --memory"
            raise UsageError(
                f"The batch in {str(self.root)!r} has another memory.",
                why=f"It began with {began}, and its unfinished tasks rest on that.",
                mend=f"Resume it with {way}.",
            )

    def result(self, task: BatchTask) -> JsonDict | None:
        """Return the row of a task, None where it has none yet; raises StateError for a damaged one."""
        return read_json(self.results / f"{task.id}.json")

    def is_done(self, task: BatchTask) -> bool:
        """Tell whether a task has a row that stands; what a provider broke off does not."""
        row = self.result(task)
        return row is not None and (row.get("error") or {}).get("kind") not in BROKEN_OFF

    def keep(self, row: JsonDict) -> None:
        """Write the row of a task, whole or not at all."""
        write_atomic(self.results / f"{row['id']}.json", json.dumps(row, indent=1, ensure_ascii=False))

    def count_try(self, task: BatchTask, why: str) -> list[str]:
        """Note that a task took its runner down; return why, for every such time."""
        file = self.tries / f"{task.id}.json"
        whys = [*((read_json(file) or {}).get("whys", [])), why]
        write_atomic(file, json.dumps({"whys": whys}))
        return whys


async def run_all(
    tasks: Sequence[BatchTask],
    folder: Folder,
    runners: Sequence[AbstractAsyncContextManager[Runner]],
    on_row: Callable[[JsonDict], None],
) -> None:
    """Do every task that has no result yet, each by whichever runner is free."""
    waiting: asyncio.Queue[BatchTask] = asyncio.Queue()
    for task in tasks:
        if not folder.is_done(task):
            waiting.put_nowait(task)

    async def work(runner: Runner) -> None:
        while not waiting.empty():
            row = await _one(waiting.get_nowait(), folder, runner)
            folder.keep(row)
            on_row(row)

    async with AsyncExitStack() as stack:
        opened = [await stack.enter_async_context(runner) for runner in runners]
        async with asyncio.TaskGroup() as group:
            for runner in opened:
                group.create_task(work(runner))


async def _one(task: BatchTask, folder: Folder, runner: Runner) -> JsonDict:
    while True:
        try:
            return await runner.run(task, folder.work / task.id)
        except RunnerDied as death:
            whys = folder.count_try(task, death.why)
            if len(whys) >= TRIES:
                cause = f"It took its runner down {len(whys)} times: {death.why}"
                return failed(task, "Poison", cause)

"""A batch whose tasks share one memory, or one Postgres: runners are killed, and nothing is lost or mixed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ddax.batch.crews import coroutines, hosted
from ddax.batch.pool import Folder, run_all
from ddax.batch.processes import ProcessRunner
from ddax.batch.tasks import BatchTask
from ddax.batch.worker import cached_embedder, memory_at
from ddax.configs.settings import Context
from ddax.errors import ThreadInUse
from ddax.memory.lock import OwnerLock, lock_owner
from ddax.types import JsonDict
from tests.integration.command_line import QUESTION, Place, write_pages

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]
TASKS = [
    BatchTask(id=f"t{number}", task=text)
    for number, text in enumerate(
        (QUESTION, "Who was the architect of the Corvane Tower?", "When was the harbour of Trondby built?")
    )
]


@pytest.fixture
def base(tmp_path: Path) -> Context:
    docs = tmp_path / "docs"
    docs.mkdir()
    write_pages(docs)
    return Context.model_validate({"sources": [str(docs)], "mood": {"engine": "numpy"}})


class Struck(ProcessRunner):
    """A runner whose process is killed in its first task, as soon as the task has a thread."""

    struck = False

    async def run(self, task: BatchTask, home: Path) -> JsonDict:
        """Do a task while something kills it, once."""
        if self.struck:
            return await super().run(task, home)
        self.struck = True
        strike = asyncio.create_task(self._kill(home))
        try:
            return await super().run(task, home)
        finally:
            strike.cancel()

    async def _kill(self, home: Path) -> None:
        while self._process is None or not list(home.glob("runs/*/run.json")):
            await asyncio.sleep(0.01)
        os.kill(self._process.pid, signal.SIGKILL)


def plain(folder: Folder) -> dict[str, Any]:
    rows = {task.id: folder.result(task) or {} for task in TASKS}
    return {name: {k: v for k, v in row.items() if k != "seconds"} for name, row in rows.items()}


async def struck(folder: Folder, base: Context, memory: Path | None, count: int) -> list[str]:
    """Run the tasks on runners that are killed once each; return the tasks in the order they were told."""
    told: list[str] = []
    runners = [Struck(base, folder.root / "cache", memory) for _ in range(count)]

    @asynccontextmanager
    async def opened(runner: Struck) -> AsyncIterator[Struck]:
        yield runner
        await runner.end()

    await run_all(TASKS, folder, [opened(runner) for runner in runners], lambda row: told.append(row["id"]))
    assert all(runner.struck for runner in runners)
    return told


async def rows_of(base: Context, folder: Folder, memory: Path) -> tuple[set[str], int]:
    """Return the tasks that a memory knows, and how many thoughts it holds."""
    async with hosted(base, folder, memory) as send:
        there = memory_at(send, base, cached_embedder(folder.root / "cache"))
        tasks = {str(row["text"]) for row in await there.rows("tasks")}
        return tasks, await there.count("internal_thought")


async def in_turn(folder: Folder, base: Context, memory: Path | None) -> None:
    """Run the tasks one after the other in this process."""
    async with coroutines(base, folder, memory)(1) as runners:
        await run_all(TASKS, folder, runners, lambda row: None)


@pytest.mark.long
async def test_tasks_of_killed_processes_share_one_memory_and_lose_nothing_of_it(
    tmp_path: Path, base: Context
) -> None:
    folder, memory = Folder(tmp_path / "out").ensure(), tmp_path / "memory"
    async with hosted(base, folder, memory):
        assert sorted(await struck(folder, base, memory, 2)) == [task.id for task in TASKS]
    assert all(row["status"] == "done" and row["error"] is None for row in plain(folder).values())
    tasks, thoughts = await rows_of(base, folder, memory)
    assert tasks == {task.task for task in TASKS}
    assert thoughts >= 2
    assert not list(folder.work.glob("*/memory/record.sqlite")), "no task has a memory beside it"


@pytest.mark.long
async def test_killed_processes_with_checkpoints_in_one_postgres_give_the_results_of_a_serial_run(
    tmp_path: Path, base: Context, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    serial = Folder(tmp_path / "serial").ensure()
    await in_turn(serial, base, None)
    monkeypatch.setenv("DDAX_CHECKPOINTS", postgres)
    for name in ("once", "again"):  # the same tasks in the same database do not meet
        folder = Folder(tmp_path / name).ensure()
        assert sorted(await struck(folder, base, None, 2)) == [task.id for task in TASKS]
        assert plain(folder) == plain(serial)
        assert not list(folder.work.glob("*/checkpoints.sqlite"))


@pytest.mark.long
async def test_coroutines_of_this_process_do_tasks_and_share_a_memory(tmp_path: Path, base: Context) -> None:
    folder, memory, told = Folder(tmp_path / "out").ensure(), tmp_path / "memory", list[str]()
    async with coroutines(base, folder, memory)(2) as runners:
        await run_all(TASKS, folder, runners, lambda row: told.append(row["id"]))
    assert sorted(told) == [task.id for task in TASKS]
    assert {row["status"] for row in plain(folder).values()} == {"done"}
    assert (await rows_of(base, folder, memory))[0] == {task.task for task in TASKS}


def batch(place: Place, memory: Path) -> Any:
    (place.root / "tasks.jsonl").write_text(json.dumps({"id": "a", "task": QUESTION}))
    call = ("batch", "tasks.jsonl", "--out", "out", "--sources", "docs", "--memory", str(memory))
    return place.call(place.root / "home", *call)


async def test_a_batch_shares_a_memory_that_another_process_has_open(tmp_path: Path, base: Context) -> None:
    place, folder = Place(tmp_path / "place"), Folder(tmp_path / "out").ensure()
    async with hosted(base, folder, tmp_path / "memory"):
        done = await asyncio.to_thread(batch, place, tmp_path / "memory")
        owner = lock_owner(tmp_path / "memory")
        assert owner is not None
        assert owner.pid == os.getpid()
    assert done.code == 0, done
    assert (await rows_of(base, folder, tmp_path / "memory"))[0] == {QUESTION}


def test_a_memory_that_nobody_shares_is_told_before_a_task_is_begun(tmp_path: Path) -> None:
    place = Place(tmp_path / "place")
    lock = OwnerLock(tmp_path / "memory", "the memory", clock=time.time)
    lock.acquire()
    try:
        done = batch(place, tmp_path / "memory")
    finally:
        lock.release()
    assert done.code == ThreadInUse.exit_code, done
    assert f"in use by pid {os.getpid()}" in done.err
    assert "It shares it with nobody" in done.err
    assert not list((place.root / "out" / "work").iterdir())

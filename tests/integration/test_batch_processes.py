"""A batch on real processes: killed at random, each result once and equal to the serial run."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from ddax.batch.pool import TRIES, Folder, run_all
from ddax.batch.processes import ProcessRunner
from ddax.batch.tasks import BatchTask
from ddax.configs.settings import Context
from ddax.types import JsonDict
from tests.integration.command_line import QUESTION, Place, ended, until, write_pages

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]
TASKS = (
    {"id": "born", "task": QUESTION, "validators": [{"kind": "contains", "value": "Trondby"}]},
    {"id": "who", "task": "Who was the architect of the Corvane Tower?",
     "validators": [{"kind": "contains", "value": "Ilse Maran"}]},
    {"id": "when", "task": "When was the harbour of Trondby built?",
     "validators": [{"kind": "numeric", "value": 1712}]},
    {"id": "bad", "task": "Who?", "sources": ["there/is/no/such/folder"]},
)  # fmt: skip


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    write_pages(folder)
    return folder


class Struck(ProcessRunner):
    """A runner whose process is killed some time into each of its first tasks, never a task too often."""

    def __init__(self, base: Context, cache: Path, delays: list[float], strikes: Counter[str]) -> None:
        super().__init__(base, cache)
        self._delays, self._strikes = delays, strikes

    async def run(self, task: BatchTask, home: Path) -> JsonDict:
        """Do a task while something may kill it."""
        if not self._delays or self._strikes[task.id] == TRIES - 1:
            return await super().run(task, home)
        self._strikes[task.id] += 1
        strike = asyncio.create_task(self._kill(self._delays.pop()))
        try:
            return await super().run(task, home)
        finally:
            strike.cancel()

    async def _kill(self, seconds: float) -> None:
        while self._process is None:
            await asyncio.sleep(0.01)
        await asyncio.sleep(seconds)
        if self._process is not None and self._process.returncode is None:
            os.kill(self._process.pid, signal.SIGKILL)


@pytest.mark.long
async def test_killed_at_random_each_result_is_there_once_and_as_in_the_serial_run(
    tmp_path: Path, docs: Path
) -> None:
    base = Context.model_validate({"sources": [str(docs)], "mood": {"engine": "numpy"}})
    tasks = [BatchTask.model_validate(task) for task in TASKS]
    rng = np.random.default_rng(5)
    told: dict[str, list[str]] = {}

    async def batch(name: str, workers: list[list[float]]) -> dict[str, JsonDict]:
        folder, rows = Folder(tmp_path / name).ensure(), told.setdefault(name, [])
        strikes = Counter[str]()

        @asynccontextmanager
        async def runner(delays: list[float]) -> AsyncIterator[ProcessRunner]:
            one = Struck(base, folder.root / "cache", delays, strikes)
            yield one
            await one.end()

        await run_all(tasks, folder, [runner(d) for d in workers], lambda row: rows.append(row["id"]))
        found = {task.id: folder.result(task) for task in tasks}
        return {name: {k: v for k, v in (row or {}).items() if k != "seconds"} for name, row in found.items()}

    serial = await batch("serial", [[]])
    delays = [rng.uniform(0.5, 6.0, 2).tolist() for _ in range(2)]
    struck = await batch("struck", delays)
    assert sorted(told["struck"]) == sorted(told["serial"]) == sorted(task.id for task in tasks)
    assert struck == serial
    assert {name: row["score"] for name, row in serial.items()} == {
        "born": 1.0, "who": 1.0, "when": 1.0, "bad": None,
    }  # fmt: skip
    assert serial["bad"]["error"]["kind"] == "SourceError"


def test_a_batch_whose_reader_leaves_says_how_to_go_on(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (place.root / "tasks.jsonl").write_text("\n".join(json.dumps(task) for task in TASKS[:3]))
    call = ("batch", "tasks.jsonl", "--out", "out", "--sources", "docs")
    with place.start(place.root / "home", *call) as process:
        process.stdout.close()
        err = process.stderr.read().decode()
    assert process.returncode == 130
    assert f"--out {place.root}/out --resume" in err
    assert "Traceback" not in err


def test_the_command_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    place = Place(tmp_path / "a place")
    file = place.root / "tasks.jsonl"
    file.write_text("\n".join(json.dumps(task) for task in TASKS[:3]))
    call = ("batch", "tasks.jsonl", "--out", "out", "--sources", "docs")
    process = place.start(place.root / "home", *call)
    until(process, "[1/3]")
    process.send_signal(signal.SIGINT)
    stopped = ended(process)
    assert stopped.code == 130, stopped
    assert f"--out '{place.root}/out' --resume" in stopped.err
    assert "Traceback" not in stopped.err
    again = place.call(place.root / "home", *call)
    assert again.code == 2
    assert "has results" in again.err
    done = place.call(place.root / "home", *call, "--resume", "--json")
    assert done.code == 0, done
    assert (done.object["results"], done.object["right"], done.object["score"]) == (3, 3, 1.0)
    assert json.loads((place.root / "out" / "summary.json").read_text()) == done.object

"""The task file, what makes an answer right, and a pool whose runners die."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ddax.batch import cluster, job, processes
from ddax.batch.inline import InlineRunner
from ddax.batch.job import settings_of
from ddax.batch.pool import TRIES, Folder, RunnerDied, run_all
from ddax.batch.processes import ProcessRunner, process_runner
from ddax.batch.summary import summary
from ddax.batch.tasks import BatchTask, read_tasks
from ddax.batch.validators import check_functions, checks, numbers, score
from ddax.batch.worker import Warm, done
from ddax.configs.settings import Context
from ddax.errors import SettingsError, SourceError, ThreadInUse, UsageError
from ddax.graph.services import Parts
from ddax.types import JsonDict
from tests.cases import cases
from tests.unit.batch_files import written


def test_a_task_file_is_read_and_nameless_tasks_get_their_line(tmp_path: Path) -> None:
    file = written(tmp_path, {"id": "a", "task": "one"}, "", {"task": "two", "sources": ["x"]})
    assert [(task.id, task.task, task.sources) for task in read_tasks(file)] == [
        ("a", "one", None),
        ("line-3", "two", ("x",)),
    ]


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85"])
def test_a_line_of_a_task_file_ends_where_json_lines_end(tmp_path: Path, mark: str) -> None:
    file = tmp_path / "tasks.jsonl"
    file.write_text(f'{{"task": "one{mark}more"}}\r\n{{"task": "two"}}\r\n', encoding="utf-8", newline="")
    told = [(task.id, task.task) for task in read_tasks(file)]
    assert told == [("line-1", f"one{mark}more"), ("line-2", "two")]


@cases("lines", "says")
def test_a_wrong_line_is_named(tmp_path: Path, lines: list[Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        read_tasks(written(tmp_path, *lines))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"none\.jsonl"):
        read_tasks(tmp_path / "none.jsonl")


def test_the_settings_of_a_task_stand_on_those_of_the_batch() -> None:
    base = Context.model_validate({"seed": 3, "sources": ["a"], "human": True, "budget": {"max_steps": 9}})
    task = BatchTask.model_validate({"id": "t", "task": "x", "settings": {"budget": {"max_usd": 0.5}}})
    own = settings_of(task, base)
    assert (own.seed, own.sources, own.human) == (3, ("a",), False)
    assert (own.budget.max_steps, own.budget.max_usd) == (9, 0.5)
    with pytest.raises(SettingsError, match=r"Task 't': budget.max_steps"):
        settings_of(task.model_copy(update={"settings": {"budget": {"max_steps": "many"}}}), base)


def ends_well(task: JsonDict, result: JsonDict) -> bool:
    return str(result["answer"]).endswith(str(task["settings"].get("end", "!")))


@pytest.mark.parametrize(
    ("validator", "answer", "short", "ok"),
    [
        ({"kind": "exact", "value": "Oslo"}, "It is Oslo.", " oslo. ", True),
        ({"kind": "exact", "value": "Oslo"}, "It is Oslo.", "It is Oslo.", False),
        ({"kind": "contains", "value": "is  OSLO"}, "It is Oslo.", "", True),
        ({"kind": "contains", "value": "Bergen"}, "It is Oslo.", "", False),
        ({"kind": "regex", "value": r"O\w+o\b"}, "It is Oslo.", "", True),
        ({"kind": "regex", "value": r"^Oslo"}, "It is Oslo.", "", False),
        ({"kind": "numeric", "value": 1234.5, "tolerance": 0.01}, "about 1,234.504 m", "", True),
        ({"kind": "numeric", "value": 1234.5}, "about 1,234.504 m", "", False),
        ({"kind": "numeric", "value": 42}, "The answer is...42", "", True),
        ({"kind": "numeric", "value": 0.42}, "The answer is...42", "", False),
        ({"kind": "function", "value": f"{__name__}:ends_well"}, "Yes!", "", True),
        ({"kind": "function", "value": f"{__name__}:ends_well"}, "Yes.", "", False),
    ],
)
def test_a_validator_says_whether_the_answer_is_right(
    validator: JsonDict, answer: str, short: str, ok: bool
) -> None:
    task = BatchTask.model_validate({"id": "t", "task": "x", "validators": [validator]})
    found = checks(task, {"answer": answer, "short": short}, repaired=False)
    assert [check["ok"] for check in found] == [ok]
    assert bool(found[0]["why"]) is not ok
    assert score(found) == float(ok)


def test_a_repair_is_right_where_every_test_passes() -> None:
    task = BatchTask.model_validate({"id": "t", "task": "x", "validators": [{"kind": "tests"}]})
    for repaired in (True, False):
        assert checks(task, {"answer": "", "short": ""}, repaired=repaired)[0]["ok"] is repaired
    assert score([]) is None


def test_a_validator_that_cannot_be_loaded_is_named() -> None:
    task = BatchTask.model_validate(
        {"id": "t", "task": "x", "validators": [{"kind": "function", "value": "no.such:thing"}]}
    )
    with pytest.raises(UsageError, match=r"'no\.such:thing' cannot be loaded"):
        checks(task, {"answer": "", "short": ""}, repaired=False)


def never(task: JsonDict, result: JsonDict) -> bool:
    """Fail, as a validator of a user's own may."""
    raise KeyError("no such field")


def test_a_validator_that_raises_fails_its_task_and_says_so() -> None:
    name = f"{__name__}:never"
    task = BatchTask.model_validate(
        {"id": "t", "task": "x", "validators": [{"kind": "function", "value": name}]}
    )
    found = checks(task, {"answer": "", "short": ""}, repaired=False)
    assert (score(found), found[0]["why"]) == (0.0, f"{name} raised KeyError: 'no such field'")


async def test_what_a_task_raises_in_this_process_takes_no_other_task_down(tmp_path: Path) -> None:
    class Broken(Warm):
        async def parts(self, context: Context) -> Parts:
            raise ZeroDivisionError("division by zero")

    tasks = [BatchTask(id=name, task="x", sources=(str(tmp_path),)) for name in ("a", "b")]
    runner = InlineRunner(Context(), Broken(tmp_path / "cache"))
    folder = Folder(tmp_path / "out").ensure()
    await run_all(tasks, folder, [nullcontext(runner)], lambda row: None)
    rows = [row for row in map(folder.result, tasks) if row is not None]
    assert [row["error"]["kind"] for row in rows] == ["Poison", "Poison"]
    assert "ZeroDivisionError: division by zero" in rows[0]["error"]["cause"]


async def test_a_task_over_a_missing_source_counts_in_the_summary(tmp_path: Path) -> None:
    task = BatchTask(id="a", task="x", sources=(str(tmp_path / "none"),))
    row = await done(task, Context(), tmp_path / "home", Warm(tmp_path / "cache"))
    assert row["error"]["kind"] == "SourceError"
    assert summary([row], 1)["status"] == {"failed": 1}


def test_numbers_are_found_as_they_are_written() -> None:
    assert numbers("-3, 1,000 and 2.5e3; 12,34") == [-3.0, 1000.0, 2500.0, 12.0, 34.0]
    assert numbers(".5 or (-.25), 2019-2020, A-5, 1,23456") == [0.5, -0.25, 2019.0, 2020.0, 5.0, 1.0, 23456.0]


class Dying:
    """A runner that dies where a draw says so, and always on one task."""

    def __init__(self, seed: int, ran: list[str]) -> None:
        self._rng, self._ran = np.random.default_rng(seed), ran

    async def run(self, task: BatchTask, home: Path) -> JsonDict:
        if task.id == "poison" or self._rng.random() < 0.2:
            raise RunnerDied("killed by SIGKILL")
        self._ran.append(task.id)
        return {
            "id": task.id,
            "status": "done",
            "answer": task.task,
            "error": None,
            "score": 1.0,
            "seconds": 1.0,
        }


async def test_every_task_gets_one_result_and_a_poisonous_one_is_set_aside(tmp_path: Path) -> None:
    tasks = [BatchTask(id=f"t{n}", task="x") for n in range(40)]
    tasks.insert(7, BatchTask(id="poison", task="x"))
    ran: list[str] = []
    rows: list[JsonDict] = []

    @asynccontextmanager
    async def runner(seed: int) -> AsyncIterator[Dying]:
        yield Dying(seed, ran)

    folder = Folder(tmp_path / "out").ensure()
    await run_all(tasks, folder, [runner(1), runner(2)], rows.append)
    kept = {task.id: folder.result(task) for task in tasks}
    assert sorted(row["id"] for row in rows) == sorted(kept)
    aside = {name for name, row in kept.items() if row is not None and row["status"] == "failed"}
    assert "poison" in aside
    assert kept["poison"] is not None
    assert kept["poison"]["error"]["cause"] == f"It took its runner down {TRIES} times: killed by SIGKILL"
    assert sorted(ran) == sorted(set(kept) - aside), "each one once"
    total = summary([row for row in kept.values() if row is not None], len(tasks))
    assert total["errors"] == {"Poison": len(aside)}
    await run_all(tasks, folder, [runner(3)], rows.append)
    assert len(rows) == len(tasks), "what has a result is not done again"


def own_worker(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AbstractAsyncContextManager[ProcessRunner]:
    """Open a runner whose process runs this program."""
    (tmp_path / "own_worker.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(ProcessRunner, "module", "own_worker")
    return process_runner(Context(), tmp_path / "cache")


NOISY = """
import os, subprocess, sys
from ddax.batch import worker

async def done(task, *args, **more):
    subprocess.run(["sh", "-c", "echo noise; cat"])
    os.write(1, b"noise of a library")
    return {"id": task.id, "read": sys.stdin.read()}

worker.done = done
worker.main()
"""


async def test_what_a_task_prints_or_reads_never_meets_its_request_or_its_reply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with own_worker(NOISY, tmp_path, monkeypatch) as runner:
        for name in ("a", "b"):
            row = await runner.run(BatchTask(id=name, task="x"), tmp_path)
            assert row == {"id": name, "read": ""}


@pytest.mark.parametrize(
    ("reply", "says"),
    [("noise", "its reply is no JSON: b'noise"), ("[" * 5000, "its reply is longer than 1000 bytes")],
)
async def test_a_reply_that_cannot_be_read_ends_the_process_and_not_the_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reply: str, says: str
) -> None:
    monkeypatch.setattr(processes, "LINE_BYTES", 1000)
    program = f"import sys\nfor _ in sys.stdin:\n    print({reply!r}, flush=True)"
    folder, task = Folder(tmp_path / "out").ensure(), BatchTask(id="a", task="x")
    await run_all([task], folder, [own_worker(program, tmp_path, monkeypatch)], lambda row: None)
    row = folder.result(task)
    assert row is not None
    assert row["error"]["cause"].startswith(f"It took its runner down {TRIES} times: {says}")


async def test_a_fault_of_a_task_on_a_cluster_counts_as_a_death_of_its_runner() -> None:
    class RayActorError(Exception): ...

    class RayTaskError(Exception):
        cause = ValueError("a fault in a plug-in")

    async def raising(*_: Any) -> None:
        raise RayTaskError("a long traceback")

    ray = SimpleNamespace(
        exceptions=SimpleNamespace(RayActorError=RayActorError, RayTaskError=RayTaskError),
        remote=lambda kind: SimpleNamespace(options=lambda **_: SimpleNamespace(remote=lambda *_: actor)),
    )
    actor = SimpleNamespace(do=SimpleNamespace(remote=raising))
    runner = cluster.RayRunner(ray, Context(), Path(), {})
    with pytest.raises(RunnerDied, match=r"^ValueError: a fault in a plug-in$"):
        await runner.run(BatchTask(id="a", task="x"), Path())


async def test_a_task_waits_for_whoever_had_it_last_but_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, busy = 0.0, 3

    async def ran(*_: Any) -> JsonDict:
        nonlocal now, busy
        now, busy = now + 10.0, busy - 1
        if busy >= 0:
            raise ThreadInUse("thread 'a' is in use.")
        return {"id": "a", "status": "done"}

    monkeypatch.setattr(job, "_ran", ran)
    monkeypatch.setattr(job, "POLL_SECONDS", 0.0)
    task, parts = BatchTask(id="a", task="x"), Parts()
    row = await job.do(task, Context(), tmp_path, parts, clock=lambda: now)
    assert row == {"id": "a", "status": "done", "seconds": 40.0}
    busy = 1000
    row = await job.do(task, Context(), tmp_path, parts, clock=lambda: now)
    assert row["error"]["kind"] == "ThreadInUse"
    assert job.WAIT_SECONDS <= row["seconds"] <= job.WAIT_SECONDS + 10.0


def test_a_batch_keeps_the_memory_it_began_with(tmp_path: Path) -> None:
    mine, none = Folder(tmp_path / "mine").ensure(), Folder(tmp_path / "none").ensure()
    none.bind(tmp_path / "memory")  # nothing was begun with it
    for _ in range(2):
        mine.bind(tmp_path / "memory")
        none.bind(None)
    for folder in (mine, none):
        (folder.work / "a").mkdir()
    for folder, other, mend in (
        (mine, None, f"--memory {tmp_path / 'memory'}"),
        (mine, tmp_path / "else", f"--memory {tmp_path / 'memory'}"),
        (none, tmp_path / "memory", "no --memory"),
    ):
        with pytest.raises(UsageError, match="has another memory") as refused:
            folder.bind(other)
        assert refused.value.mend == f"Resume it with {mend}."


@cases("text", "says")
def test_a_function_beside_the_task_file_is_loaded_before_a_task_is_begun(
    text: str | None, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"own_{tmp_path.name}"
    if text is not None:
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    wanted = [{"kind": "function", "value": f"{name}:good"}]
    task = BatchTask.model_validate({"id": "t", "task": "x", "validators": wanted})
    if not says:
        check_functions([task])
        return
    with pytest.raises(UsageError, match="cannot be loaded") as found:
        check_functions([task])
    assert found.value.why.startswith(says)


def test_an_address_of_a_cluster_where_nobody_listens_is_told_at_once() -> None:
    with socket.socket() as bound, socket.create_server(("127.0.0.1", 0)) as listening:
        bound.bind(("127.0.0.1", 0))  # taken, so that nobody else listens there either
        port, open_port = bound.getsockname()[1], listening.getsockname()[1]
        for address in (f"127.0.0.1:{port}", f"ray://127.0.0.1:{port}"):
            with pytest.raises(ConnectionRefusedError):
                cluster.reach(address)
        with pytest.raises(ValueError, match="ort"):
            cluster.reach("127.0.0.1:port")
        for address in (f"127.0.0.1:{open_port}", "auto", "local"):
            cluster.reach(address)

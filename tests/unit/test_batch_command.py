"""What `ddax batch` refuses before anything runs, and the exit codes it ends with."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from ddax.batch import job
from ddax.batch.pool import Folder
from ddax.batch.tasks import BatchTask
from ddax.cli.main import run_command
from ddax.types import JsonDict
from tests.cases import cases
from tests.unit.batch_files import written


@cases("row", "says")
def test_a_wrong_line_is_named_before_anything_runs(
    row: JsonDict, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "a.txt").write_text("Ada built the tower.")
    written(tmp_path, {"task": "x", "sources": ["a.txt"]}, {"task": "y", "sources": ["a.txt"], **row})
    assert run_command(["batch", "tasks.jsonl", "--out", "out"]) == 2
    assert f"error: {says}" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_sources_of_tasks_with_a_result_may_be_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, {"id": "a", "task": "x", "sources": ["gone.txt"]})
    folder = Folder(tmp_path / "out").ensure()
    (folder.results / "a.json").write_text(json.dumps(job.failed(BatchTask(id="a", task="x"), "E", "c")))
    assert run_command(["batch", "tasks.jsonl", "--out", "out", "--resume", "--in-process"]) == 1
    assert "1 of 1 task" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("statuses", "code"),
    [(("done", "done"), 0), (("done", "stopped"), 6), (("stopped", "failed"), 1)],
)
def test_the_exit_code_of_a_batch_is_that_of_its_worst_task(
    statuses: tuple[str, str], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    tasks = [{"id": name, "task": "x", "sources": ["a.txt"]} for name in ("a", "b")]
    written(tmp_path, *tasks)
    folder = Folder(tmp_path / "out").ensure()
    for task, status in zip(tasks, statuses, strict=True):
        row = job.failed(BatchTask(id=str(task["id"]), task="x"), "E", "c")
        ended = row if status == "failed" else {**row, "status": status, "error": None}
        (folder.results / f"{task['id']}.json").write_text(json.dumps(ended))
    assert run_command(["batch", "tasks.jsonl", "--out", "out", "--resume", "--in-process"]) == code


def test_a_task_that_the_limit_of_a_provider_broke_off_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("Ada built the tower.")
    written(tmp_path, {"id": "a", "task": "Who built the tower?", "sources": ["a.txt"]})
    folder = Folder(tmp_path / "out").ensure()
    folder.keep(job.failed(BatchTask(id="a", task="x"), "RateLimited", "not to be asked again for 24 h"))
    assert run_command(["batch", "tasks.jsonl", "--out", "out", "--resume", "--in-process"]) == 0
    assert "1 done" in capsys.readouterr().out


def test_a_task_that_may_search_the_web_needs_no_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    searching = {"web": {"search": "searxng", "searxng_url": "http://127.0.0.1:9"}}
    written(tmp_path, {"id": "a", "task": "x", "settings": searching})
    (tmp_path / "out").write_text("a file")
    assert run_command(["batch", "tasks.jsonl", "--out", "out"]) == 2
    assert "'out' is a file" in capsys.readouterr().err


def test_what_is_not_read_is_told_once_for_all_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.md").write_text("Ada built the tower.")
    (tmp_path / "papers" / "b.png").write_bytes(b"\x89PNG")
    written(tmp_path, *[{"task": "Who built the tower?", "sources": ["papers"]} for _ in range(2)])
    assert run_command(["batch", "tasks.jsonl", "--out", "out", "--workers", "2"]) == 0
    told = caplog.text + capfd.readouterr().err  # what the command logs, and what its workers say
    assert told.count("1 file or folder of the sources not read: 'papers/b.png'") == 1

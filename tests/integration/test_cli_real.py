"""The command line over the real graph: the demo, a follow-up, and input that cannot work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def ddax(place: Path, *argv: str, **changes: str) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("DDAX_", "OPENAI_"))}
    env = {**kept, "DDAX_HOME": str(place / "home"), **changes}
    command = [sys.executable, "-m", "ddax", *argv]
    return subprocess.run(
        command, capture_output=True, cwd=place, env=env, text=True, timeout=120, check=False
    )


MERGE = "Which function returns the low median of numeric data?"


def test_the_demo_answers_and_cites_then_follows_up(tmp_path: Path):
    done = ddax(tmp_path, "demo", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert "statistics.median" in result["answer"]
    assert any("statistics.median" in citation["title"] for citation in result["citations"])
    thread = result["thread_id"]
    assert thread in ddax(tmp_path, "runs").stdout
    shown = json.loads(ddax(tmp_path, "show", thread, "--json").stdout)
    assert shown["result"]["answer"] == result["answer"]
    assert len(shown["ideas"]) == result["ideas"]
    followed = ddax(tmp_path, "run", "--thread", thread, MERGE, "--json")
    assert followed.returncode == 0, followed.stderr
    assert json.loads(followed.stdout)["thread_id"] == thread
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home"]


@pytest.mark.parametrize("kind", ["missing", "empty", "binary", "module", "identity"])
def test_what_cannot_work_is_one_clear_error_with_exit_2(tmp_path: Path, kind: str):
    (tmp_path / "empty").mkdir()
    (tmp_path / "binary").mkdir()
    (tmp_path / "binary" / "a.txt").write_bytes(bytes(range(256)) * 20)
    argv = {
        "module": ("--sources", "python:no_such_module"),
        "identity": ("--sources", "python:heapq", "--identity", "nobody"),
    }.get(kind, ("--sources", kind))
    done = ddax(tmp_path, "run", "What is it?", *argv, "--json")
    error = json.loads(done.stdout)
    assert done.returncode == error["exit_code"] == 2, done.stdout
    assert error["error"]["what"]
    assert "Traceback" not in done.stderr


def test_a_home_that_cannot_be_written_ends_with_7(tmp_path: Path):
    (tmp_path / "file").write_text("")
    done = ddax(
        tmp_path, "run", "What?", "--sources", "python:heapq", "--json", DDAX_HOME=str(tmp_path / "file")
    )
    assert done.returncode == 7
    assert json.loads(done.stdout)["error"]["kind"] == "StorageError"


def test_a_cap_ends_with_6_and_a_partial_answer(tmp_path: Path):
    done = ddax(tmp_path, "run", "What is a heap?", "--sources", "python:heapq", "--max-steps", "2", "--json")
    assert done.returncode == 6, done.stderr
    result = json.loads(done.stdout)
    assert result["status"] == "stopped"
    assert "max_steps" in result["stop_reason"]


def test_memory_rebuild_counts_the_rows_of_the_record(tmp_path: Path) -> None:
    environment = {**os.environ, "DDAX_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [sys.executable, "-m", "ddax", "memory", "rebuild", "--json"],
        capture_output=True, text=True, env=environment, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"namespace": "default", "rows": 0}

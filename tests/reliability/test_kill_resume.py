"""A run killed with SIGKILL at any superstep resumes to the DAG of the undisturbed run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def killed_and_resumed(homes: Path, folder: Path, *how: str, every: int, **env: str) -> dict[str, Any]:
    driver = Path(__file__).with_name("kill_driver.py")
    done = subprocess.run(
        [sys.executable, str(driver), str(homes), str(folder), str(every), *how],
        capture_output=True,
        text=True,
        timeout=880,
        env={**os.environ, **env},
    )
    assert done.returncode == 0, done.stderr[-4000:]
    told: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    assert told["control"]["events"] >= 12
    assert len(told["runs"]) == len(range(1, told["control"]["events"] + 1, every))
    return told


def check(told: dict[str, Any]) -> None:
    control = told["control"]
    assert told["runs"], "nothing was killed"
    for run in told["runs"]:
        assert run["killed_by"] == signal.SIGKILL, run
        assert run["ended"] == 0, run
        assert run["digest"] == control["digest"], run
        assert (run["answer"], run["status"]) == (control["answer"], control["status"]), run
        assert run["leaves"] == control["leaves"], "a finished leaf was executed again"
        assert run["agents"] == control["agents"], "an event of an agent was lost or counted twice"


@pytest.mark.integration
def test_killed_here_and_there_it_resumes_to_the_same_dag(tmp_path: Path, folder: Path) -> None:
    check(killed_and_resumed(tmp_path / "homes", folder, every=11))


@pytest.mark.integration
@pytest.mark.long
@pytest.mark.timeout(900)  # a hundred short runs, each in a process of its own
def test_killed_anywhere_it_resumes_to_the_same_dag(tmp_path: Path, folder: Path) -> None:
    check(killed_and_resumed(tmp_path / "homes", folder, every=1))


@pytest.mark.integration
@pytest.mark.long
@pytest.mark.timeout(900)  # a hundred short runs, each in a process of its own
def test_killed_anywhere_it_resumes_from_a_postgres(tmp_path: Path, folder: Path, postgres: str) -> None:
    check(killed_and_resumed(tmp_path / "homes", folder, every=6, DDAX_CHECKPOINTS=postgres))


@pytest.mark.integration
def test_killed_where_another_process_owns_the_memory_it_resumes_to_the_same_dag(
    tmp_path: Path, folder: Path
) -> None:
    told = killed_and_resumed(tmp_path / "homes", folder, "shared", every=15)
    check(told)
    assert not told["control"]["remote"]
    assert [run["remote"] for run in told["runs"]] == [n % 2 == 0 for n in range(len(told["runs"]))]

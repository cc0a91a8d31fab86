"""How a thread stands is told alike by all who tell it, also after a kill and a cancel."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ddax.cli.main import run_command
from ddax.errors import UsageError
from ddax.graph.threads.manifests import RunFolder
from ddax.memory.home import Home, thread_lock


def told(capsys: Any, *argv: str) -> Any:
    run_command([*argv, "--json"])
    return json.loads(capsys.readouterr().out)


@pytest.fixture
async def home(kit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Leave a home with a thread `t` as a kill leaves it: some checkpoints, and nothing counted."""
    monkeypatch.setenv("DDAX_HOME", str(tmp_path / "home"))
    async with kit.agent(tmp_path / "home", kit.script()) as agent:

        def on_event(event: dict[str, Any]) -> None:
            if event["node"] == "act":
                agent.drain()

        await agent.run(kit.question, thread="t", on_event=on_event)
        agent.runs.update("t", status="running", stop_reason="", steps=0, ideas=0)
    return tmp_path / "home"


def rows(capsys: Any) -> list[tuple[str, int, int]]:
    """Return status, steps and ideas of the thread, as each command and the viewer tell them."""
    (listed,) = told(capsys, "runs")["runs"]
    shown = told(capsys, "show", "t")
    return [(row["status"], row["steps"], row["ideas"]) for row in (listed, shown["run"], shown["result"])]


def test_a_killed_thread_is_interrupted_with_the_counts_of_its_checkpoints(home: Path, capsys: Any) -> None:
    one, *others = rows(capsys)
    assert one[0] == "interrupted" and one[1] > 0 and one[2] > 0
    assert others == [one, one]
    run_command(["show", "t"])
    assert f"interrupted, {one[2]} ideas in {one[1]} step" in capsys.readouterr().out
    assert RunFolder(home / "runs").unfinished().thread_id == "t"


def test_a_thread_that_runs_elsewhere_is_told_to_run(home: Path, capsys: Any) -> None:
    with thread_lock(Home(home), "t", clock=lambda: 0.0):
        one, *others = rows(capsys)
        assert one[0] == "running" and others == [one, one]
        run_command(["show", "t"])
        out = capsys.readouterr().out
    assert "ddax cancel t" in out and "ddax resume" not in out


def test_a_killed_thread_that_is_cancelled_is_stopped_with_its_counts(home: Path, capsys: Any) -> None:
    before = rows(capsys)[0]
    assert told(capsys, "cancel", "t")["status"] == "stopped"
    assert rows(capsys) == [("stopped", *before[1:])] * 3
    assert told(capsys, "show", "t")["result"]["stop_reason"] == "cancelled"
    with pytest.raises(UsageError, match="unfinished") as error:
        RunFolder(home / "runs").unfinished()
    assert error.value.mend.endswith("ddax resume t")


def test_counts_that_cannot_be_read_leave_the_list_whole(home: Path, capsys: Any) -> None:
    (home / "checkpoints.sqlite").write_bytes(b"no database")
    (row,) = told(capsys, "runs")["runs"]
    assert (row["status"], row["steps"], row["ideas"]) == ("interrupted", None, None)

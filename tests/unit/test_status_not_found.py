"""A run that finds no answer has a status of its own, which everything that reads a status knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ddax.batch.pool import Folder
from ddax.batch.tasks import BatchTask
from ddax.cli.backend import Output
from ddax.cli.running.batch import _finish
from ddax.graph.results import exit_code_of
from ddax.graph.threads.manifests import OVER, RunFolder, RunInfo


async def test_the_run_is_over_and_can_be_followed_up(kit: Any, tmp_path: Path) -> None:
    replies = kit.script(kit.leaf("tower in Belmark"))
    replies["merge"] = [kit.synthesis(found=False)] * 4
    async with kit.agent(tmp_path, replies, sources=("notes",)) as agent:
        result = await agent.run(kit.question, thread="t")
        again = await agent.run("And who built it?", thread="t")
        listed = {info.thread_id: info.status for info in agent.threads()}
        state = await agent.state("t")
    assert result["status"] == again["status"] == "not_found"
    assert result["answer"]
    assert listed == {"t": "not_found"} and exit_code_of(result) == 1
    told = [m.response_metadata["ddax"]["status"] for m in state["messages"] if m.type == "ai"]
    assert told == ["not_found"] * 2


@pytest.mark.parametrize("status", sorted(OVER))
def test_a_manifest_may_say_how_a_run_ended(tmp_path: Path, status: str) -> None:
    runs = RunFolder(tmp_path)
    runs.save(RunInfo("t", "Who?", status))
    assert runs.known("t").status == status and not runs.known("t").resumable


@pytest.mark.parametrize(("status", "code"), [("done", 0), ("not_found", 1), ("failed", 1), ("stopped", 6)])
def test_a_batch_ends_as_its_tasks_do(tmp_path: Path, status: str, code: int) -> None:
    folder, task = Folder(tmp_path).ensure(), BatchTask(id="a", task="Who?")
    folder.keep({"id": "a", "status": status, "answer": "", "score": None, "error": None, "seconds": 1.0})
    assert _finish([task], folder, Output(json=True, verbose=False)) == code

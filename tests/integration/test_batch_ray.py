"""A batch on a Ray cluster of two nodes, one of which is killed: the results of the serial run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ddax.batch.pool import Folder, run_all
from ddax.batch.processes import process_runner
from ddax.batch.tasks import BatchTask
from ddax.configs.settings import Context
from tests.integration.command_line import PAGES, QUESTION

pytestmark = [
    pytest.mark.integration, pytest.mark.timeout(600),
    pytest.mark.filterwarnings("default"),  # Ray leaves sockets and subprocesses to the end of the process
]  # fmt: skip
TASKS = (
    QUESTION,
    "Who designed the Corvane Tower?",
    "When was the harbour of Trondby built?",
    "What is Trondby?",
)


@pytest.fixture
def cluster() -> Iterator[tuple[Any, Any]]:
    ray = pytest.importorskip("ray", reason="needs the extra ray: pip install 'ddax[ray]'")
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    try:
        yield ray, nodes
    finally:
        ray.shutdown()
        nodes.shutdown()


async def test_a_killed_node_costs_no_result(cluster: tuple[Any, Any], tmp_path: Path, repo: Path) -> None:
    from ddax.batch.cluster import connect, ray_runner

    _, nodes = cluster
    docs = tmp_path / "docs"
    docs.mkdir()
    for name, text in PAGES.items():
        (docs / f"{name}.md").write_text(text)
    base = Context.model_validate({"sources": [str(docs)], "mood": {"engine": "numpy"}})
    tasks = [BatchTask(id=f"t{k}", task=text) for k, text in enumerate(TASKS)]

    def plain(folder: Folder) -> dict[str, Any]:
        rows = {task.id: folder.result(task) or {} for task in tasks}
        return {name: {k: v for k, v in row.items() if k != "seconds"} for name, row in rows.items()}

    serial = Folder(tmp_path / "serial").ensure()
    await run_all(tasks, serial, [process_runner(base, tmp_path / "cache")], lambda row: None)

    workers = [nodes.add_node(num_cpus=1), nodes.add_node(num_cpus=1)]
    ray = connect(nodes.address)
    folder, told = Folder(tmp_path / "ray").ensure(), []
    environ = {"PYTHONPATH": str(repo)}

    def on_row(row: dict[str, Any]) -> None:
        told.append(row["id"])
        if len(told) == 1:
            nodes.remove_node(workers[0], allow_graceful=False)

    runners = [ray_runner(ray, base, tmp_path / "cache", environ) for _ in workers]
    await asyncio.wait_for(run_all(tasks, folder, runners, on_row), 500)
    assert sorted(told) == [task.id for task in tasks]
    assert plain(folder) == plain(serial)
    assert all(row["error"] is None for row in plain(folder).values())

"""A batch on a Ray cluster of two nodes, one of which is killed: the results of the serial run, once each.

The checkpoints are in one Postgres; the memory is that of each task, or one that an actor owns.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_socket import socket_allow_hosts

from ddax.batch.cluster_memory import memory_actor, send_to
from ddax.batch.crews import actors, coroutines, hosted
from ddax.batch.pool import Folder, run_all
from ddax.batch.tasks import BatchTask
from ddax.batch.worker import cached_embedder, memory_at
from ddax.configs.settings import Context, Recall
from ddax.errors import StorageError
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.lock import lock_owner
from ddax.memory.share.remote import RemoteMemory
from ddax.types import JsonDict, Record
from tests.integration.command_line import QUESTION, write_pages

pytestmark = [
    pytest.mark.integration, pytest.mark.timeout(600), pytest.mark.long,
    pytest.mark.filterwarnings("default"),  # Ray leaves sockets and subprocesses to the end of the process
]  # fmt: skip
ASKED = (
    QUESTION,
    "Who designed the Corvane Tower?",
    "When was the harbour of Trondby built?",
    "What is Trondby?",
)
TASKS = [BatchTask(id=f"t{number}", task=text) for number, text in enumerate(ASKED)]


@pytest.fixture
def cluster() -> Iterator[tuple[Any, Any]]:
    ray = pytest.importorskip("ray", reason="needs the extra ray: pip install 'ddax[ray]'")
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    # Ray listens at the address this machine has on its network, which tests may not reach otherwise.
    socket_allow_hosts(["127.0.0.1", "::1", "localhost", nodes.address.rpartition(":")[0]])
    try:
        yield ray, nodes
    finally:
        ray.shutdown()
        nodes.shutdown()


@pytest.fixture
def base(tmp_path: Path) -> Context:
    docs = tmp_path / "docs"
    docs.mkdir()
    write_pages(docs)
    return Context.model_validate({"sources": [str(docs)], "mood": {"engine": "numpy"}})


def plain(folder: Folder) -> dict[str, Any]:
    rows = {task.id: folder.result(task) or {} for task in TASKS}
    return {name: {k: v for k, v in row.items() if k != "seconds"} for name, row in rows.items()}


async def with_a_killed_node(
    nodes: Any, folder: Folder, base: Context, memory: Path | None, environ: dict[str, str]
) -> list[str]:
    """Run the tasks on two nodes, one of which is killed with the first result; return the tasks as told."""
    from ddax.batch.cluster import connect

    workers, told = [nodes.add_node(num_cpus=1), nodes.add_node(num_cpus=1)], list[str]()
    ray = connect(nodes.address)
    here = ray.get_runtime_context().get_node_id()
    assert here not in {node.node_id for node in workers}, "the command runs on the head"

    def on_row(row: JsonDict) -> None:
        told.append(row["id"])
        if len(told) == 1:
            nodes.remove_node(workers[0], allow_graceful=False)
            if memory is not None:
                owner = lock_owner(memory)
                assert owner is not None
                assert owner.pid != os.getpid()
                os.kill(owner.pid, signal.SIGKILL)

    async with actors(ray, base, folder, memory, environ)(2) as runners:
        await asyncio.wait_for(run_all(TASKS, folder, runners, on_row), 500)
    return told


def test_a_cluster_that_does_not_answer_is_named_with_the_mend() -> None:
    from ddax.batch.cluster import connect

    pytest.importorskip("ray", reason="needs the extra ray: pip install 'ddax[ray]'")
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # nobody listens there
        address = f"127.0.0.1:{bound.getsockname()[1]}"
        with pytest.raises(StorageError, match="No Ray cluster answers") as raised:
            connect(address)
    assert (raised.value.why, raised.value.exit_code) == ("Connection refused.", 7)


async def test_a_killed_node_costs_no_result_with_checkpoints_in_a_postgres(
    cluster: tuple[Any, Any], tmp_path: Path, repo: Path, base: Context, postgres: str
) -> None:
    serial, folder = Folder(tmp_path / "serial").ensure(), Folder(tmp_path / "ray").ensure()
    async with coroutines(base, serial, None)(1) as runners:
        await run_all(TASKS, serial, runners, lambda row: None)
    environ = {"PYTHONPATH": str(repo), "DDAX_CHECKPOINTS": postgres}
    told = await with_a_killed_node(cluster[1], folder, base, None, environ)
    assert sorted(told) == [task.id for task in TASKS]
    assert plain(folder) == plain(serial)
    assert all(row["error"] is None for row in plain(folder).values())
    assert not list(folder.work.glob("*/checkpoints.sqlite"))


async def test_the_memory_of_all_tasks_outlives_a_killed_node_and_its_own_actor(
    cluster: tuple[Any, Any], tmp_path: Path, repo: Path, base: Context
) -> None:
    folder, memory = Folder(tmp_path / "ray").ensure(), tmp_path / "memory"
    told = await with_a_killed_node(cluster[1], folder, base, memory, {"PYTHONPATH": str(repo)})
    assert sorted(told) == [task.id for task in TASKS]
    assert all(row["error"] is None for row in plain(folder).values())
    assert not list(folder.work.glob("*/memory/record.sqlite")), "no task has a memory beside it"
    async with hosted(base, folder, memory) as send:  # the actor has given it back
        there = memory_at(send, base, cached_embedder(folder.root / "cache"))
        assert {row["text"] for row in await there.rows("tasks")} == {task.task for task in TASKS}
        assert await there.count("internal_thought") >= 2


async def test_what_an_actor_acknowledged_is_there_after_it_was_killed(
    cluster: tuple[Any, Any], tmp_path: Path, repo: Path
) -> None:
    from ddax.batch.cluster import connect

    ray, acknowledged = connect(cluster[1].address), list[str]()
    async with memory_actor(ray, tmp_path / "memory", {"PYTHONPATH": str(repo)}) as actor:
        memory = RemoteMemory(
            send_to(ray, actor), "n", embedder=HashEmbedder(), clock=time.time, recall=Recall()
        )

        async def write(writer: int) -> None:
            for number in range(40):
                text = f"river {writer} of map {number}"
                acknowledged.extend(await memory.put([Record("observation", text)]))

        owners = set[int]()

        async def strike() -> None:
            for least in (10, 60):
                while len(acknowledged) < least:
                    await asyncio.sleep(0.01)
                owner = lock_owner(tmp_path / "memory")
                assert owner is not None
                owners.add(owner.pid)
                os.kill(owner.pid, signal.SIGKILL)

        await asyncio.wait_for(asyncio.gather(*(write(writer) for writer in range(4)), strike()), 300)
        assert len(owners) == 2
        assert len(acknowledged) == len(set(acknowledged)) == 160
        assert [row.id for row in await memory.get(acknowledged)] == acknowledged
        assert await memory.count("observation") == 160

"""One contract for every store: the fakes in a dict and the real ones on disk keep it alike.

The real memory is SQLite with Chroma as its index, also where another owns it: one of this process,
another process, an actor of Ray. The real agents are a file each.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from ddax.batch import cluster_memory
from ddax.configs.settings import Recall
from ddax.memory.agents.agent_store import Agents, AgentStore
from ddax.memory.agents.fake import DictAgents
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.fake import DictMemory
from ddax.memory.protocol import Memory
from ddax.memory.share.reaching import reach_memory
from ddax.memory.share.remote import RemoteMemory, Send
from ddax.memory.store.namespace import open_memory
from tests.unit.memory_contract.parts import (
    Clock,
    Opener,
    owned,
    owning,
)


@pytest.fixture
def clock() -> Clock:
    return Clock()


ON_RAY = pytest.param("ray", marks=[pytest.mark.long, pytest.mark.filterwarnings("default")])


@pytest.fixture(params=["dict", "chroma", "called", "process", ON_RAY])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def actor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Send]:
    """Start Ray with an actor that owns a memory; it serves all tests, which have namespaces of their own."""
    ray = pytest.importorskip("ray", reason="needs the extra ray: pip install 'ddax[ray]'")
    environ = {"PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        owner = cluster_memory.start(ray, tmp_path_factory.mktemp("actor"), environ)
        yield cluster_memory.send_to(ray, owner)
    finally:
        ray.shutdown()


@pytest.fixture(scope="session")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return the folder of a memory that another process owns; it serves all tests, as the actor does."""
    folder = tmp_path_factory.mktemp("elsewhere")
    with owning(folder):
        yield folder


@pytest.fixture
async def opened(
    request: pytest.FixtureRequest, kind: str, tmp_path: Path, clock: Clock
) -> AsyncIterator[Opener]:
    memories: list[Memory] = []
    held = contextlib.AsyncExitStack()
    send = None
    if kind == "ray":
        send = request.getfixturevalue("actor")
    elif kind == "called":
        send = await held.enter_async_context(owned(tmp_path))

    async def opening(namespace: str = request.node.name, **more: Any) -> Memory:
        embedder, recall = HashEmbedder(), Recall()
        if kind == "dict":
            memory: Memory = DictMemory(namespace, embedder, clock, recall, trust=more.get("trust"))
        elif send is not None:
            memory = RemoteMemory(
                send, namespace, embedder=embedder, clock=clock, recall=recall, trust=more.get("trust")
            )
        elif kind == "process":
            folder = request.getfixturevalue("elsewhere")
            memory = await reach_memory(
                folder, namespace=namespace, embedder=embedder, clock=clock, recall=recall, **more
            )
            assert isinstance(memory, RemoteMemory)
        else:
            # With `rebuild` the index is waited for, so that it answers and not the exact search.
            memory = await open_memory(
                tmp_path,
                namespace=namespace,
                embedder=embedder,
                clock=clock,
                recall=recall,
                rebuild=True,
                **more,
            )
        memories.append(memory)
        return memory

    yield opening
    for memory in memories:
        await memory.close()
    await held.aclose()


@pytest.fixture
async def memory(opened: Opener) -> Memory:
    return await opened()


@pytest.fixture(params=["dict", "files"])
def agents(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Agents:
    if request.param == "dict":
        return DictAgents(clock=clock, embedder=HashEmbedder())
    return AgentStore(tmp_path / "agents", clock=clock, embedder=HashEmbedder())

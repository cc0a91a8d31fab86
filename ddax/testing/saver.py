"""The contract of a checkpoint saver: a run stopped in the middle goes on in it, with the same DAG."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from ddax.configs.settings import Context
from ddax.graph.builder import build_graph
from ddax.graph.services import Parts
from ddax.graph.sessions import LocalServices
from ddax.ideas import dag
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.fake import DictMemory
from ddax.memory.home import Home
from ddax.testing.contract import Contract, expect
from ddax.testing.pages import QUESTION, PageLibrary

NOW = 1_700_000_000.0
Saver = BaseCheckpointSaver[Any]


class SaverContract(Contract):
    """What our graph needs of a saver beyond LangGraph's own suite (`langgraph-checkpoint-conformance`).

    `open` opens the store as an async context; opened again it holds what was stored before.
    """

    def open(self, place: Path) -> AbstractAsyncContextManager[Saver]:
        """Open the store that lies at a place."""
        raise NotImplementedError

    async def rule_a_stopped_run_goes_on_with_the_same_dag(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            whole, _ = await self._run(
                Path(folder) / "whole", lambda graph, config: graph.ainvoke(TASK, config)
            )
            place, memory = Path(folder) / "stopped", _memory()
            await self._run(place, _until_act, memory=memory)
            after, _ = await self._run(
                place, lambda graph, config: graph.ainvoke(None, config), memory=memory
            )
        expect(whole["status"] == "done", f"the run ended as {whole['status']}")
        expect(dag.digest(after["ideas"]) == dag.digest(whole["ideas"]), "the resumed run has another DAG")

    async def rule_every_moment_of_a_run_can_be_read_back(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            done, past = await self._run(Path(folder), lambda graph, config: graph.ainvoke(TASK, config))
        sizes = [len(one.values.get("ideas", {})) for one in past]
        expect(len(past) > 8, f"a run has a checkpoint a superstep, this one left {len(past)}")
        expect(sizes == sorted(sizes, reverse=True), f"ideas came and went in the history: {sizes}")
        expect(sizes[0] == len(done["ideas"]), "the newest checkpoint lacks ideas of the run")

    async def _run(
        self, place: Path, go: Callable[[Any, Any], Awaitable[Any]], *, memory: Any = None
    ) -> tuple[dict[str, Any], list[Any]]:
        place.mkdir(parents=True, exist_ok=True)
        settings = Context(seed=7, mood={"engine": "numpy"})  # type: ignore[arg-type]  # pydantic reads it
        parts = Parts(library=PageLibrary(), embedder=HashEmbedder(), memory=memory or _memory())
        home = Home(place / "home").ensure()
        services = LocalServices(
            home, default=settings, parts=parts, clock=lambda: NOW, monotonic=lambda: 0.0
        )
        config = {"configurable": {"thread_id": "saver"}, "recursion_limit": 200}
        async with self.open(place) as saver:
            graph = build_graph(services).compile(checkpointer=saver)
            await go(graph, config)
            state = await graph.aget_state(config)  # type: ignore[arg-type]  # plain JSON
            past = [one async for one in graph.aget_state_history(config)]  # type: ignore[arg-type]
        return dict(state.values), past


TASK = {"task": QUESTION}


async def _until_act(graph: Any, config: Any) -> None:
    await graph.ainvoke(TASK, config, interrupt_before=["act"])


def _memory() -> DictMemory:
    return DictMemory("testing", HashEmbedder(), lambda: NOW, Context().recall)

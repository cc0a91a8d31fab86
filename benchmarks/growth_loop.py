"""A loop of supersteps over the product's state and store, and the same loop in bare LangGraph."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, TypedDict


async def loop(
    path: Path,
    ideas: int,
    supersteps: int,
    *,
    grow: bool = False,
    alone: bool = False,
    copies: list[float] | None = None,
) -> tuple[float, float]:
    """Return the median milliseconds of a superstep that changes (or adds) one idea, and the file's MB.

    With `alone` the state holds ideas and nothing else. `copies` is given, by superstep, the milliseconds
    of making one more copy of the ideas and dropping that of the superstep before.
    """
    from langgraph.graph import END, START, StateGraph

    from benchmarks.growth import state_of
    from ddax.graph.savers import open_store
    from ddax.graph.state import State
    from ddax.ideas.idea import child

    start = state_of(max(ideas, 3))
    root = start["ideas"]["0"]
    if alone:
        start = {"ideas": start["ideas"], "step": 0}

    held: list[Any] = [None]

    async def turn(state: Any) -> Any:
        step = state["step"] + 1
        if copies is not None:
            begun = time.perf_counter()
            held[0] = state["ideas"].after({})
            copies.append((time.perf_counter() - begun) * 1000)
        if grow:
            how: Any = {"prior": 0.5, "step": step, "needs": []}
            added = child(root, 100_000 + step, "x" * 500, expected="y" * 300, **how)
            return {"step": step, "ideas": {added["id"]: added}}
        return {"step": step, "ideas": {f"0.{1 + step % max(1, ideas - 2)}": {"Q": 0.51, "N": step}}}

    def after(state: Any) -> str:
        return "turn" if state["step"] < supersteps else END

    builder = StateGraph(State)
    builder.add_node("begin", lambda state: start)
    builder.add_node("turn", turn)
    builder.add_edge(START, "begin")
    builder.add_edge("begin", "turn")
    builder.add_conditional_edges("turn", after, ["turn", END])
    async with open_store(path, {}) as store:
        times = await _timed(builder.compile(checkpointer=store), {"task": "t"}, supersteps)
        await store.compact()
        size = await store.size()
    return median(times[5:]) * 1000, size / 2**20


async def bare(path: Path, supersteps: int) -> float:
    """Return the median milliseconds of a superstep of the least LangGraph loop with the usual saver."""
    import aiosqlite
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    from langgraph.graph import END, START, StateGraph

    builder = StateGraph(Counted)
    builder.add_node("turn", _count)
    builder.add_edge(START, "turn")
    builder.add_conditional_edges(
        "turn", lambda state: "turn" if state["step"] < supersteps else END, ["turn", END]
    )
    async with aiosqlite.connect(path) as connection:
        saver = AsyncSqliteSaver(connection)
        await saver.setup()
        await connection.execute("PRAGMA synchronous=NORMAL")
        times = await _timed(builder.compile(checkpointer=saver), {"step": 0}, supersteps)
    return median(times[5:]) * 1000


class Counted(TypedDict):
    """The state of the bare loop."""

    step: int


def _count(state: Any) -> Any:
    return {"step": state["step"] + 1}


async def _timed(graph: Any, given: Any, supersteps: int) -> list[float]:
    config: Any = {"configurable": {"thread_id": "t"}, "recursion_limit": supersteps + 10}
    marks = [time.perf_counter()]
    async for _ in graph.astream(given, config, stream_mode="updates", durability="sync"):
        marks.append(time.perf_counter())
    return [after - before for before, after in pairwise(marks)]


async def per_idea(leaves: int) -> float:
    """Return the milliseconds of a whole task for each of its ideas, with no model and no disk memory."""
    import tempfile

    from benchmarks.durable.scripted_worker import script
    from benchmarks.fanout import Nothing
    from ddax import Context, open_agent
    from ddax.graph.services import Parts
    from ddax.memory.embeddings import HashEmbedder
    from ddax.memory.fake import DictMemory
    from ddax.reasoning import protocol as p
    from ddax.reasoning.scripted import ScriptedReasoner
    from ddax.types import ActionCall, Proposal

    texts = [f"{k} {k * k}" for k in range(leaves)]
    children = tuple(
        Proposal(f"keep {text}", "kept", action=ActionCall(name="save", args={"text": text}, intent=""))
        for text in texts
    )
    context = Context.model_validate(
        {"mood": {"engine": "numpy"}, "budget": {"max_parallel": 64},
         "selection": {"branching": leaves, "beam": 256, "join": 1.0}}
    )  # fmt: skip
    embedder = HashEmbedder()
    memory = DictMemory("main", embedder, time.time, context.recall)
    reasoner = ScriptedReasoner({**script(), "expand": [p.Expansion(children)]}, repeat=True)
    parts = Parts(reasoner=reasoner, embedder=embedder, memory=memory, library=Nothing())
    with tempfile.TemporaryDirectory() as home:
        async with open_agent(context, home=Path(home), parts=parts) as agent:
            await agent.run("warm up", thread="warm")
            begun = time.process_time()
            result = await agent.run("keep them all", thread="t")
            return (time.process_time() - begun) * 1000 / result["ideas"]


async def build(path: Path, ideas: int) -> None:
    """Make a thread with so many ideas and some hundred changes behind them."""
    await loop(path, ideas, 300)


async def reopen(path: Path) -> dict[str, float]:
    """Return the seconds it takes to check and read a thread, and its ideas."""
    from ddax.graph.builder import build_graph
    from ddax.graph.savers import open_store

    begun = time.perf_counter()
    async with open_store(path, {}) as store:
        found = await store.check("t")
        if found.fault:
            raise RuntimeError(found.fault)
        config: Any = {"configurable": {"thread_id": "t"}}
        state = await build_graph().compile(checkpointer=store).aget_state(config)
        return {"seconds": time.perf_counter() - begun, "ideas": len(state.values["ideas"])}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(reopen(Path(sys.argv[1])))))

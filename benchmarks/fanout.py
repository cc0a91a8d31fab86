"""What the engine adds to leaves that run beside each other: the superstep of `act`, saved in SQLite."""

from __future__ import annotations

import asyncio
import operator
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any

from typing_extensions import TypedDict

from benchmarks.core import Figure, Options, Result, Target
from ddax.__main__ import look_less_for_cycles

if TYPE_CHECKING:
    from ddax.actions.protocol import Action, ActionContext
    from ddax.actions.save import SaveArguments
    from ddax.types import Document, Hit

NAME = "fanout"
DESCRIPTION = "the wall time of 16, 64 and 256 leaves of 200 ms, against 200 ms"
LEAF_SECONDS = 0.2
THINGS = ("mountains", "rivers", "old towers", "cheese")
WIDTH = 64
"""Leaves of one expansion at most."""
TARGETS = {16: 1.15, 64: 1.25, 256: 1.6}


def run(options: Options) -> Result:
    """Measure with the product's graph, memory and saver."""
    look_less_for_cycles()
    repetitions = 2 if options.quick else 7
    figures = []
    for leaves, most in TARGETS.items():
        name = f"{leaves} leaves of 200 ms beside each other"
        figures.append(_figure(name, [asyncio.run(measure(leaves)) for _ in range(repetitions)], most))
        alone = [asyncio.run(measure_bare(leaves)) for _ in range(repetitions)]
        figures.append(_figure(f"{leaves} nodes of LangGraph that wait 200 ms and do nothing else", alone))
    return Result(NAME, tuple(figures), (options.seed,), repetitions, (
        "from the saved choice of select to the saved outcomes of all leaves; low and high are min and max",
        "the garbage collector looks for cycles as seldom as in the command line (gc.set_threshold)",
    ))  # fmt: skip


def _figure(name: str, found: list[float], most: float | None = None) -> Figure:
    return Figure(
        name, round(median(found) / LEAF_SECONDS, 3), "×", None if most is None else Target("<=", most),
        low=min(found) / LEAF_SECONDS, high=max(found) / LEAF_SECONDS, n=len(found),
    )  # fmt: skip


async def measure(leaves: int, *, seconds: float = LEAF_SECONDS) -> float:
    """Return the seconds of the superstep in which so many leaves of `seconds` act."""
    from ddax import Context, open_agent
    from ddax.graph.services import Parts
    from ddax.memory.embeddings import HashEmbedder
    from ddax.reasoning.scripted import ScriptedReasoner

    context = Context.model_validate(
        {
            "sources": [], "seed": 7, "mood": {"engine": "numpy"},
            "budget": {"max_ideas": 2000, "max_parallel": leaves, "max_steps": 8},
            "selection": {"join": 1.0, "beam": 256},
        }
    )  # fmt: skip
    saved: list[tuple[float, str]] = []
    with tempfile.TemporaryDirectory() as home:
        parts = Parts(
            reasoner=ScriptedReasoner(script(max(2, leaves // WIDTH)), repeat=True), embedder=HashEmbedder(),
            actions=(waiting(seconds),), library=Nothing(),
        )  # fmt: skip
        async with open_agent(context, home=Path(home), parts=parts) as agent:
            graph: Any = agent.graph
            inner = graph.checkpointer.aput

            async def aput(config: Any, checkpoint: Any, metadata: Any, versions: Any) -> Any:
                kept = await inner(config, checkpoint, metadata, versions)
                decision = checkpoint["channel_values"].get("decision", {})
                saved.append((time.perf_counter(), str(decision.get("next", ""))))
                return kept

            config: Any = {"configurable": {"thread_id": "t"}, "recursion_limit": 100}
            how = {"context": context, "durability": "sync"}
            await graph.ainvoke({"task": "wait for all"}, config, interrupt_after=["expand"], **how)
            await graph.aupdate_state(
                config, {"ideas": await _spread(graph, config, leaves)}, as_node="expand"
            )
            graph.checkpointer.aput = aput
            await graph.ainvoke(None, config, interrupt_before=["evaluate"], **how)
            ideas = (await graph.aget_state(config)).values["ideas"]
            done = sum(idea["status"] == "done" for idea in ideas.values())
    if done != leaves:
        raise RuntimeError(f"{done} of {leaves} leaves acted")
    first = next(n for n, (_, chosen) in enumerate(saved) if chosen == "act")
    return saved[first + 1][0] - saved[first][0]


class Waited(TypedDict, total=False):
    """The state of the graph that only waits."""

    done: Annotated[dict[str, str], operator.or_]


async def measure_bare(leaves: int, *, seconds: float = LEAF_SECONDS) -> float:
    """Return the seconds of a superstep in which as many nodes only wait, with the same saver: the floor."""
    from langgraph.graph import START, StateGraph
    from langgraph.types import Send

    from ddax.graph.savers.serializing import serializer
    from ddax.graph.savers.sqlite import open_sqlite

    async def select(state: Any) -> Any:
        return {"done": {}}

    async def leaf(packet: Any) -> Any:
        await asyncio.sleep(seconds)
        return {"done": {packet["leaf"]: f"waited for {packet['leaf']}"}}

    builder: Any = StateGraph(Waited)
    builder.add_node("select", select)
    builder.add_node("leaf", leaf)
    builder.add_edge(START, "select")
    builder.add_conditional_edges(
        "select", lambda state: [Send("leaf", {"leaf": str(k)}) for k in range(leaves)], ["leaf"]
    )
    saved: list[float] = []
    with tempfile.TemporaryDirectory() as home:
        async with open_sqlite(Path(home) / "checkpoints.sqlite", serializer("")) as saver:
            graph: Any = builder.compile(checkpointer=saver)
            inner = graph.checkpointer.aput

            async def aput(*what: Any) -> Any:
                kept = await inner(*what)
                saved.append(time.perf_counter())
                return kept

            graph.checkpointer.aput = aput
            state = await graph.ainvoke({}, {"configurable": {"thread_id": "t"}}, durability="sync")
    if len(state["done"]) != leaves:
        raise RuntimeError(f"{len(state['done'])} of {leaves} nodes waited")
    return saved[-1] - saved[-2]


async def _spread(graph: Any, config: Any, leaves: int) -> Any:
    """Give every inner idea its share of the leaves."""
    from ddax.ideas import grow
    from ddax.ideas.idea import apply_patches
    from ddax.types import ActionCall, Proposal

    ideas = (await graph.aget_state(config)).values["ideas"]
    inner = [idea for idea in ideas.values() if idea["title"].startswith("part")]
    patch: Any = {}
    for number, idea in enumerate(inner):
        children = [
            Proposal(f"wait number {k} {k * k}", f"it has waited {k}",
                     action=ActionCall(name="wait", args={"text": f"leaf {k}"}, intent=""))
            for k in range(number, leaves, len(inner))
        ]  # fmt: skip
        patch = apply_patches(patch, [grow.expansion(ideas, idea, children, step=1)])
    return patch


class Nothing:
    """Sources that hold nothing."""

    specs: tuple[str, ...] = ()
    outside = False

    async def search(self, query: str, *, intent: str = "", k: int = 10, mode: str = "hybrid") -> list[Hit]:
        """Find nothing."""
        return []

    async def read(self, source: str) -> Document:
        """Read nothing."""
        from ddax.errors import ActionError

        raise ActionError(f"there is no page {source!r}.", kind="not_found")

    async def mentioned(self, text: str, *, limit: int = 10) -> list[Hit]:
        """Mention nothing."""
        return []

    def holds(self, source: str, text: str) -> bool | None:
        """Hold nothing."""
        return None

    async def warm(self, limit: int | None = None) -> int:
        """Need no warmth."""
        return 0

    def describe(self) -> str:
        """Say so."""
        return "nothing"


def waiting(seconds: float) -> Action:
    """Return an action that takes so long and does nothing."""
    from ddax.actions.protocol import Action, ActionResult
    from ddax.actions.save import SaveArguments

    async def wait(context: ActionContext, arguments: SaveArguments) -> ActionResult:
        await asyncio.sleep(seconds)
        return ActionResult(f"waited for {arguments.text}")

    return Action("wait", wait, SaveArguments, "reads", "Wait.")


def script(parts: int) -> dict[str, list[Any]]:
    """Return the replies of a task with one expansion into so many parts."""
    from ddax.reasoning import protocol as p
    from ddax.types import Proposal

    return {
        "expand": [p.Expansion(tuple(Proposal(f"part {k}: {THINGS[k]}", THINGS[k]) for k in range(parts)))],
        "judge": [p.Judgment(0.9, 0.9, (("coverage", 0.9, "so it is"),))],
        "reflect": [p.Lesson("Wait less.")],
    }

"""What a superstep costs, on disk and in time, when the DAG has grown large."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import tempfile
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks import plots
from benchmarks.core import ROOT, Figure, Options, Result, Target

NAME = "growth"
DESCRIPTION = (
    "bytes and milliseconds of a superstep with 10 to 5,000 ideas; resume with 10,000; the 100th follow-up"
)
IDEAS = 1000
SIZES = (10, 100, 1000, 5000)
LOOP = ("select", "expand", "protect", "act", "merge", "evolve", "evaluate", "rigidity", "metacognition")
TASK = "In which city was the architect of the lookout tower of Belmark born, and when was its harbour built?"


class Sizes(NamedTuple):
    """Bytes of each superstep without snapshots, and those of the snapshots spread over all supersteps."""

    steps: list[int]
    snapshots: float
    snapshot_frequency: int


def run(options: Options) -> Result:
    """Measure with the state, the reducers and the saver of the product."""
    supersteps = 100 if options.quick else 1200
    with tempfile.TemporaryDirectory() as folder:
        sizes = asyncio.run(measure(Path(folder) / "checkpoints.sqlite", IDEAS, supersteps))
        times = _times(Path(folder), options.quick)
        least = times.pop(0).milliseconds
        figures_more = [*_more(Path(folder), times, least), *_turns(Path(folder))]
    figures = (
        Figure(
            "checkpoint bytes of a superstep, median",
            median(sizes.steps),
            "B",
            Target("<", 4096),
            n=len(sizes.steps),
        ),
        Figure("checkpoint bytes of a superstep, largest", max(sizes.steps), "B", n=len(sizes.steps)),
        Figure("snapshot bytes, spread over the supersteps", sizes.snapshots, "B"),
        *figures_more,
    )
    notes = (
        f"a snapshot every {sizes.snapshot_frequency} updates",
        "times are medians of supersteps, least of several rounds; framework time is CPU of all threads",
        "a change copies the dict of ideas; where an edge that asks follows, LangGraph applies it once more",
        plots.write(NAME, _pictures(times)),
    )
    return Result(NAME, figures, (options.seed,), 1, notes)


def _pictures(costs: dict[int, Cost]) -> list[plots.Picture]:
    """Show bytes and milliseconds of a superstep over the number of ideas."""
    return [
        plots.Picture(
            f"A superstep that changes one idea: {unit}", "ideas", unit,
            [plots.Series(name, list(costs), [getattr(cost, name) for cost in costs.values()])],
        )
        for name, unit in (("bytes", "B"), ("milliseconds", "ms"))
    ]  # fmt: skip


def _turns(folder: Path) -> list[Figure]:
    """Return what the 100th follow-up of a thread costs against the 5th."""
    from benchmarks.growth_turns import EARLY, LATE, around, turns

    found = asyncio.run(turns(folder / "turns"))
    cpu, size = [turn.cpu for turn in found], [float(turn.bytes) for turn in found]
    early, late = around(cpu, EARLY), around(cpu, LATE)
    least, most = around(size, EARLY), around(size, LATE)
    return [
        Figure(f"CPU of follow-up no. {EARLY}", round(1000 * early, 1), "ms"),
        Figure(f"CPU of follow-up no. {LATE}", round(1000 * late, 1), "ms"),
        Figure("the later against the earlier", round(late / early, 3), "×", Target("<=", 1.2)),
        Figure(f"bytes of follow-up no. {EARLY}", least, "B"),
        Figure(f"bytes of follow-up no. {LATE}", most, "B"),
        Figure("bytes, the later against the earlier", round(most / least, 3), "×", Target("<=", 1.1)),
        Figure("bytes of a follow-up, mean of all", round(sum(size[1:]) / len(size[1:])), "B",
               low=min(size[1:]), high=max(size[1:]), n=len(size) - 1),
    ]  # fmt: skip


class Cost(NamedTuple):
    """Median bytes and milliseconds of a superstep that changes one idea."""

    bytes: float
    milliseconds: float


def _times(folder: Path, quick: bool) -> dict[int, Cost]:
    """Return the cost of a superstep by number of ideas; 0 stands for the loop of bare LangGraph.

    The sizes take turns, and of each the quickest round counts: what else the machine does only adds.
    """
    from benchmarks.growth_loop import bare, loop

    rounds, count = (2, 60) if quick else (15, 300)
    taken: dict[int, list[float]] = {n: [] for n in (0, *SIZES)}
    for k in range(rounds):
        for n, times in taken.items():
            path = folder / f"time-{n}-{k}.sqlite"
            times.append(asyncio.run(loop(path, n, count))[0] if n else asyncio.run(bare(path, count)))
    sizes = {n: asyncio.run(measure(folder / f"bytes-{n}.sqlite", n, 40)).steps if n else [0] for n in taken}
    return {n: Cost(median(sizes[n]), min(times)) for n, times in taken.items()}


def _more(folder: Path, costs: dict[int, Cost], least: float) -> list[Figure]:
    """Return the figures over sizes, of the file, of a resume, and against bare LangGraph."""
    from benchmarks.core import run_child
    from benchmarks.growth_loop import build, loop, per_idea

    spread = {kind: [getattr(cost, kind) for cost in costs.values()] for kind in Cost._fields}
    _, size = asyncio.run(loop(folder / "kb.sqlite", 3, 200, grow=True))
    _, alone = asyncio.run(loop(folder / "alone.sqlite", 3, 200, grow=True, alone=True))
    asyncio.run(build(folder / "large.sqlite", 10_000))
    child = run_child(["-m", "benchmarks.growth_loop", str(folder / "large.sqlite")], cwd=ROOT)
    resumed = json.loads(child.stdout)
    each = [asyncio.run(per_idea(40)) for _ in range(5)]
    copies: list[float] = []
    asyncio.run(loop(folder / "copies.sqlite", SIZES[-1], 60, copies=copies))
    rows = [
        Figure(f"{name} of a superstep at {n:,} ideas", value, unit)
        for n, cost in costs.items() for name, value, unit in (
            ("bytes", cost.bytes, "B"), ("time", round(cost.milliseconds, 3), "ms"),
        )
    ]  # fmt: skip
    return [
        *rows,
        Figure("bytes, most against least over these", max(spread["bytes"]) / min(spread["bytes"]), "×",
               Target("<=", 1.2)),
        Figure("time, most against least over these",
               max(spread["milliseconds"]) / min(spread["milliseconds"]), "×", Target("<=", 1.2)),
        Figure(f"one copy of the dict of {SIZES[-1]:,} ideas, of two in such a superstep",
               round(median(copies), 3), "ms", low=min(copies), high=max(copies), n=len(copies)),
        Figure("a superstep of bare LangGraph", round(least, 3), "ms"),
        Figure("a superstep of ours against it", costs[10].milliseconds / least, "×", Target("<=", 2)),
        Figure("file after 200 supersteps of 1 KB, ideas alone", round(alone, 3), "MB", Target("<", 1)),
        Figure("file after 200 supersteps of 1 KB, whole state", round(size, 3), "MB"),
        Figure("resume with 10,000 ideas", round(resumed["seconds"], 3), "s", Target("<=", 2)),
        Figure("memory of that resume", round(child.peak_mb, 1), "MB", Target("<=", 500)),
        Figure("framework time for each idea", round(median(each), 2), "ms", Target("<=", 5),
               min(each), max(each), len(each)),
    ]  # fmt: skip


async def measure(path: Path, ideas: int, supersteps: int) -> Sizes:
    """Grow a thread of the real graph to `ideas`, then change one idea a superstep, and weigh every row."""
    from ddax.graph.builder import build_graph
    from ddax.graph.savers import open_store
    from ddax.graph.state import SNAPSHOT_FREQUENCY

    async with open_store(path, {}) as saver:
        graph = build_graph().compile(checkpointer=saver)
        config: Any = {"configurable": {"thread_id": "t"}}
        await graph.aupdate_state(config, state_of(ideas), as_node="open_task")
        for node in LOOP:  # every channel between the nodes has been used once
            await graph.aupdate_state(config, {"step": 1}, as_node=node)
        first = len(LOOP) + 1
        for step in range(supersteps):
            change = {"ideas": {f"0.{1 + step % (ideas - 2)}": {"Q": 0.512345, "N": step, "V": 0.251234}}}
            await graph.aupdate_state(config, change, as_node="evaluate")
    return _weigh(path, first, SNAPSHOT_FREQUENCY)


def state_of(ideas: int) -> Any:
    """Return a state as a long run has it: a mind, a mood, a decision with its best eight, and the DAG."""
    from ddax.configs.identities import load_identity
    from ddax.dynamics.state import open_mind, projection
    from ddax.ideas import grow
    from ddax.ideas.idea import apply_patches, root
    from ddax.metacognition.controller import Controller
    from ddax.types import ActionCall, Proposal

    call = ActionCall(name="visit", args={"source": "pages/Ilse Maran.md"}, intent="where she was born")
    children = [
        Proposal(f"read about number {k}", "a page that names the city", action=call)
        for k in range(ideas - 2)
    ]
    start = {"0": root(0, TASK)}
    grown = apply_patches(start, [grow.expansion(start, start["0"], children, step=1)])
    x = projection(384, 64)[:, 0]
    mind = open_mind(load_identity("task_focused"), x_star=x, x=x)
    terms = {"total": 0.51234, "alignment": 0.31234, "value": 0.41234, "exploration": 0.21234, "tabu": 0.0}
    top = [{"id": "0.1", **terms}, *({"id": f"0.{k}", "total": 0.51234} for k in range(2, 9))]
    return {
        "task": TASK,
        "work": {"id": "0" * 12, "root": "0", "thread": "t", "text": TASK, "opened": 1.7e9, "lessons": []},
        "ideas": grown,
        "step": 0,
        "mind": {**mind, "i": mind["x"], "i_prev": mind["x"]},
        "mood": dict(Controller(engine="numpy").open_mood()),
        "decision": {
            "step": 1, "next": "act", "rule": "runnable leaves", "focus": ["0.1"], "top": top,
            "hash": "0" * 16,
        },
        "usage": {"model_calls": 0, "tokens": 0, "usd": 0.0, "seconds": 12.5},
        "status": "running",
    }  # fmt: skip


def _weigh(path: Path, first: int, frequency: int) -> Sizes:
    """Sum up the rows of each checkpoint: the checkpoint itself, its metadata and the writes that follow."""
    with sqlite3.connect(path) as db:
        rows = db.execute(
            "SELECT c.checkpoint_id, length(c.checkpoint) + length(c.metadata),"
            " (SELECT coalesce(sum(length(w.value)), 0) FROM writes w"
            " WHERE w.checkpoint_id = c.checkpoint_id)"
            " FROM checkpoints c ORDER BY c.checkpoint_id"
        ).fetchall()
    db.close()
    changes = [checkpoint + writes for _, checkpoint, writes in rows[first:]]
    usual = median(changes)
    snapshots = [size for size in changes if size > 10 * usual]
    return Sizes([size for size in changes if size <= 10 * usual], sum(snapshots) / len(changes), frequency)

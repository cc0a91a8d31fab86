"""Many generations in one process: memory, tasks, threads, files and locks must stay as they were."""

from __future__ import annotations

import asyncio
import gc
import os
import tempfile
import threading
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from benchmarks import plots
from benchmarks.core import Figure, Options, Result, Target

if TYPE_CHECKING:
    from ddax.reasoning.scripted import ScriptedReasoner

NAME = "soak"
DESCRIPTION = "500 generations of 16 leaves in one process: memory, tasks, threads, files and locks"
GENERATIONS, QUICK = 500, 40
LEAVES = 16
FOLLOW_UPS = 10
"""Generations of one thread, each a follow-up of the one before; then a new thread begins."""


class Sample(NamedTuple):
    """What a process holds after a thread: MB resident, tasks, threads, open files, and locks held."""

    memory: float
    tasks: int
    threads: int
    files: int
    locks: int


def run(options: Options) -> Result:
    """Run the generations, and compare the last quarter with the second."""
    count = QUICK if options.quick else GENERATIONS
    with tempfile.TemporaryDirectory() as home:
        samples, closed = asyncio.run(soak(Path(home), count, LEAVES))
    quarter = len(samples) // 4
    early, late = samples[quarter : 2 * quarter], samples[-quarter:]
    memory = [median(sample.memory for sample in part) for part in (early, late)]
    more = {
        name: max(getattr(s, name) for s in late) - max(getattr(s, name) for s in early)
        for name in ("tasks", "threads", "files", "locks")
    }
    after = list(range(FOLLOW_UPS, count + 1, FOLLOW_UPS))
    line = plots.Series("resident", after, [s.memory for s in samples])
    picture = plots.Picture("Memory of a long run", "generations", "MB", [line])
    return Result(
        NAME,
        (
            Figure("memory, last quarter over second quarter", memory[1] / memory[0], "×", Target("<=", 1.1)),
            Figure("memory of the last quarter, median", round(memory[1], 1), "MB"),
            *(Figure(f"more {name}", n, "", Target("<=", 0)) for name, n in more.items()),
            Figure("locks held after closing", closed.locks, "", Target("<=", 0)),
            Figure("leaves that acted", count * LEAVES, "", n=count),
        ),
        (options.seed,), 1,
        (
            f"one agent; a thread has {FOLLOW_UPS} generations, each a follow-up",
            "checkpoints and memory are the real ones, the replies are scripted",
            plots.write(NAME, [picture]),
        ),
    )  # fmt: skip


async def soak(home: Path, generations: int, leaves: int) -> tuple[list[Sample], Sample]:
    """Run generations in one agent; return what is held after each thread, and after the agent has closed.

    Raises RuntimeError where a leaf did not act.
    """
    from benchmarks.fanout import Nothing
    from ddax import Context, open_agent
    from ddax.graph.services import Parts
    from ddax.memory.embeddings import HashEmbedder

    context = Context.model_validate(
        {"mood": {"engine": "numpy"}, "budget": {"max_parallel": leaves},
         "selection": {"branching": leaves, "beam": 256, "join": 1.0}}
    )  # fmt: skip
    samples, reasoner = [], _reasoner(leaves)
    parts = Parts(reasoner=reasoner, embedder=HashEmbedder(), library=Nothing())
    async with open_agent(context, home=home, parts=parts) as agent:
        for generation in range(generations):
            thread, root = f"t{generation // FOLLOW_UPS}", str(generation % FOLLOW_UPS)
            result = await agent.run(f"generation {generation}", thread=thread)
            ideas = (await agent.state(thread))["ideas"]
            mine = [i for name, i in ideas.items() if name.startswith(root + ".") and i["kind"] == "leaf"]
            if result["status"] != "done" or [i["status"] for i in mine] != ["done"] * leaves:
                raise RuntimeError(f"generation {generation} ended {result['status']!r}: {mine}")
            if (generation + 1) % FOLLOW_UPS == 0:
                reasoner.requests.clear()  # the script keeps every request it was sent
                samples.append(sample(home))
    return samples, sample(home)


def sample(home: Path) -> Sample:
    """Return what this process holds now, unused things collected."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Sample(
        pages * os.sysconf("SC_PAGE_SIZE") / 2**20,
        len(asyncio.all_tasks()),
        threading.active_count(),
        len(os.listdir("/proc/self/fd")),
        sum(_held(path) for path in home.rglob("*.lock")),
    )


def _held(lock: Path) -> bool:
    """Tell whether a lock file still names an owner or is locked."""
    import filelock

    with_it = filelock.FileLock(lock)
    try:
        with_it.acquire(timeout=0)
    except filelock.Timeout:
        return True
    with_it.release()
    return False


def _reasoner(leaves: int) -> ScriptedReasoner:
    from benchmarks.durable.scripted_worker import script
    from ddax.reasoning import protocol as p
    from ddax.reasoning.scripted import ScriptedReasoner
    from ddax.types import ActionCall, Proposal

    def plan(request: p.ExpandRequest) -> p.Expansion:
        texts = [f"{request.task} keeps {k} {k * k}" for k in range(leaves)]
        calls = [ActionCall(name="save", args={"text": text}, intent="") for text in texts]
        return p.Expansion(tuple(Proposal(c["args"]["text"], "kept", action=c) for c in calls))

    return ScriptedReasoner({**script(), "expand": [plan]}, repeat=True)

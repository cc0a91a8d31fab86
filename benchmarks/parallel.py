"""What we add to the time of a model: leaves that wait for it at once, and our own CPU for each call."""

from __future__ import annotations

import asyncio
import os
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import mock

import numpy as np

from benchmarks.core import Figure, Options, Result, Target, bootstrap
from benchmarks.rote_server import rote_server

if TYPE_CHECKING:
    from ddax.reasoning.protocol import Reasoner

NAME = "parallel"
DESCRIPTION = "16 leaves over a model of 1 s latency, and our own CPU for each model call"
LEAVES = 16
LATENCY = 1.0
MODEL = "openai:rote"
TASK = "When was the harbour of Belmark built?"
BATCH = 20


class Run(NamedTuple):
    """One run: wall seconds of the leaves and of their judging, and CPU seconds by whose they are."""

    leaves: float
    judging: float
    cpu: float
    embedding: float
    support: float
    calls: int


class Stopwatch:
    """CPU seconds that calls took on the threads they ran on; a call within a call counts once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._within = threading.local()

    def around(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """Return the same work, timed."""

        def timed(*arguments: Any, **named: Any) -> Any:
            if getattr(self._within, "call", False):
                return work(*arguments, **named)
            self._within.call, began = True, time.thread_time()
            try:
                return work(*arguments, **named)
            finally:
                self.seconds += time.thread_time() - began
                self._within.call = False

        return timed


def run(options: Options) -> Result:
    """Time the leaves of whole runs, then the requests of a reasoner alone."""
    runs = 2 if options.quick else 10
    with rote_server(LATENCY) as slow, model_at(slow):
        timed = [asyncio.run(one_run()) for _ in range(runs)]
    with rote_server(0.0) as quick, model_at(quick):
        busy = [asyncio.run(one_run()) for _ in range(runs)]
        alone = asyncio.run(cpu_of_requests(10 if options.quick else 100))
    leaves = bootstrap([one.leaves for one in timed], of="median")
    judging = bootstrap([one.judging for one in timed], of="median")
    figures = [
        Figure(
            f"{LEAVES} leaves beyond the plan, model of {LATENCY:g} s: median wall time", leaves.value, "s",
            Target("<=", 1.15), leaves.low, leaves.high, runs,
        ),
        Figure("judging their outcomes: median wall time", judging.value, "s", None, *judging[1:], runs),
    ]  # fmt: skip
    for name, batches in alone.items():
        found = bootstrap(batches, of="median")
        target = Target("<=", 3.0) if name == "all requests" else None
        figures.append(
            Figure(
                f"our CPU for a call, {name}: median of batches", found.value, "ms",
                target, found.low, found.high, len(batches),
            )
        )  # fmt: skip
    figures += _whole_runs(busy)
    return Result(NAME, tuple(figures), (options.seed,), runs, (
        "the model runs in a process of its own; its CPU is not counted",
        "a call is prompt, HTTP, JSON, checks and quotes of one request; the whole run has the rest beside it"
        " (checkpoints, memory, DAG, scores), divided by its calls",
        "embedding and support check are measured on the threads that call them, and are in no other column",
    ))  # fmt: skip


def _whole_runs(runs: Sequence[Run]) -> Iterator[Figure]:
    calls = sum(one.calls for one in runs)
    rest = sum(one.cpu - one.embedding - one.support for one in runs)
    for name, seconds in (
        ("the whole run: CPU a model call without embedding and support check", rest),
        ("the whole run: CPU of embedding a model call", sum(one.embedding for one in runs)),
        ("the whole run: CPU of the support check a model call", sum(one.support for one in runs)),
    ):
        yield Figure(name, 1000 * seconds / calls, "ms", n=calls)


@contextmanager
def model_at(address: str) -> Iterator[None]:
    """Set the address of the model for a while."""
    set_ = {"OPENAI_BASE_URL": address, "OPENAI_API_BASE": address, "OPENAI_API_KEY": "none-needed"}
    before = {name: os.environ.get(name) for name in set_}
    os.environ.update(set_)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name)
            else:
                os.environ[name] = value


async def one_run() -> Run:
    """Run a task that plans 16 leaves, in a new home."""
    from ddax import open_agent
    from ddax.configs.settings import Context
    from ddax.graph.services import Parts
    from ddax.memory import embeddings
    from ddax.memory.embed.cache import CachedEmbedder
    from ddax.memory.embeddings import open_embedder

    embedder, embedding, support = open_embedder(), Stopwatch(), Stopwatch()
    embedder.embed = embedding.around(embedder.embed)  # type: ignore[method-assign]
    ends: list[tuple[str, float]] = []
    shared_out = embedding.around(embeddings.pooled)  # many texts at once have threads of their own
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(embeddings, "pooled", shared_out):
        sources = _documents(Path(folder) / "docs")
        context = Context.model_validate({
            "model": MODEL, "sources": [sources],
            "models": {"cache": False, "concurrency": 2 * LEAVES, "quote_below": 0,
                       "first_search": False},
            "selection": {"branching": LEAVES, "beam": LEAVES}, "debate": {"enabled": False, "ask": "always"},
            "budget": {"max_parallel": LEAVES, "max_reads": LEAVES},
        })  # fmt: skip
        kept = CachedEmbedder(embedder, Path(folder) / "vectors.sqlite")  # as a session opens it
        async with open_agent(context, home=Path(folder) / "home", parts=Parts(embedder=kept)) as agent:
            session = await agent.services.session(context)
            object.__setattr__(session, "check", support.around(session.check))
            cpu = time.process_time()
            result = await agent.run(
                TASK, thread="t", on_event=lambda event: ends.append((event["node"], time.perf_counter()))
            )
            cpu = time.process_time() - cpu
    leaves, judging = _spans(ends)
    calls = int(result["usage"]["model_calls"])
    return Run(leaves, judging, cpu, embedding.seconds, support.seconds, calls)


def _documents(folder: Path) -> str:
    folder.mkdir()
    for n in range(LEAVES + 4):
        text = f"# Harbour {n}\n\nThe harbour number {n} of Belmark was built in {1800 + n}.\n"
        (folder / f"harbour{n}.md").write_text(text)
    return str(folder)


def _spans(ends: Sequence[tuple[str, float]]) -> tuple[float, float]:
    """Return the seconds from the end of the plan of 16 to its last leaf, and on to the end of judging."""
    leaves: list[float] = []
    plan = 0.0
    for node, when in ends:
        if node == "act":
            leaves.append(when)
        elif node == "evaluate" and len(leaves) == LEAVES:
            return leaves[-1] - plan, when - leaves[-1]
        elif node in ("expand", "evaluate"):
            leaves, plan = [], when
    raise RuntimeError(f"no step of this run had {LEAVES} leaves at once")


async def cpu_of_requests(batches: int) -> dict[str, list[float]]:
    """Return CPU milliseconds a call, by request, in batches; the first batch is not counted."""
    from ddax.configs.prices import Price
    from ddax.configs.settings import Models
    from ddax.reasoning.factory import open_reasoner

    reasoner = open_reasoner(
        MODEL, embedder=None, prices={MODEL: Price(1, 1)}, clock=time.monotonic,  # type: ignore[arg-type]
        models=Models(cache=False),
    )  # fmt: skip
    asked = _requests(reasoner)
    found: dict[str, list[float]] = {}
    for name, ask in asked.items():
        await _batch(ask)
        found[name] = [await _batch(ask) for _ in range(batches)]
    whole = [float(np.mean(row)) for row in zip(*found.values(), strict=True)]
    return {"all requests": whole, **found}


async def _batch(ask: Callable[[], Awaitable[Any]]) -> float:
    began = time.process_time()
    for _ in range(BATCH):
        await ask()
    return 1000 * (time.process_time() - began) / BATCH


def _requests(reasoner: Reasoner) -> Mapping[str, Callable[[], Awaitable[Any]]]:
    """Return the requests a run makes most, with four passages of 2,500 characters each."""
    from ddax.reasoning import protocol as p
    from ddax.types import Passage

    text = "The harbour of Belmark was built in 1801 by the guild of the masons, and it has two piers. " * 27
    read = tuple(Passage(f"m{n}", f"{n}.md", f"Harbour {n}", f"{n}. {text}") for n in range(4))
    finding = p.Finding("0.1", "a page", "done", "built in 1801")
    return {
        "expand": lambda: reasoner.expand(
            p.ExpandRequest(TASK, TASK, 1, read, read, (), ("search", "visit"), findings=(finding,))
        ),
        "extract": lambda: reasoner.extract(p.ExtractRequest(TASK, "the year", read)),
        "judge": lambda: reasoner.judge(p.JudgeRequest(TASK, TASK, "1801", "a year", read)),
        "merge": lambda: reasoner.merge(p.MergeRequest(TASK, TASK, (finding,), read, final=True)),
    }

"""A large memory: how fast it is asked, opened and added to, and what kills and rivals cost it.

Vectors come from a generator, so that the embedder is excluded; everything else is the real memory.
"""

from __future__ import annotations

import asyncio
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchmarks.core import ROOT, Figure, Options, Result, Target

if TYPE_CHECKING:
    from ddax.memory.store.namespace import ChromaMemory

NAME = "memory-scale"
DESCRIPTION = "100,000 memories: query, start and add times; kill -9 during writes; four processes at once"
ROWS, QUICK_ROWS = 100_000, 5_000
KILLS, QUICK_KILLS = 200, 6
BATCH, QUERIES, RIVALS, RIVAL_ROWS = 500, 200, 4, 500
DIM = 384


class DrawnEmbedder:
    """Give each text a unit vector drawn from its own hash: no model, 384 dimensions."""

    name, fingerprint, dim = "drawn", "drawn-384", DIM

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector a text."""
        import hashlib

        seeds = [int.from_bytes(hashlib.blake2b(t.encode(), digest_size=8).digest()) for t in texts]
        rows = [np.random.default_rng(seed).standard_normal(DIM, dtype=np.float32) for seed in seeds]
        found = np.stack(rows) if rows else np.zeros((0, DIM), np.float32)
        unit: NDArray[np.float32] = found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
        return unit


def run(options: Options) -> Result:
    """Fill, ask, reopen, kill and compete."""
    rows, kills = (QUICK_ROWS, QUICK_KILLS) if options.quick else (ROWS, KILLS)
    with tempfile.TemporaryDirectory(prefix="ddax-scale-") as place:
        figures = asyncio.run(_large(Path(place) / "large", rows, options.seed))
        figures += _killed(Path(place) / "killed", kills, options.seed)
        figures += _rivals(Path(place) / "rivals")
    notes = (
        "adds are acknowledged: on disk, in transactions of 500; the index follows behind and is timed apart",
        "memory is the peak of the whole process, with both threads and the index",
    )
    return Result(NAME, tuple(figures), (options.seed,), 1, notes)


async def _opened(path: Path, *, wait_seconds: float = 0.0) -> ChromaMemory:
    from ddax.configs.settings import Recall
    from ddax.memory.store.namespace import open_memory

    return await open_memory(
        path, namespace="n", embedder=DrawnEmbedder(), clock=time.time, recall=Recall(),
        wait_seconds=wait_seconds,
    )  # fmt: skip


async def _large(path: Path, rows: int, seed: int) -> list[Figure]:
    from ddax.memory.protocol import RecallQuery
    from ddax.types import Record

    memory = await _opened(path)
    texts = [f"memory {seed} of the river {i}" for i in range(rows)]
    spent = 0.0
    began = time.perf_counter()
    for first in range(0, rows, BATCH):
        part = [Record("observation", text, source="map.md") for text in texts[first : first + BATCH]]
        drawn = time.perf_counter()
        DrawnEmbedder().embed([record.text for record in part])
        drawn = time.perf_counter() - drawn
        start = time.perf_counter()
        await memory.put(part)
        spent += time.perf_counter() - start - drawn
    await memory.recall(RecallQuery(texts[0], "q", 1, time.time() + 1))
    indexed = time.perf_counter() - began
    await memory.close()
    start = time.perf_counter()
    memory = await _opened(path)
    await memory.recall(RecallQuery(texts[1], "q", 1, time.time() + 1))
    opened = time.perf_counter() - start
    while not memory.indexed:
        await asyncio.sleep(0.05)
    ready = time.perf_counter() - start
    took, right = [], 0
    for number in np.random.default_rng(seed).integers(0, rows, QUERIES).tolist():
        start = time.perf_counter()
        hits = await memory.recall(RecallQuery(texts[number], "q", 1, time.time() + 1))
        took.append((time.perf_counter() - start) * 1000)
        right += bool(hits) and hits[0].record.text == texts[number]
    await memory.close()
    unit = 2**20 if sys.platform == "darwin" else 2**10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    disk = sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) / 2**20
    return [
        Figure("query, 95th percentile", float(np.quantile(took, 0.95)), "ms", Target("<=", 50), n=QUERIES),
        Figure("query, median", float(np.median(took)), "ms", n=QUERIES),
        Figure("queries that find their memory first", right / QUERIES, "", Target(">=", 0.99), n=QUERIES),
        Figure("start to the first answer", opened, "s", Target("<=", 2)),
        Figure("start to the index in step", ready, "s"),
        Figure("adds a second, embedder excluded", rows / spent, "1/s", Target(">=", 500), n=rows),
        Figure("adds a second, indexed as well", rows / indexed, "1/s", n=rows),
        Figure("peak memory", peak, "MB"),
        Figure("on disk", disk, "MB"),
    ]


_WRITE = """
import asyncio, sys
from pathlib import Path
from benchmarks.memory_scale import _opened
from ddax.types import Record

async def main(path, first, count, wait):
    memory = await _opened(path, wait_seconds=wait)
    for number in range(first, first + count, 5):
        rows = [Record("observation", f"river {i} of the map", start=i) for i in range(number, number + 5)]
        print(*await memory.put(rows), flush=True)
    await memory.close()

asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])))
"""


def _writer(path: Path, first: int, count: int, wait: float) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _WRITE, str(path), str(first), str(count), str(wait)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip


def _killed(path: Path, kills: int, seed: int) -> list[Figure]:
    """Kill the writer at random moments; then every acknowledged row must be there and be found."""
    moments, acknowledged = random.Random(seed), []
    for kill in range(kills):
        process = _writer(path, kill * 100_000, 100_000, 0.0)
        if process.stdout is None:
            raise RuntimeError("the writer has no output")
        lines = [process.stdout.readline()]
        time.sleep(moments.uniform(0, 1.5))
        process.kill()
        rest, said = process.communicate(timeout=60)
        if not lines[0]:
            raise RuntimeError(f"the writer did not start: {said[-500:]}")
        whole = [line for line in (lines[0] + rest).splitlines(keepends=True) if line.endswith("\n")]
        acknowledged += [row_id for line in whole for row_id in line.split()]
    lost, errors = asyncio.run(_checked(path, acknowledged, seed))
    return [
        Figure("acknowledged rows lost by kill -9", lost, "", Target("<=", 0), n=len(acknowledged)),
        Figure("index errors after the kills", errors, "", Target("<=", 0), n=kills),
    ]


async def _checked(path: Path, acknowledged: list[str], seed: int) -> tuple[int, int]:
    from ddax.memory.protocol import RecallQuery

    memory = await _opened(path)
    there = {row.id for row in await memory.get(acknowledged)}
    while not memory.indexed:
        await asyncio.sleep(0.05)
    wrong = 0
    for row_id in random.Random(seed).sample(acknowledged, min(200, len(acknowledged))):
        for row in await memory.get([row_id]):
            hits = await memory.recall(RecallQuery(row.text, "q", 1, time.time() + 1, m_observations=1))
            wrong += [hit.record.id for hit in hits] != [row_id] or not memory.indexed
    await memory.close()
    return len(set(acknowledged) - there), wrong


def _rivals(path: Path) -> list[Figure]:
    """Let four processes write at once: each waits its turn or is told who has the memory."""
    writers = [_writer(path, k * RIVAL_ROWS, RIVAL_ROWS, 60.0) for k in range(RIVALS)]
    impatient = [_writer(path, (9 + k) * RIVAL_ROWS, RIVAL_ROWS, 0.0) for k in range(RIVALS)]
    acknowledged, told, served = [], 0, 0
    for process in [*writers, *impatient]:
        out, err = process.communicate(timeout=300)
        acknowledged += out.split()
        served += process.returncode == 0
        told += process.returncode != 0 and "the memory is in use" in err
    lost, errors = asyncio.run(_checked(path, acknowledged, 0))
    every = 2 * RIVALS
    return [
        Figure("processes served or told plainly", (served + told) / every, "", Target(">=", 1), n=every),
        Figure("processes served", served, "", n=every),
        Figure("rows of rivals lost", lost + errors, "", Target("<=", 0), n=len(acknowledged)),
    ]

"""How long the user waits: for help, for an import, and for the whole demo."""

from __future__ import annotations

import json
import os
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.core import ROOT, Figure, Options, Result, Target, bootstrap, run_child

NAME = "startup"
DESCRIPTION = "time and memory of `ddax --help`, `import ddax`, `ddax demo`, and of a folder opened again"
OPENING = """
import asyncio, json, sys, time
from pathlib import Path
from ddax.actions.sources import open_library
from ddax.memory.embeddings import HashEmbedder
wall, cpu = time.perf_counter(), time.process_time()
made = open_library([sys.argv[1]], embedder=HashEmbedder(), cache_dir=Path(sys.argv[2]), tell=False)
library = asyncio.run(made)
told = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
begun = time.process_time()
assert asyncio.run(library.search("talden moira", mode="lexical"))
print(json.dumps({**told, "search": time.process_time() - begun}))
"""


def run(options: Options) -> Result:
    """Time each command in fresh processes, the first (cold caches) left out."""
    repetitions = 5 if options.quick else 20
    figures = (
        *_figures("help", ["-m", "ddax", "--help"], repetitions, Target("<=", 0.5)),
        *_figures("import", ["-c", "import ddax"], repetitions, None),
        *_figures("bare python", ["-c", "pass"], repetitions, None),
    )
    sources = _sources(5_000 if options.quick else 20_000, 3, seed=options.seed)
    return Result(NAME, (*figures, *_demo(3), *sources), (options.seed,), repetitions)


def _sources(count: int, repetitions: int, *, seed: int) -> list[Figure]:
    """Time how long a folder of files takes to open: at first, and again in new processes, unchanged."""
    with tempfile.TemporaryDirectory() as place:
        folder, cache = Path(place, "files"), str(Path(place, "cache"))
        _write(folder, count, seed)
        first, *again = (
            json.loads(run_child(["-c", OPENING, str(folder), cache], cwd=ROOT).stdout)
            for _ in range(repetitions + 1)
        )
    label = f"{count:,} files"
    spent = statistics.median(one["cpu"] for one in again)
    return [
        Figure(f"{label}, first start: CPU time", first["cpu"], "s", n=1),
        Figure(f"{label}, unchanged: median wall time", statistics.median(r["wall"] for r in again), "s",
               n=repetitions),
        Figure(f"{label}, unchanged: median CPU time", spent, "s", Target("<=", 0.3), n=repetitions),
        Figure(f"{label}, unchanged: first search, CPU time", statistics.median(r["search"] for r in again),
               "s", n=repetitions),
    ]  # fmt: skip


def _write(folder: Path, count: int, seed: int) -> None:
    """Write short notes of made-up words, a hundred in a folder, beside a .gitignore."""
    random = np.random.default_rng(seed)
    words = np.array([f"{a}{b}" for a in ("tal", "mor", "ven", "sil", "kar") for b in ("den", "ira", "osk")])
    for number in range(count):
        inner = folder / f"part{number // 100}"
        inner.mkdir(parents=True, exist_ok=True)
        text = ". ".join(" ".join(random.choice(words, 12)).capitalize() for _ in range(10))
        (inner / f"note{number}.md").write_text(f"# Note {number}\n\n{text}.\n", encoding="utf-8")
    (folder / ".gitignore").write_text("*.log\nbuild/\n!keep.log\n/top.txt\n.env\n", encoding="utf-8")


def _demo(repetitions: int) -> list[Figure]:
    """Time the demo in a new home each time, so that nothing is kept from the run before."""
    runs = []
    for _ in range(repetitions):
        with tempfile.TemporaryDirectory() as home:
            runs.append(
                run_child(["-m", "ddax", "demo", "--json"], cwd=ROOT, env={**os.environ, "DDAX_HOME": home})
            )
    inside = [float(json.loads(one.stdout)["usage"]["seconds"]) for one in runs]
    return [
        Figure(
            "demo: median wall time", statistics.median(r.seconds for r in runs), "s", Target("<=", 10), n=3
        ),
        Figure("demo: median time inside the run", statistics.median(inside), "s", n=3),
        Figure("demo: peak memory", max(one.peak_mb for one in runs), "MB", n=3),
    ]


def _figures(label: str, arguments: Sequence[str], repetitions: int, target: Target | None) -> list[Figure]:
    runs = [run_child(arguments, cwd=ROOT) for _ in range(repetitions + 1)][1:]
    median = bootstrap([one.seconds for one in runs], of="median")
    return [
        Figure(f"{label}: median wall time", median.value, "s", target, median.low, median.high, len(runs)),
        Figure(f"{label}: peak memory", max(one.peak_mb for one in runs), "MB", n=len(runs)),
    ]

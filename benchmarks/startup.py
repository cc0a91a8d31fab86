"""How long the user waits: for help, for an import, and for the whole demo."""

from __future__ import annotations

import json
import os
import statistics
import tempfile
from collections.abc import Sequence

from benchmarks.core import ROOT, Figure, Options, Result, Target, bootstrap, run_child

NAME = "startup"
DESCRIPTION = "wall time and memory of `ddax --help`, `import ddax` and `ddax demo`"


def run(options: Options) -> Result:
    """Time each command in fresh processes, the first (cold caches) left out."""
    repetitions = 5 if options.quick else 20
    figures = (
        *_figures("help", ["-m", "ddax", "--help"], repetitions, Target("<=", 0.5)),
        *_figures("import", ["-c", "import ddax"], repetitions, None),
        *_figures("bare python", ["-c", "pass"], repetitions, None),
    )
    return Result(NAME, (*figures, *_demo(3)), (options.seed,), repetitions)


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

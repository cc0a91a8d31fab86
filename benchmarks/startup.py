"""How long the user waits before anything happens."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.core import ROOT, Figure, Options, Result, Target, bootstrap, run_child

NAME = "startup"
DESCRIPTION = "wall time and memory of `ddax --help` and `import ddax`"


def run(options: Options) -> Result:
    """Time each command in fresh processes, the first (cold caches) left out."""
    repetitions = 5 if options.quick else 20
    figures = (
        *_figures("help", ["-m", "ddax", "--help"], repetitions, Target("<=", 0.5)),
        *_figures("import", ["-c", "import ddax"], repetitions, None),
        *_figures("bare python", ["-c", "pass"], repetitions, None),
    )
    return Result(NAME, figures, (options.seed,), repetitions)


def _figures(label: str, arguments: Sequence[str], repetitions: int, target: Target | None) -> list[Figure]:
    runs = [run_child(arguments, cwd=ROOT) for _ in range(repetitions + 1)][1:]
    median = bootstrap([one.seconds for one in runs], of="median")
    return [
        Figure(f"{label}: median wall time", median.value, "s", target, median.low, median.high, len(runs)),
        Figure(f"{label}: peak memory", max(one.peak_mb for one in runs), "MB", n=len(runs)),
    ]

"""What a benchmark is made of: options, figures with targets, conditions, and helpers to measure.

A benchmark is a module of this folder with `NAME`, `DESCRIPTION` and `run(options) -> Result`.
"""

from __future__ import annotations

import importlib
import json
import operator
import os
import pkgutil
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, cast

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
FOLDERS = (ROOT / "benchmarks" / "data", ROOT.parent / "shared" / "data")
"""Where data files are looked for: in the checkout, then beside it, where several checkouts share them."""
SAMPLED = 1_000_000
"""Values that a bootstrap draws at once."""
PACKAGES = (
    "langgraph",
    "langgraph-checkpoint-sqlite",
    "chromadb",
    "onnxruntime",
    "numpy",
    "inferactively-pymdp",
)
Op = Literal["<=", "<", ">=", ">"]
OPS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt,
}  # fmt: skip


class MissingData(Exception):
    """Say that a data file is not there."""


class WrongOption(Exception):
    """Say that an option names nothing that the benchmark knows."""


@dataclass(frozen=True)
class Options:
    """How to run: `quick` ends within 10 minutes on 2 cores, `data` holds the files read, else `FOLDERS`.

    `model` is asked where a benchmark needs one; "" is the one of this machine.
    """

    quick: bool = False
    data: Path | None = None
    seed: int = 0
    model: str = ""

    def file(self, name: str) -> Path:
        """Return a data file; raises MissingData."""
        path = data_file(name, self.data)
        if path is None:
            raise MissingData(
                f"no data file {name} in {self.data or FOLDERS[0]}. What it holds and where it comes from "
                "says docs/benchmarks.md under Data; put it into benchmarks/data, or name its folder: "
                "--data DIR"
            )
        return path


def data_file(name: str, folder: Path | None = None) -> Path | None:
    """Return a data file of a folder, or of the first of `FOLDERS` that has it; None where there is none."""
    places = (folder,) if folder else FOLDERS
    return next((place / name for place in places if (place / name).is_file()), None)


@dataclass(frozen=True)
class Target:
    """A stated target: the value must stand in this relation to the threshold."""

    op: Op
    threshold: float


@dataclass(frozen=True)
class Figure:
    """One number with its unit, what it must reach, its 95 % interval and the sample size `n`."""

    name: str
    value: float
    unit: str = ""
    target: Target | None = None
    low: float | None = None
    high: float | None = None
    n: int = 1

    @property
    def misses(self) -> bool:
        """Whether the stated target is missed; a value that is not a number misses."""
        return self.target is not None and not OPS[self.target.op](self.value, self.target.threshold)


@dataclass(frozen=True)
class Result:
    """What a benchmark found; the runner adds to `conditions` what every number was measured under."""

    name: str
    figures: tuple[Figure, ...]
    seeds: tuple[int, ...] = (0,)
    repetitions: int = 1
    notes: tuple[str, ...] = ()
    conditions: dict[str, Any] = field(default_factory=dict)

    def first_miss(self) -> Figure | None:
        """Return the first figure that misses its target."""
        return next((figure for figure in self.figures if figure.misses), None)

    def to_json(self) -> str:
        """Return the result as one JSON object."""
        return json.dumps(asdict(self), ensure_ascii=False)


class Benchmark(Protocol):
    """A module of this folder."""

    NAME: str
    DESCRIPTION: str

    def run(self, options: Options) -> Result: ...


def discover() -> dict[str, Benchmark]:
    """Return the benchmarks of this folder by name; they keep heavy imports inside `run`."""
    found: dict[str, Benchmark] = {}
    for info in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if info.name == "__main__":
            continue
        module = importlib.import_module(f"benchmarks.{info.name}")
        if hasattr(module, "NAME") and hasattr(module, "run"):
            found[module.NAME] = cast(Benchmark, module)
    return dict(sorted(found.items()))


def last(name: str) -> dict[str, Any]:
    """Return the conditions under which the kept result of a benchmark was measured; empty for none."""
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))["conditions"] if path.is_file() else {}


def spoken(seconds: float) -> str:
    """Return a time in words: seconds below two minutes, else minutes."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def conditions(result: Result, options: Options, seconds: float) -> dict[str, Any]:
    """Return what a number was measured under."""
    return {
        "versions": {"python": platform.python_version(), **{name: _version(name) for name in PACKAGES}},
        "commit": _commit(),
        "machine": {
            "system": f"{platform.system()} {platform.machine()}",
            "cpu": _cpu(),
            "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
            "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        },
        "seed": options.seed,
        "seeds": list(result.seeds),
        "repetitions": result.repetitions,
        "quick": options.quick,
        "seconds": round(seconds, 1),
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _commit() -> str:
    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    commit = git("rev-parse", "--short=12", "HEAD")
    changed = git("status", "--porcelain", "--", ".", ":!benchmarks/results")  # what is measured is no change
    return "unknown" if not commit else commit + ("+changes" if changed else "")


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


class Interval(NamedTuple):
    """A statistic (mean or median) with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float


def bootstrap(
    values: Sequence[float], *, seed: int = 0, draws: int = 10_000, of: Literal["mean", "median"] = "mean"
) -> Interval:
    """Return a statistic of values with its 95 % percentile bootstrap interval; raises on no values."""
    if not values:
        raise ValueError("bootstrap needs at least one value")
    data, rng = np.asarray(values, dtype=np.float64), np.random.default_rng(seed)
    take = np.mean if of == "mean" else np.median
    found: list[float] = []
    while (
        len(found) < draws
    ):  # many samples at once, within a bounded memory: the same numbers in the same order
        at_once = min(draws - len(found), max(1, SAMPLED // data.size))
        found += take(data[rng.integers(0, data.size, (at_once, data.size))], axis=1).tolist()
    return Interval(float(take(data)), float(np.quantile(found, 0.025)), float(np.quantile(found, 0.975)))


def paired_bootstrap(ours: Sequence[float], theirs: Sequence[float], *, seed: int = 0) -> Interval:
    """Return the mean difference ours − theirs over the same cases, with its 95 % interval."""
    if len(ours) != len(theirs):
        raise ValueError(f"paired values differ in number: {len(ours)} and {len(theirs)}")
    return bootstrap([a - b for a, b in zip(ours, theirs, strict=True)], seed=seed)


class ChildRun(NamedTuple):
    """What a child process took: wall seconds, peak resident memory in MB, its output."""

    seconds: float
    peak_mb: float
    stdout: str


def run_child(
    arguments: Sequence[str], *, cwd: Path | None = None, env: dict[str, str] | None = None
) -> ChildRun:
    """Run a Python child and measure it alone; raises RuntimeError with its last words on failure."""
    with subprocess.Popen(
        [sys.executable, "-c", _MEASURED, *arguments], cwd=cwd, env=env, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as child:  # fmt: skip
        out, err = child.communicate()
    report = err.rsplit("@@measured ", 1)
    if len(report) != 2:
        raise RuntimeError(f"{' '.join(arguments)!r} was not measured: {err[-500:]}")
    seconds, peak, code = json.loads(report[1])
    if code != 0:
        raise RuntimeError(f"{' '.join(arguments)!r} ended with {code}: {report[0][-500:]}")
    return ChildRun(seconds, peak, out)


_MEASURED = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
code = subprocess.run([sys.executable, *sys.argv[1:]]).returncode
seconds = time.perf_counter() - start
unit = 2**20 if sys.platform == "darwin" else 2**10
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / unit
sys.stderr.write("@@measured " + json.dumps([seconds, peak, code]))
"""
"""A small parent whose only child is the one measured, so that the peak is that child's."""


def execute(benchmark: Benchmark, options: Options) -> Result:
    """Run a benchmark and state its conditions."""
    start = time.perf_counter()
    result = benchmark.run(options)
    seconds = time.perf_counter() - start
    return Result(
        result.name, result.figures, result.seeds, result.repetitions, result.notes,
        {**conditions(result, options, seconds), **result.conditions},
    )  # fmt: skip

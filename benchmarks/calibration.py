"""Whether a judge's values come true: expected calibration error before and after, on held-out runs.

Real runs of the embedded reasoner over two-hop questions, half of them with the telling paragraphs
hidden; a value came true where the task found its answer and the answer cites what was valued. The map
is fitted on one half of the runs and measured on the other. Then simulated judges of known distortion.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.core import Figure, Options, Result, Target
from benchmarks.hotpot import FILE, Bench, Case, View, bench_of, load

if TYPE_CHECKING:
    from ddax.types import JsonDict

NAME = "calibration"
DESCRIPTION = "values of finished branches against outcomes: ECE and Brier before and after, held-out runs"
QUICK = 24
"""Questions of the short form."""
DISTORTIONS = ((2.5, 0.8), (0.4, 0.0), (1.0, 1.5))
"""(slope, shift) by which simulated judges distort the logit of the true chance."""


def run(options: Options) -> Result:
    """Run the questions, fit on one half of the runs, measure on the other; then the simulated judges."""
    path = options.file(FILE)
    with tempfile.TemporaryDirectory(prefix="ddax-calibration-") as place:
        rows = asyncio.run(_rows(path, Path(place), options))
    figures = _real(rows, options.seed)
    for slope, shift in DISTORTIONS:
        figures += _simulated(slope, shift, options.seed)
    notes = (
        "a value came true: the task found its answer and cites what was valued; no value is corrected "
        "while the rows are gathered",
        "runs are split at random by question into halves, 20 times; the figures are means over the splits",
    )
    return Result(NAME, tuple(figures), (options.seed,), 20, notes)


async def _rows(path: Path, place: Path, options: Options) -> list[JsonDict]:
    """Run the graph on every question and return the judged values with their outcomes."""
    from ddax.debate.outcomes import JudgeStore

    cases, pool = load(path)
    bench = await bench_of(pool, place, options.seed)
    for number, case in enumerate(cases[:QUICK] if options.quick else cases):
        await _ask(bench, case, number, hide=number % 2 == 1)
    store = JudgeStore(place / "home" / "judges", clock=lambda: 0.0)
    return [row for judge in store.names() for row in store.rows(judge)]


async def _ask(bench: Bench, case: Case, number: int, *, hide: bool) -> None:
    from ddax import Context, open_agent
    from ddax.configs.settings import Debate, Mood
    from ddax.graph.services import Parts
    from ddax.reasoning.embedded import EmbeddedReasoner

    view = View(bench.library, hidden=case.titles if hide else frozenset())
    context = Context(
        sources=bench.library.specs, namespace=f"calibration-{number}", seed=bench.seed,
        mood=Mood(engine="numpy"), debate=Debate(calibrate=False),
    )  # fmt: skip
    parts = Parts(embedder=bench.embedder, library=view, reasoner=EmbeddedReasoner(bench.embedder))
    async with open_agent(context, home=bench.place / "home", parts=parts) as agent:
        await agent.run(case.question, thread=f"question-{number}")


def _real(rows: Sequence[JsonDict], seed: int) -> list[Figure]:
    from ddax.debate.calibration import brier, ece, fit_map

    rng = np.random.default_rng(seed)
    tasks = sorted({row["task"] for row in rows})
    found = []
    for _ in range(20):
        learning = set(rng.permutation(tasks)[: len(tasks) // 2])
        fit = [row for row in rows if row["task"] in learning]
        held = [row for row in rows if row["task"] not in learning]
        fitted = fit_map([r["value"] for r in fit], [r["outcome"] for r in fit])
        x, y = np.array([r["value"] for r in held]), np.array([r["outcome"] for r in held])
        after = fitted.many(x)
        found.append((ece(x, y), ece(after, y), brier(x, y), brier(after, y)))
    return _figures("runs", np.array(found).mean(axis=0), len(rows))


def _simulated(slope: float, shift: float, seed: int) -> list[Figure]:
    from ddax.debate.calibration import brier, ece, fit_map

    found = []
    for k in range(20):
        rng = np.random.default_rng((seed, k))
        logit = rng.normal(0.0, 1.3, 2200)
        truth = (rng.random(2200) < 1 / (1 + np.exp(-logit))).astype(float)
        said = 1 / (1 + np.exp(-(slope * logit + shift)))
        fitted = fit_map(list(said[:200]), list(truth[:200]))
        x, y = said[200:], truth[200:]
        found.append((ece(x, y), ece(fitted.many(x), y), brier(x, y), brier(fitted.many(x), y)))
    return _figures(f"judge distorted by {slope:g}·logit + {shift:g}", np.array(found).mean(axis=0), 200)


def _figures(name: str, means: np.ndarray, n: int) -> list[Figure]:
    before, after, brier_before, brier_after = (float(value) for value in means)
    return [
        Figure(f"{name}: ECE before", before, n=n),
        Figure(f"{name}: ECE after", after, n=n),
        Figure(f"{name}: ECE after ÷ before", after / before if before else 0.0, "", Target("<=", 0.5), n=n),
        Figure(f"{name}: Brier before", brier_before, n=n),
        Figure(f"{name}: Brier after", brier_after, n=n),
    ]

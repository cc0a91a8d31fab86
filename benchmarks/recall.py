"""Recall over runs: similarity · recency · surprise · trust against similarity alone, on two-hop questions.

An earlier run has read every paragraph of `hotpot_dev`, each question's on some day of a month, and met
each with the surprise that the forecast gives it (expected: what the question asks). The day after, the
questions are asked again, and the two paragraphs each needs should be among the first five. λ_r and λ_ε
are fitted on one half of the questions; the figures are of the other. One agent wrote everything, so
the factor of trust is 1.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.core import Figure, Options, Result, bootstrap, paired_bootstrap

NAME = "recall"
DESCRIPTION = "recall@5 of the four-factor score against similarity alone, weights fitted on one half"
FILE = "hotpot_dev.jsonl"
K = 5
HOURS = 30 * 24.0
LAMBDA_R = (0.0, 0.0001, 0.0003, 0.001, 0.003, 0.01)
LAMBDA_E = (0.0, 0.125, 0.25, 0.5, 1.0, 2.0)
SPLITS = 20
"""Halvings of the questions, each fitted and measured anew; days are drawn anew for each."""


@dataclass(frozen=True)
class World:
    """Cosines `[questions, memories]`, the memories each needs, whose they are, and their ε."""

    cosines: NDArray[np.float64]
    wanted: list[list[int]]
    owner: NDArray[np.int64]
    epsilon: NDArray[np.float64]


def load(path: Path) -> World:
    """Embed the questions and paragraphs."""
    from ddax.configs.calibration import load_calibration
    from ddax.dynamics.surprise import UNMEASURED, forecast_surprise
    from ddax.memory.embeddings import open_embedder

    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    place: dict[str, int] = {}
    texts: list[str] = []
    owner: list[int] = []
    for number, case in enumerate(cases):
        for paragraph in case["paragraphs"]:
            if paragraph["title"] not in place:
                place[paragraph["title"]] = len(texts)
                texts.append("".join(paragraph["sentences"]))
                owner.append(number)
    embedder = open_embedder()
    rows, asked = embedder.embed(texts), embedder.embed([case["question"] for case in cases])
    scale = load_calibration(embedder.name, embedder.fingerprint, fallback=UNMEASURED)
    epsilon = [forecast_surprise(asked[owner[i]], row, scale) for i, row in enumerate(rows)]
    wanted = [sorted({place[title] for title, _ in case["supporting"]}) for case in cases]
    cosines = asked.astype(np.float64) @ rows.astype(np.float64).T
    return World(cosines, wanted, np.array(owner), np.array(epsilon))


def recalled(
    world: World, age: NDArray[np.float64], *, lambda_r: float, lambda_e: float
) -> NDArray[np.float64]:
    """Return recall@5 of each question under weights; `age` is in hours, one a memory."""
    from ddax.memory.scoring import recency, salience

    factors = [
        recency(0.0, hours * 3600.0, lambda_r) * salience(float(e), lambda_e)
        for hours, e in zip(age.tolist(), world.epsilon.tolist(), strict=True)
    ]
    best = np.argsort(-(world.cosines * np.array(factors)), axis=1, kind="stable")[:, :K]
    return np.array(
        [len(set(row.tolist()) & set(need)) / len(need) for row, need in zip(best, world.wanted, strict=True)]
    )


def run(options: Options) -> Result:
    """Fit on one half, report the other, over several halvings."""
    from ddax.configs.settings import Recall

    world, rng = load(options.file(FILE)), np.random.default_rng(options.seed)
    ours: list[float] = []
    plain: list[float] = []
    shipped: list[float] = []
    sharp: list[float] = []
    defaults = Recall()
    ours_now = (defaults.lambda_r, defaults.lambda_epsilon)
    chosen: list[tuple[float, float]] = []
    for _ in range(SPLITS):
        days = rng.uniform(24.0, HOURS, len(world.wanted))[world.owner]
        half = rng.permutation(len(world.wanted))
        fit, rest = half[: len(half) // 2], half[len(half) // 2 :]
        grid = {
            pair: recalled(world, days, lambda_r=pair[0], lambda_e=pair[1])
            for pair in itertools.product(LAMBDA_R, LAMBDA_E)
        }
        # Of equals the smallest weights: nothing is claimed that the data does not ask for.
        best = min(grid, key=lambda pair: (-float(grid[pair][fit].mean()), pair))
        chosen.append(best)
        ours += grid[best][rest].tolist()
        plain += grid[0.0, 0.0][rest].tolist()
        shipped += recalled(world, days, lambda_r=ours_now[0], lambda_e=ours_now[1])[rest].tolist()
        sharp += recalled(world, days, lambda_r=0.01, lambda_e=ours_now[1])[rest].tolist()
    gain, shipped_gain = paired_bootstrap(ours, plain), paired_bootstrap(shipped, plain)
    n = len(world.wanted)
    return Result(NAME, (
        _mean("recall@5, four factors, fitted on the other half", ours),
        _mean("recall@5, similarity alone", plain),
        _mean(f"recall@5, four factors as shipped (λ_r {ours_now[0]:g}, λ_ε {ours_now[1]:g})", shipped),
        _mean("recall@5, the same with λ_r 0.01 an hour", sharp),
        Figure("fitted less similarity alone", gain.value, "", None, gain.low, gain.high, len(ours)),
        Figure("shipped less similarity alone", shipped_gain.value, "", None, shipped_gain.low,
               shipped_gain.high, len(shipped)),
        Figure("fitted λ_r, median", float(np.median([pair[0] for pair in chosen])), "1/h", n=SPLITS),
        Figure("fitted λ_ε, median", float(np.median([pair[1] for pair in chosen])), "", n=SPLITS),
    ), (options.seed,), SPLITS, (
        f"{n} questions, {len(world.owner)} memories, {SPLITS} halvings; the intervals treat these as "
        "independent, which they are not, and are narrower than they should be",
        "the day a paragraph was read is drawn at random: recency can only harm here",
    ))  # fmt: skip


def _mean(name: str, values: list[float]) -> Figure:
    found = bootstrap(values)
    return Figure(name, found.value, "", None, found.low, found.high, len(values))

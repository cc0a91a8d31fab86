"""Trains the scorer of the answers without a model (`ddax/reasoning/embedded/scorer.json`).

`python -m benchmarks.train_reader` asks the graph the questions over real collections that may be looked at
(`benchmarks/data/answers`), and reads questions over encyclopaedia paragraphs, two-hop questions with and
without the paragraphs that answer them, and small documents of our own. One regression ranks the candidates,
one more judges the best; what its log-odds are worth is measured on collections that it did not see. The same
material gives the same bytes. It takes some 35 minutes on two cores; `--rows FILE` keeps what was read.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.core import FOLDERS, MissingData, Options, WrongOption
from benchmarks.reader_chains import chains
from benchmarks.reader_material import Asked, cases, hotpot, squad, without_reason
from benchmarks.reader_real import FOLDER, PARTS, QUESTIONS, collections, real
from benchmarks.reader_rows import Rows, load_rows, rows_of, save_rows
from ddax.reasoning.embedded.features import NAMES, WAYS, ways
from ddax.reasoning.embedded.scorer import Head, Ranking, standing

if TYPE_CHECKING:
    from ddax.memory.protocol import Embedder

TARGET = Path(__file__).parent.parent / "ddax" / "reasoning" / "embedded" / "scorer.json"
SQUAD, HOTPOT, CASES = "squad2_train.jsonl", "hotpot_dev.jsonl", "reader_cases.jsonl"
USUAL = ("real",)
"""Sets on which it is measured what log-odds are worth; the others are made, or ask to mislead."""
KINDS = {SQUAD: "squad", HOTPOT: "hotpot", CASES: "cases", "trained": "real", "looked_at": "real"}
FOLDS, TRUST, STEPS, LEAST = 5, 5.0, 40, 15.0
"""Folds, how far the weights of the judgment are held back, its steps, questions of a point of the curve."""
RANK, RANK_STEPS, PACE = 80.0, 300, 0.05
"""How far the weights of the ranking are held back, its steps, and how long the first of them is."""
WEIGHTS = {"real": 2.0, "squad": 0.7, "hotpot": 1.0, "cases": 1.0, "chains": 1.0, "single": 1.0, "why": 1.0}
"""What a question counts when the scorer is fitted and measured."""
DOUBTED = {"real": 1.0, "squad": 0.2, "hotpot": 0.4, "cases": 0.4, "chains": 0.5, "single": 0.5, "why": 1.0}
"""What a question without an answer counts: these sets have more of them than users ask."""
REMOVED = 1.0
"""What a question counts of which everything was taken away that answers it."""
DIGITS, CLAIMED = 5, 0.9
"""Digits of a weight, and the share of claims that is to be right on folds that were not seen."""


def weight_of(rows: Rows) -> float:
    """Return what a question counts."""
    return WEIGHTS[rows.kind] * (1.0 if rows.answerable else DOUBTED[rows.kind])


def fit(found: Sequence[Rows]) -> Ranking:
    """Fit the ranking: of each question's candidates, the share that falls to the right ones is to be large.

    A softmax over the candidates; each way has weights of its own, held near those of all.
    """
    every = np.concatenate([rows.signs for rows in found])
    mean, scale = every.mean(axis=0), every.std(axis=0)
    scale[scale < 1e-6] = 1.0
    use = [rows for rows in found if (rows.labels == 1).any()]
    inputs = np.concatenate([_apart((rows.signs - mean) / scale, ways(rows.signs)) for rows in use])
    right = np.concatenate([rows.labels == 1 for rows in use])
    sizes = [len(rows.labels) for rows in use]
    weights = np.repeat([WEIGHTS[rows.kind] for rows in use], sizes)
    beta = _softmax_weights(inputs, right, np.r_[0, np.cumsum(sizes)[:-1]], weights).reshape(len(WAYS), -1)
    own = [beta[0] + beta[way] if way else beta[0] for way in range(len(WAYS))]
    return Ranking(tuple(Head(mean, scale, one[:-1], float(one[-1])) for one in own))


def _apart(inputs: NDArray[np.float64], way: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the inputs of all ways, and beside them once more those of each way but the first."""
    whole = np.c_[inputs, np.ones(len(inputs))]
    return np.hstack([whole, *(whole * (way == own)[:, None] for own in range(1, 3))])


def _softmax_weights(
    inputs: NDArray[np.float64],
    right: NDArray[np.bool_],
    starts: NDArray[np.int64],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Find by gradients (Adam) the weights that give the right candidates of each question the most."""
    group = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(inputs)]))
    beta = np.zeros(inputs.shape[1])
    first, second = np.zeros_like(beta), np.zeros_like(beta)
    for step in range(1, RANK_STEPS + 1):
        raw = inputs @ beta
        odds = np.exp(raw - np.maximum.reduceat(raw, starts)[group])
        share = odds / np.add.reduceat(odds, starts)[group]
        wanted = np.where(right, odds, 0.0)
        wanted /= np.add.reduceat(wanted, starts)[group]
        slope = inputs.T @ ((share - wanted) * weights) + RANK * beta
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        pace = PACE * (1 - step / RANK_STEPS) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
        beta -= pace * first / (1 - 0.9**step)
    return beta


def regression(
    signs: NDArray[np.float64],
    labels: NDArray[np.int64],
    weights: NDArray[np.float64],
    strength: float = TRUST,
) -> Head:
    """Fit a logistic regression by Newton's method."""
    mean = np.average(signs, axis=0, weights=weights)
    scale = np.sqrt(np.average((signs - mean) ** 2, axis=0, weights=weights))
    scale[scale < 1e-6] = 1.0
    inputs = np.c_[(signs - mean) / scale, np.ones(len(signs))]
    held = np.full(inputs.shape[1], strength)
    held[-1] = 1e-6
    beta = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        odds = 1 / (1 + np.exp(-inputs @ beta))
        slope = inputs.T @ (weights * (odds - labels)) + held * beta
        bend = (inputs * (weights * odds * (1 - odds))[:, None]).T @ inputs + np.diag(held)
        step = np.linalg.solve(bend, slope)
        beta -= step
        if np.abs(step).max() < 1e-8:
            break
    return Head(mean, scale, beta[:-1], float(beta[-1]))


def folded(found: Sequence[Rows]) -> list[NDArray[np.float64]]:
    """Return the log-odds of every candidate by a scorer that saw nothing of its group."""
    fold = folds(found)
    models = [fit([r for r, own in zip(found, fold, strict=True) if own != k]) for k in range(FOLDS)]
    return [models[own].raw(r.signs) for r, own in zip(found, fold, strict=True)]


def folds(found: Sequence[Rows]) -> NDArray[np.int64]:
    """Return the fold of each question: those of one group stand in one."""
    groups = sorted({(rows.kind, rows.group) for rows in found})
    place = {group: number % FOLDS for number, group in enumerate(groups)}
    return np.array([place[rows.kind, rows.group] for rows in found])


def judged(found: Sequence[Rows], raws: Sequence[NDArray[np.float64]]) -> tuple[Head, NDArray[np.float64]]:
    """Return the regression that judges the best candidate, and its log-odds on folds it did not see.

    Questions over real collections are judged once more without what answers them.
    """
    inputs = np.stack([standing(rows.signs, raw) for rows, raw in zip(found, raws, strict=True)])
    labels = np.array([rights(rows, raw) for rows, raw in zip(found, raws, strict=True)])
    weights = np.array([weight_of(rows) for rows in found])
    fold, told = folds(found), np.zeros(len(found))
    left = [(k, rows.labels != 1) for k, rows in enumerate(found) if rows.kind in USUAL and rows.answerable]
    left = [(k, kept) for k, kept in left if kept.any() and not kept.all()]
    doubts = [standing(found[k].signs[kept], raws[k][kept]) for k, kept in left]
    every = np.concatenate([inputs, np.array(doubts).reshape(-1, inputs.shape[1])])
    right = np.r_[labels, np.zeros(len(left), dtype=np.int64)]
    counts = np.r_[weights, np.full(len(left), REMOVED)]
    place = np.r_[fold, fold[[k for k, _ in left]]] if left else fold
    for k in range(FOLDS):
        rest = place != k
        told[fold == k] = regression(every[rest], right[rest], counts[rest]).raw(inputs[fold == k])
    return regression(every, right, counts), told


def rights(rows: Rows, raw: NDArray[np.float64]) -> int:
    """Tell whether the best candidate is right."""
    return int(rows.labels[int(raw.argmax())] == 1)


def curve(
    found: Sequence[Rows], raws: Sequence[NDArray[np.float64]], told: NDArray[np.float64]
) -> list[tuple[float, float]]:
    """Return what the log-odds of the best candidate are worth: the share that is right, never falling."""
    pairs = zip(found, raws, told, strict=True)
    best = [(float(value), rights(rows, raw), 1.0) for rows, raw, value in pairs if rows.kind in USUAL]
    bins, blocks = [[0.0, 0.0, 0.0]], list[list[float]]()
    for value, right, weight in sorted(best):
        if bins[-1][2] >= LEAST:
            bins.append([0.0, 0.0, 0.0])
        bins[-1] = [bins[-1][0] + value * weight, bins[-1][1] + right * weight, bins[-1][2] + weight]
    for one in bins:
        blocks.append(one)
        while len(blocks) > 1 and blocks[-2][1] / blocks[-2][2] >= blocks[-1][1] / blocks[-1][2]:
            last = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
    return [(round(v / w, DIGITS), round(r / w, DIGITS)) for v, r, w in blocks]


def claims_from(
    found: Sequence[Rows],
    raws: Sequence[NDArray[np.float64]],
    told: NDArray[np.float64],
    points: Sequence[tuple[float, float]],
) -> float:
    """Return the least probability from which on, taken together, enough of the claims are right."""
    likely = np.interp(told, [x for x, _ in points], [y for _, y in points])
    best = [
        (float(p), rights(rows, raw), weight_of(rows))
        for p, rows, raw in zip(likely, found, raws, strict=True)
        if rows.kind in USUAL
    ]
    least, right, whole = 1.0, 0.0, 0.0
    for p, one, weight in sorted(best, reverse=True):
        right, whole = right + one * weight, whole + weight
        least = p if right / whole >= CLAIMED else least
    return round(least, DIGITS)


def main() -> None:
    """Make the rows, fit the scorer, and write its weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="the folder of the data files")
    parser.add_argument(
        "--rows", type=Path, help="keep the rows here, and take them from here where it exists"
    )
    parser.add_argument("--target", type=Path, default=TARGET)
    options = parser.parse_args()
    try:
        files = {name: Options(data=options.data).file(name) for name in (SQUAD, HOTPOT)}
        files[CASES] = FOLDERS[0] / CASES
        files |= {part: FOLDER / part / QUESTIONS for part in PARTS}
        found = _rows(files, options.rows)
    except (MissingData, WrongOption) as error:
        parser.error(str(error))
    raws = folded(found)
    trust, told = judged(found, raws)
    points = curve(found, raws, told)
    claim = claims_from(found, raws, told, points)
    for line in report(found, raws, told, points, claim):
        print(line)
    options.target.write_text(data_of(fit(found), trust, points, claim, found, files), encoding="utf-8")


def _rows(files: dict[str, Path], kept: Path | None) -> list[Rows]:
    if kept is not None and kept.exists():
        return load_rows(kept)
    sets = [(name, "") for name in (CASES, "chains", HOTPOT, SQUAD)]
    sets += collections()
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        found = [one for part in pool.map(_rows_of_set, repeat(files), sets) for one in part]
    if kept is not None:
        save_rows(kept, found)
    return found


def _rows_of_set(files: dict[str, Path], chosen: tuple[str, str]) -> list[Rows]:
    """Return the candidates of the questions of one set, or of one collection of a part."""
    from ddax.memory.embed.likeness import Vectors
    from ddax.memory.embeddings import open_embedder

    embedder = open_embedder(threads=1)
    vectors = Vectors(embedder, size=65_536)
    found = [rows_of(asked, vectors) for asked in _asked_of(files, *chosen, embedder)]
    print(*chosen, len(found), file=sys.stderr, flush=True)
    return [rows for rows in found if len(rows.labels)]


def _asked_of(files: dict[str, Path], name: str, collection: str, embedder: Embedder) -> Iterator[Asked]:
    if collection:
        return without_reason(real(name, collection, embedder))
    if name == "chains":
        return chains()
    if name == CASES:
        return cases(files[name])
    return without_reason({HOTPOT: hotpot, SQUAD: squad}[name](files[name]))


def report(
    found: Sequence[Rows],
    raws: Sequence[NDArray[np.float64]],
    told: NDArray[np.float64],
    points: Sequence[tuple[float, float]],
    claim: float,
) -> Iterator[str]:
    """Yield, set by set, how many claims are right at the probability from which one is made."""
    likely = np.interp(told, [x for x, _ in points], [y for _, y in points])
    for kind in sorted({rows.kind for rows in found}):
        every = zip(found, raws, likely, strict=True)
        own = [(r, rights(r, raw), p >= claim) for r, raw, p in every if r.kind == kind]
        empty = sum(not rows.answerable for rows, *_ in own)
        claimed = [(rows, right) for rows, right, made in own if made]
        yield (
            f"{kind}: {len(own)} questions, claimed {len(claimed) / len(own):.3f}, right "
            f"{sum(right for _, right in claimed) / max(1, len(claimed)):.3f}, without an answer claimed "
            f"{sum(not rows.answerable for rows, _ in claimed)} of {empty}"
        )


def data_of(
    model: Ranking,
    trust: Head,
    points: Sequence[tuple[float, float]],
    claim: float,
    found: Sequence[Rows],
    files: dict[str, Path],
) -> str:
    """Return the data file: what it was made of, the weights and the curve."""
    made = {
        name: {"sha256": sha256(path.read_bytes()).hexdigest(),
               "questions": _count(name, path, found)}
        for name, path in files.items()
    }  # fmt: skip
    ways = {way: _written(head) for way, head in zip(WAYS, model.heads, strict=True)}
    data = {"by": "benchmarks/train_reader.py", "made_of": made, "signs": list(NAMES), "ways": ways,
            "trust": _written(trust), "claim": claim, "curve": [list(point) for point in points]}  # fmt: skip
    return json.dumps(data, indent=1) + "\n"


def _count(name: str, path: Path, found: Sequence[Rows]) -> int:
    if KINDS[name] == "real":
        return len(path.read_text(encoding="utf-8").splitlines())
    return sum(rows.kind == KINDS[name] for rows in found)


def _written(head: Head) -> dict[str, Any]:
    values = {"mean": head.mean, "scale": head.scale, "weights": head.weights}
    parts = {part: [round(float(v), DIGITS) for v in own] for part, own in values.items()}
    return {"bias": round(head.bias, DIGITS), **parts}


if __name__ == "__main__":
    main()

"""The support check: how often it names the relation of two statements right, and how sure it may be.

Two sets: SNLI's development pairs (captions of pictures), and 60 pairs of the kind that ddax checks.
The weights are fitted on half of SNLI and on pairs of `nli_fit_pairs.yaml`; everything reported is from
the other half and from the 60. The rules alone run everywhere; the model where the extra `nli` is
installed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.core import Figure, Options, Result, Target, bootstrap

NAME = "nli"
DESCRIPTION = "the support check: accuracy, contradictions, confidence; with and without the extra nli"
FILE = "snli_dev.jsonl"
HERE = Path(__file__).parent / "data"
OWN_WEIGHT = 3.0
"""Weight of a pair of our own kind in the fit; one of SNLI has 1."""
SHIFTS = (5, 7)
"""How far apart the premise and the hypothesis of a made-up unrelated pair stand in the list."""
WANTED_RECALL, WANTED_PRECISION = 0.4, 0.8
Row = Callable[[str, str], "NDArray[np.float64]"]


class Pair(NamedTuple):
    """A premise, a hypothesis and their relation."""

    relation: str
    premise: str
    hypothesis: str


class Sets(NamedTuple):
    """What is fitted on (pairs and their weights), and what is reported on."""

    fit: list[Pair]
    weight: NDArray[np.float64]
    snli: list[Pair]
    own: list[Pair]
    unrelated: list[Pair]


def load(path: Path) -> Sets:
    """Read both sets; the even lines of SNLI are fitted on, the odd ones reported."""
    import yaml

    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    snli = [Pair(row["label"], row["premise"], row["hypothesis"]) for row in rows]
    ours, own = (
        [Pair(*row) for row in yaml.safe_load((HERE / name).read_text(encoding="utf-8"))]
        for name in ("nli_fit_pairs.yaml", "nli_pairs.yaml")
    )
    made = unrelated(ours, SHIFTS)
    weight = np.r_[np.ones(len(snli[::2])), np.full(len(ours), OWN_WEIGHT), np.ones(len(made))]
    return Sets([*snli[::2], *ours, *made], weight, snli[1::2], own, unrelated(own, SHIFTS[1:]))


def unrelated(pairs: Sequence[Pair], shifts: Sequence[int]) -> list[Pair]:
    """Pair each premise with the hypothesis of another: what is about something else is neutral.

    SNLI knows no such pair: in it, two captions are of the same picture, and a different scene counts
    as a contradiction.
    """
    found = []
    for shift in shifts:
        for i, pair in enumerate(pairs):
            other = pairs[(i + shift) % len(pairs)]
            if other.premise[:18] != pair.premise[:18]:
                found.append(Pair("neutral", pair.premise, other.hypothesis))
    return found


def run(options: Options) -> Result:
    """Report each check on both sets, and how far the shipped weights are from a new fit."""
    from ddax.memory.embed.likeness import Vectors
    from ddax.memory.embeddings import open_embedder
    from ddax.reasoning.entailment.model import ModelCheck, installed, signs_of
    from ddax.reasoning.entailment.rules import UNSURE
    from ddax.reasoning.entailment.signs import signs

    sets = load(options.file(FILE))
    vectors = Vectors(open_embedder())
    kinds: dict[str, tuple[Row, float]] = {
        "rules": (lambda p, h: signs(p, h).row(), UNSURE),
        "rules and embeddings": (lambda p, h: signs(p, h, vectors.likeness).row(), UNSURE),
    }
    notes = ["fitted on the even lines of SNLI and own pairs; reported on the odd lines and 60 others"]
    if installed():
        model = ModelCheck()
        kinds["model"] = (lambda p, h: signs_of(model.margin(p, h)), 1.0)
    else:
        notes.append("the extra nli is not installed: no figures of the model")
    figures: list[Figure] = []
    for name, (row, cap) in kinds.items():
        figures += _figures(name, row, cap, sets, notes)
    return Result(NAME, tuple(figures), (options.seed,), 1, tuple(notes))


def _figures(name: str, row: Row, cap: float, sets: Sets, notes: list[str]) -> list[Figure]:
    """Fit anew, compare with the shipped weights, and report these on what was not fitted on."""
    from ddax.reasoning.entailment.scale import RELATIONS, fit, probabilities, shipped

    fitted = fit(_rows(sets.fit, row), np.array([RELATIONS.index(p.relation) for p in sets.fit]), sets.weight)
    weights = shipped()[name]
    figures = [Figure(f"{name}: shipped weights, largest distance to a new fit",
                      float(np.abs(weights - fitted).max()), "", Target("<=", 0.02))]  # fmt: skip
    if figures[0].misses:
        notes.append(f"{name}, a new fit: {np.round(fitted, 3).tolist()}")
    for title, pairs in (("SNLI", sets.snli), ("own 60", sets.own)):
        start = time.perf_counter()
        found = probabilities(_rows(pairs, row), weights)
        took = (time.perf_counter() - start) / len(pairs) * 1000
        truth = np.array([RELATIONS.index(p.relation) for p in pairs])
        figures += _quality(f"{name}, {title}", found, truth, cap, strict=name == "model")
        figures.append(Figure(f"{name}, {title}: time a pair", took, "ms", n=len(pairs)))
        notes.append(f"{name}, {title}: {confusion(found, truth)}")
        notes.append(f"{name}, {title}: contradictions, precision at recall: {curve(found, truth)}")
    calm = probabilities(_rows(sets.unrelated, row), weights).argmax(axis=1) == RELATIONS.index("neutral")
    figures.append(_share(f"{name}, unrelated pairs: called neutral", calm.astype(float)))
    return figures


def _quality(
    name: str, found: NDArray[np.float64], truth: NDArray[np.int_], cap: float, *, strict: bool
) -> list[Figure]:
    from ddax.reasoning.entailment.scale import RELATIONS

    said, against = found.argmax(axis=1), RELATIONS.index("contradiction")
    right = (said == truth).astype(float)
    called, real = said == against, truth == against
    confidence = np.minimum(cap, found.max(axis=1))
    return [
        _share(f"{name}: accuracy", right),
        Figure(f"{name}: contradictions, precision as called", _ratio(called & real, called),
               n=int(called.sum())),
        Figure(f"{name}: contradictions, recall as called", _ratio(called & real, real), n=int(real.sum()),
               target=Target(">=", WANTED_RECALL) if strict else None),
        Figure(f"{name}: contradictions, precision at recall {WANTED_RECALL}",
               precision_at(found[:, against], real, WANTED_RECALL), n=int(real.sum()),
               target=Target(">=", WANTED_PRECISION) if strict else None),
        Figure(f"{name}: ECE of the confidence", calibration_error(confidence, right), n=len(right)),
    ]  # fmt: skip


def _rows(pairs: Sequence[Pair], row: Row) -> NDArray[np.float64]:
    return np.stack([row(pair.premise, pair.hypothesis) for pair in pairs])


def _ratio(part: NDArray[np.bool_], whole: NDArray[np.bool_]) -> float:
    return float(part.sum() / whole.sum()) if whole.any() else 0.0


def _share(name: str, values: NDArray[np.float64]) -> Figure:
    found = bootstrap(values.tolist())
    return Figure(name, found.value, "", None, found.low, found.high, len(values))


def precision_at(scores: NDArray[np.float64], real: NDArray[np.bool_], recall: float) -> float:
    """Return the precision where, going down by score, the recall is first reached."""
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(real[order])
    first = int(np.argmax(hits / max(1, hits[-1]) >= recall))
    return float(hits[first] / (first + 1))


def curve(found: NDArray[np.float64], truth: NDArray[np.int_]) -> str:
    """Return the precision at tenths of recall, in words."""
    real = truth == _against()
    steps = [0.2, 0.4, 0.6, 0.8, 1.0]
    return ", ".join(f"{precision_at(found[:, _against()], real, r):.2f} at {r}" for r in steps)


def _against() -> int:
    from ddax.reasoning.entailment.scale import RELATIONS

    return RELATIONS.index("contradiction")


def confusion(found: NDArray[np.float64], truth: NDArray[np.int_]) -> str:
    """Return the confusion table in words: what was true, and what was said."""
    from ddax.reasoning.entailment.scale import RELATIONS

    said = found.argmax(axis=1)
    rows = []
    for i, relation in enumerate(RELATIONS):
        cells = [
            f"{int(((truth == i) & (said == j)).sum())} {other[:3]}" for j, other in enumerate(RELATIONS)
        ]
        rows.append(f"{relation[:3]} → {' / '.join(cells)}")
    return "; ".join(rows)


def calibration_error(
    confidence: NDArray[np.float64], right: NDArray[np.float64], *, bins: int = 10
) -> float:
    """Return the expected calibration error over equal-width bins."""
    place = np.minimum((confidence * bins).astype(int), bins - 1)
    return float(
        sum(
            abs(confidence[place == b].mean() - right[place == b].mean()) * (place == b).mean()
            for b in range(bins)
            if (place == b).any()
        )
    )

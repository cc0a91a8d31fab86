"""Trains the model that says how likely a patch is to be right (`ddax/evolution/judging/weights.json`).

`python -m benchmarks.train_repair ROWS --collect` repairs bugs that are made from the standard library and
those of the development file; of each patch it keeps what spoke for it and whether the tests that were kept
back agree, one JSON object a line. `--part 0/2` takes every second bug, so that two processes share them;
their files are joined with `cat`. Without `--collect` the weights are fitted to such a file: the same rows
give the same weights.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.core import data_file
from benchmarks.made_bugs import bugs
from benchmarks.repair import DATA, read_bugs, task_of

TARGET = Path(__file__).parent.parent / "ddax" / "evolution" / "judging" / "weights.json"
SECONDS, SINGLE = 10.0, 2
"""Seconds of a repair, and failing tests of a bug that are given alone."""
RISING = ("mended", "unseen", "covering", "examples", "agreed", "kept")
FALLING = (
    "rivals", "left", "doubtful", "told", "rank", "fault", "size", "edits", "moved", "lost", "strays",
)  # fmt: skip
"""Features that can only speak for a patch, and those that can only speak against it."""
PRECISION, STRENGTH, STEPS, RATE = 0.95, 2.0, 4000, 0.05
"""Share of what is accepted that is to be right, L2 strength, and steps of the descent with their rate.

Of made bugs more patches are right than of real ones, of which nine in ten are wanted: more is asked here."""
FOLDS = 5


def views(name: str, task: Any) -> Iterator[tuple[str, Any, list[str]]]:
    """Yield a task as a user may give it, with the tests kept back: by half, and by one that fails."""
    from ddax.evolution.program.test_command import Selection

    task = replace(task, hold_out=True)
    suite = task.suite()
    ids = [unit.id for unit in suite.units]
    hidden = ids[1::2]
    if not hidden:
        return
    yield f"{name}:half", replace(task, selection=Selection(without=tuple(hidden))), hidden
    with judging(suite) as evaluator:
        ended = evaluator.evaluate(dict(task.files)).signature
    failing = [one for one, letter in zip(ids, ended, strict=False) if letter != "p" and one not in hidden]
    for one in failing[:SINGLE]:
        path, _, inner = one.partition("::")
        wanted = Selection({path: (inner,)}, without=tuple(hidden))
        yield f"{name}:{one}", replace(task, selection=wanted), hidden


def judging(suite: Any) -> Any:
    """Return what runs a suite."""
    from ddax.evolution.evaluator import CodeEvaluator
    from ddax.evolution.sandbox import choose
    from ddax.evolution.sandbox.protocol import Limits

    return CodeEvaluator(choose(), suite, limits=Limits(cpu=5.0, wall=7.0))


def patches(task: Any, hidden: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Repair a task, and yield each patch with its features and whether the hidden tests agree."""
    from ddax.configs.settings import Evolution
    from ddax.evolution.judging import evidence
    from ddax.evolution.program.test_command import ALL
    from ddax.evolution.repair import repair
    from ddax.evolution.sandbox import choose

    settings, sandbox = Evolution(seconds=SECONDS), choose()
    found = asyncio.run(
        repair(task, settings=settings, rng=np.random.default_rng(0), clock=time.monotonic, sandbox=sandbox)
    )
    made: Sequence[Any] = found.proposals or ((found,) if found.solved else ())
    if not made:
        return
    with judging(replace(task, selection=ALL).suite().only(set(hidden), keep=True)) as evaluator:
        for place, one in enumerate(made):
            right = evaluator.evaluate(one.files).score >= 99.0
            finding = one.finding
            weak = any(not lack.startswith(evidence.ESTIMATED) for lack in finding.lacks)
            yield {"features": dict(finding.features), "kinds": finding.kinds, "operators": one.operators,
                   "weak": weak, "right": right, "place": place}  # fmt: skip


def sources(folder: Path | None) -> Iterator[tuple[str, Any]]:
    """Yield the bugs that may be looked at."""
    file = data_file(DATA, folder)
    given = ((bug["task_id"], task_of(bug, held_out=False)) for bug in (read_bugs(file) if file else ()))
    for pair in zip_longest(bugs(), given):  # in turn, so that the first rows are of both
        yield from (one for one in pair if one is not None)


def part_of(text: str) -> tuple[int, int]:
    """Read a part, as 0/2; raises ValueError."""
    number, of = map(int, text.split("/"))
    if not 0 <= number < of:
        raise ValueError(text)
    return number, of


def collect(rows: Path, folder: Path | None, part: tuple[int, int] = (0, 1)) -> None:
    """Repair the bugs of a part that are not in the file yet."""
    from ddax.evolution.tables import table

    table("judging/weights")["threshold"] = 2.0  # no patch ends the comparison as a fix
    done = {row["task"] for row in read(rows)}
    with rows.open("a", encoding="utf-8") as out:
        for name, task in islice(sources(folder), part[0], None, part[1]):
            for view, given, hidden in views(name, task):
                if view in done:
                    continue
                made = list(patches(given, hidden))
                for row in made or [{"place": -1}]:
                    out.write(json.dumps({"task": view, **row}, sort_keys=True) + "\n")
                out.flush()


def read(rows: Path) -> list[dict[str, Any]]:
    """Read the rows of a file, ordered by task and place; none where there is none."""
    made = [json.loads(line) for line in rows.read_text("utf-8").splitlines()] if rows.is_file() else []
    return sorted(made, key=lambda row: (row["task"], row["place"]))


def fit(rows: Sequence[Mapping[str, Any]]) -> tuple[np.ndarray, float]:
    """Fit a logistic model whose weights have the signs that their features allow."""
    names = (*RISING, *FALLING)
    x = np.array([[row["features"].get(name, 0.0) for name in names] for row in rows])
    y = np.array([float(row["right"]) for row in rows])
    weights, bias = np.zeros(len(names)), 0.0
    for _ in range(STEPS):
        error = 1.0 / (1.0 + np.exp(-(x @ weights + bias))) - y
        weights = weights - RATE * (x.T @ error + STRENGTH * weights) / len(y)
        bias = bias - RATE * float(error.mean())
        weights[: len(RISING)] = np.maximum(weights[: len(RISING)], 0.0)
        weights[len(RISING) :] = np.minimum(weights[len(RISING) :], 0.0)
    return weights, bias


def chances(rows: Sequence[Mapping[str, Any]], weights: np.ndarray, bias: float) -> np.ndarray:
    """Return the chance of each row."""
    x = np.array([[row["features"].get(name, 0.0) for name in (*RISING, *FALLING)] for row in rows])
    return np.asarray(1.0 / (1.0 + np.exp(-(x @ weights + bias))))


def threshold(rows: Sequence[Mapping[str, Any]]) -> tuple[float, float, int]:
    """Return the least chance above which held-out folds are right as often as wanted, its share and count.

    A bug stands in one fold with all its patches; only first patches with the evidence of their kind count.
    """
    fold = [int(sha256(row["task"].rpartition(":")[0].encode()).hexdigest(), 16) % FOLDS for row in rows]
    judged = list[tuple[float, bool]]()
    for one in range(FOLDS):
        weights, bias = fit([row for row, f in zip(rows, fold, strict=True) if f != one])
        held = [row for row, f in zip(rows, fold, strict=True)
                if f == one and not row["place"] and not row["weak"]]  # fmt: skip
        if held:
            judged += zip(map(float, chances(held, weights, bias)), (r["right"] for r in held), strict=True)
    judged.sort(reverse=True)
    best, right = (1.0, 0.0, 0), 0
    for count, (chance, good) in enumerate(judged, 1):
        right += good
        if right / count >= PRECISION:
            best = (chance, right / count, count)
    return best


def main() -> int:
    """Collect rows, or fit the weights to them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rows", type=Path)
    parser.add_argument("--collect", action="store_true", help="repair bugs, and add what came of it")
    parser.add_argument(
        "--part", type=part_of, default="0/1", help="which of how many parts is collected, as 0/2"
    )
    parser.add_argument("--data", type=Path, default=None, help="folder of the data files")
    given = parser.parse_args()
    if given.collect:
        collect(given.rows, given.data, given.part)
        return 0
    rows = [row for row in read(given.rows) if row["place"] >= 0]
    weights, bias = fit(rows)
    least, share, count = threshold(rows)
    model = {
        "about": "How likely a patch is to be right, by what speaks for it: a logistic model, fitted by "
        f"benchmarks/train_repair.py to {len(rows)} patches of bugs made from the standard library and of "
        "HumanEvalFix (development half). A patch counts as a fix from the threshold on: in held-out folds "
        f"{share:.3f} of {count} such patches were right.",
        "patches": len(rows),
        "rows": sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest(),
        "bias": round(bias, 4),
        "threshold": round(least, 4),
        "largest": max(row["features"].get("size", 0.0) for row in rows),
        "weights": {
            name: round(float(weight), 4)
            for name, weight in zip((*RISING, *FALLING), weights, strict=True)
            if round(weight, 4)
        },
    }
    TARGET.write_text(json.dumps(model, indent=1) + "\n", "utf-8")
    print(json.dumps(model, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())

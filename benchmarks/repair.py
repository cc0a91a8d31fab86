"""Repairs the bugs of a HumanEvalFix file without a model: how many, how fast, how honest.

A bug's program is `prompt` + `buggy_solution`; the reference solution is never read. Each bug gets
`SECONDS` and a sandbox for each core. With `held_out` every second assert is hidden from the search and
judges its patch.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.core import Figure, Options, Result, Target

if TYPE_CHECKING:
    from ddax.evolution.records import RepairResult, RepairTask
    from ddax.evolution.sandbox import Sandbox

NAME = "repair"
DESCRIPTION = "bugs of a HumanEvalFix file repaired without a model, with all tests and with half of them"
SECONDS = 20.0
QUICK = 12
DATA = "humanevalfix_dev.jsonl"
SHARE_PLAUSIBLE = 68 / 82


def read_bugs(file: Path) -> list[dict[str, Any]]:
    """Read the bugs without their reference solutions."""
    text = file.read_text("utf-8")
    keep = ("task_id", "prompt", "buggy_solution", "test", "bug_type")
    return [{key: row[key] for key in keep} for row in map(json.loads, text.splitlines())]


def task_of(bug: dict[str, Any], *, held_out: bool) -> RepairTask:
    """Make a repair task of a bug; every second unit is held out where there are at least two."""
    from ddax.evolution.program.suites import build_suite
    from ddax.evolution.records import RepairTask

    files, tests = {"program.py": bug["prompt"] + bug["buggy_solution"]}, {"checks.py": bug["test"]}
    hidden: tuple[str, ...] = ()
    if held_out:
        hidden = tuple(u.id for u in build_suite(files, ["program.py"], tests).units[1::2])
    return RepairTask(files, ("program.py",), tests, held_out=hidden)


def repair_bug(
    bug: dict[str, Any], *, sandbox: Sandbox, seed: int, held_out: bool, seconds: float
) -> RepairResult:
    """Run one repair."""
    from ddax.configs.settings import Evolution
    from ddax.evolution.repair import repair

    return asyncio.run(
        repair(
            task_of(bug, held_out=held_out),
            settings=Evolution(seconds=seconds),
            rng=np.random.default_rng(seed),
            clock=time.monotonic,
            sandbox=sandbox,
        )
    )


def run(options: Options) -> Result:
    """Run the benchmark with all tests visible and again with half of them held out."""
    from ddax.evolution.sandbox import choose
    from ddax.evolution.sandbox.crew import at_once

    bugs = read_bugs(options.file(DATA))
    bugs = bugs[:: max(1, len(bugs) // QUICK)] if options.quick else bugs
    seconds = SECONDS / 2 if options.quick else SECONDS
    sandbox = choose()

    def repaired(held_out: bool) -> list[RepairResult]:
        return [
            repair_bug(b, sandbox=sandbox, seed=options.seed, held_out=held_out, seconds=seconds)
            for b in bugs
        ]

    visible, hidden = repaired(False), repaired(True)
    lost = [b["task_id"] for b, r in zip(bugs, visible, strict=True) if not r.patched]
    notes = (
        f"sandbox {sandbox.name}, {at_once()} at once, {seconds:g} s a bug; the tests are the oracle",
        f"repaired by type of bug, all tests visible: {by_type(bugs, visible)}",
        f"not repaired: {', '.join(lost)}",
        "the weights that order patches were fitted to repairs of these bugs, too, among others",
    )
    return Result(NAME, (*_visible(visible), *_held_out(hidden)), (options.seed,), notes=notes)


def by_type(bugs: Sequence[dict[str, Any]], results: Sequence[RepairResult]) -> str:
    """Say how many of each type of bug were repaired."""
    kinds = Counter(b["bug_type"] for b in bugs)
    done = Counter(b["bug_type"] for b, r in zip(bugs, results, strict=True) if r.patched)
    return ", ".join(f"{kind} {done[kind]}/{kinds[kind]}" for kind in sorted(kinds))


def _visible(results: Sequence[RepairResult]) -> list[Figure]:
    solved = [r for r in results if r.patched]
    n = len(results)
    spent = sum(r.seconds for r in results)
    figures = [
        Figure("plausible, all tests visible", len(solved) / n, "share", Target(">=", SHARE_PLAUSIBLE), n=n),
        Figure("candidates a second, isolated", sum(r.tried for r in results) / max(spent, 1e-9), "1/s",
               Target(">=", 100), n=n),
    ]  # fmt: skip
    if solved:
        first = statistics.median(r.first_seconds for r in solved)
        figures.append(
            Figure("median time to the first plausible", first, "s", Target("<=", 0.5), n=len(solved))
        )
        total = statistics.median(r.seconds for r in solved)
        figures.append(Figure("median time with confirmation", total, "s", n=len(solved)))
    return figures


def _held_out(results: Sequence[RepairResult]) -> list[Figure]:
    judged = [r for r in results if r.patched and r.held_out[1]]
    right = [r for r in judged if r.held_out[0] == r.held_out[1]]
    solved = sum(r.patched for r in results)
    share = len(right) / len(judged) if judged else float("nan")
    return [
        Figure("plausible, half of the tests held out", solved / len(results), "share", n=len(results)),
        Figure("of these, right on the held-out half", share, "share", Target(">=", 0.9), n=len(judged)),
    ]  # fmt: skip

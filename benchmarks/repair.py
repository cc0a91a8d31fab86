"""Repairs the bugs of a HumanEvalFix file without a model: how many, how fast, how honest.

A bug's program is `prompt` + `buggy_solution`; the reference solution is never read. Each bug gets one
core and `SECONDS`. With `held_out` every second assert is hidden from the search and judges its patch.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from ddax.configs.settings import Evolution
from ddax.evolution.records import RepairResult, RepairTask
from ddax.evolution.repair import repair
from ddax.evolution.sandbox import Sandbox, choose
from ddax.evolution.suites import build_suite

SECONDS = 20.0
QUICK = 12
DATA = "humanevalfix_dev.jsonl"


def read_bugs(data_dir: str | Path) -> list[dict[str, Any]]:
    """Read the bugs without their reference solutions; raises FileNotFoundError where the file is absent."""
    text = (Path(data_dir) / DATA).read_text("utf-8")
    keep = ("task_id", "prompt", "buggy_solution", "test", "bug_type")
    return [{key: row[key] for key in keep} for row in map(json.loads, text.splitlines())]


def task_of(bug: dict[str, Any], *, held_out: bool) -> RepairTask:
    """Make a repair task of a bug; every second unit is held out where there are at least two."""
    files, tests = {"program.py": bug["prompt"] + bug["buggy_solution"]}, {"checks.py": bug["test"]}
    hidden: tuple[str, ...] = ()
    if held_out:
        hidden = tuple(u.id for u in build_suite(files, ["program.py"], tests).units[1::2])
    return RepairTask(files, ("program.py",), tests, held_out=hidden)


def repair_bug(
    bug: dict[str, Any], *, sandbox: Sandbox, seed: int, held_out: bool, seconds: float
) -> RepairResult:
    """Run one repair."""
    return asyncio.run(
        repair(
            task_of(bug, held_out=held_out),
            settings=Evolution(seconds=seconds),
            rng=np.random.default_rng(seed),
            clock=time.monotonic,
            sandbox=sandbox,
        )
    )


def summarise(bugs: list[dict[str, Any]], results: list[RepairResult]) -> dict[str, Any]:
    """Count what was repaired, by type of bug, with times in seconds."""
    solved = [(b, r) for b, r in zip(bugs, results, strict=True) if r.solved]
    first = [r.first_seconds for _, r in solved]
    kinds = Counter(b["bug_type"] for b in bugs)
    done = Counter(b["bug_type"] for b, _ in solved)
    judged = [r for _, r in solved if r.held_out[1]]
    right = [r for r in judged if r.held_out[0] == r.held_out[1]]
    return {
        "bugs": len(bugs),
        "plausible": len(solved),
        "by_type": {kind: f"{done[kind]}/{kinds[kind]}" for kind in sorted(kinds)},
        "median_first_seconds": statistics.median(first) if first else None,
        "median_total_seconds": statistics.median(r.seconds for _, r in solved) if solved else None,
        "candidates_per_second": sum(r.tried for r in results) / max(1e-9, sum(r.seconds for r in results)),
        "held_out_judged": len(judged),
        "held_out_right": len(right),
        "unsolved": [b["task_id"] for b, r in zip(bugs, results, strict=True) if not r.solved],
    }


def run(
    data_dir: str | Path, quick: bool = False, seed: int = 0, *, seconds: float = SECONDS
) -> dict[str, Any]:
    """Run the benchmark with all tests visible and again with half of them held out."""
    bugs = read_bugs(data_dir)
    bugs = bugs[:: max(1, len(bugs) // QUICK)] if quick else bugs
    sandbox = choose()
    report: dict[str, Any] = {"seconds": seconds, "seed": seed, "sandbox": sandbox.name}
    for name, held_out in (("visible", False), ("half_held_out", True)):
        results = [
            repair_bug(b, sandbox=sandbox, seed=seed, held_out=held_out, seconds=seconds) for b in bugs
        ]
        report[name] = summarise(bugs, results)
    return report

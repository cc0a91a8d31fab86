"""Battery V: cheats against the verdict, none of which may pass, and honest programs, all of which must."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING, Any

from benchmarks.core import Figure, Options, Result, Target

if TYPE_CHECKING:
    from ddax.evolution.sandbox import Sandbox

NAME = "verdict"
DESCRIPTION = "programs that cheat against the tests, and honest ones, judged in two processes"
QUICK = 4


def judge(sandbox: Sandbox, program: str, tests: str, original: str) -> tuple[float, float]:
    """Return the score of a program by the separate verdict, and the seconds it took."""
    from ddax.evolution.judging.verdict import separate_verdict
    from ddax.evolution.program.suites import build_suite
    from ddax.evolution.sandbox import Limits

    suite = build_suite({"prog.py": original}, ["prog.py"], {"test_prog.py": tests})
    begin = time.perf_counter()
    found = separate_verdict(sandbox, suite, {"prog.py": program}, limits=Limits(cpu=2.0, wall=5.0))
    return found.score, time.perf_counter() - begin


def run(options: Options) -> Result:
    """Judge every cheat and every honest program in every back end that holds."""
    from benchmarks.cheats import CHEATS, HONEST_PROGRAMS, TESTS, WRONG
    from benchmarks.reliability import record
    from ddax.evolution.sandbox import attack, back_ends

    step = QUICK if options.quick else 1
    sandboxes = [s for s in back_ends() if attack(s).holds]
    rows: list[dict[str, Any]] = []
    for sandbox in sandboxes[:1] if options.quick else sandboxes:
        for name in sorted(CHEATS)[::step]:
            score, seconds = judge(sandbox, CHEATS[name], TESTS, WRONG)
            rows.append(_row(sandbox, "cheat", name, score, seconds))
        for name in sorted(HONEST_PROGRAMS)[::step]:
            program, tests = HONEST_PROGRAMS[name]
            score, seconds = judge(sandbox, program, tests, program)
            rows.append(_row(sandbox, "honest", name, score, seconds))
    if not options.quick:
        record("verdict", rows)
    return Result(NAME, tuple(_figures(rows)), (options.seed,), notes=_notes(rows))


def _row(sandbox: Sandbox, kind: str, name: str, score: float, seconds: float) -> dict[str, Any]:
    passed = score >= 99.0
    return {
        "back_end": sandbox.name,
        "kind": kind,
        "name": name,
        "passed": passed,
        "seconds": round(seconds, 2),
    }


def _figures(rows: list[dict[str, Any]]) -> list[Figure]:
    cheats = [row for row in rows if row["kind"] == "cheat"]
    honest = [row for row in rows if row["kind"] == "honest"]
    return [
        Figure(
            "false passes of cheats",
            sum(r["passed"] for r in cheats),
            "count",
            Target("<=", 0),
            n=len(cheats),
        ),
        Figure(
            "honest programs refused",
            sum(not r["passed"] for r in honest),
            "count",
            Target("<=", 0),
            n=len(honest),
        ),
        Figure(
            "median time of a verdict", statistics.median(r["seconds"] for r in honest), "s", n=len(honest)
        ),
    ]


def _notes(rows: list[dict[str, Any]]) -> tuple[str, ...]:
    wrong = [f"{r['back_end']}: {r['name']}" for r in rows if r["passed"] != (r["kind"] == "honest")]
    ends = ", ".join(sorted({r["back_end"] for r in rows}))
    return (f"back ends: {ends}", f"misjudged: {', '.join(wrong) or 'none'}")

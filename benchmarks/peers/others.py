"""Comparisons that other benchmarks make in full: code search with OpenEvolve, decisions with old pymdp."""

from __future__ import annotations

import os
import sys

import numpy as np

from benchmarks.core import Options
from benchmarks.peers.driving import OURS, PEERS, Failed
from benchmarks.peers.environments import python_of
from benchmarks.peers.rows import Measure, Part, Row

RATE = Measure("repair from 12 scripted proposals: evaluations a second", "1/s", "higher")
TIME = Measure("repair from 12 scripted proposals: time to the right one", "s", "lower")
DECIDE = Measure("4×4 controller: one decision, median", "µs", "lower")
IMPORT = Measure("4×4 controller: import", "s", "lower")
PROGRAMS = 12
TIMED = 5
"""Processes in which decisions are timed: a process is at one of two paces from its start to its end."""
COMPILED = "pymdp 1.0.4, compiled ahead by ours"


def repair(options: Options) -> Part:
    """Have both try the same programs from one scripted model; `openevolve` has the hostile ones."""
    from benchmarks import openevolve

    missing = {peer.name: "searches no code by itself" for peer in PEERS if peer.name != OURS}
    programs, rows = openevolve.candidates(PROGRAMS), []
    for name, run in ((OURS, openevolve.ours), ("OpenEvolve", openevolve.theirs)):
        try:
            if name != OURS:
                os.environ.setdefault("DDAX_OPENEVOLVE_PYTHON", python_of("openevolve"))
            found = [run(programs) for _ in range(3 if options.quick else 5)]
        except (Failed, OSError, RuntimeError) as error:
            missing[name] = f"error: {error}"
            continue
        rows.append(Row(RATE, name, [one.get("tried", PROGRAMS) / one["seconds"] for one in found]))
        done = [one["seconds"] for one in found if one["score"] == 1.0]
        if done:
            rows.append(Row(TIME, name, done))
    note = (
        f"{PROGRAMS} programs, the last one right, one at a time; ours in the sandbox, OpenEvolve in a "
        "process; with no proposals at all OpenEvolve does nothing, ours searches edits: that is the "
        "benchmark `repair`"
    )
    return Part(rows, (note,), missing)


def controllers(options: Options) -> Part:
    """Time one decision of ours, of the pymdp of today under jit, and of the old one."""
    from benchmarks import controller

    found: dict[str, list[controller.Timing]] = {}
    missing: dict[str, str] = {}
    for name, subject, count in (
        (OURS, "twin", 500),
        (COMPILED, "jit", 500),
        ("pymdp 0.0.7.1", "old", 10),
    ):
        try:
            python = python_of("old-pymdp") if subject == "old" else sys.executable
            found[name] = [controller._time(subject, count, options, python=python) for _ in range(TIMED)]
        except (Failed, RuntimeError) as error:
            missing[name] = f"error: {error}"
    rows = [
        Row(DECIDE, name, [float(np.median(run.cycles)) * 1e6 for run in runs])
        for name, runs in found.items()
    ]
    rows += [Row(IMPORT, name, [run.imported for run in runs]) for name, runs in found.items()]
    note = (
        "the whole benchmark is `controller`; pymdp 1.0.4 is in our own environment, as we use it: with the "
        "agent a constant of a program that is compiled before the first decision"
    )
    return Part(rows, (note,), missing)

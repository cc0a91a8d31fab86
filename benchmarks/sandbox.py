"""Battery S: attacks on every back end that holds here, as root and as an unprivileged user.

An attack counts as an escape if it says so itself, from inside; the control makes those that harm
nothing with no sandbox, where they must get through. Afterwards no process of a sandbox may be left, and
the time limit must have been kept. As root, the battery is run a second time by a process
that has dropped to user 65534.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from typing import Any

from benchmarks.core import ROOT, Figure, Options, Result, Target

NAME = "sandbox"
DESCRIPTION = "attacks on each back end of the sandbox, as root and as nobody"
QUICK = 5
CPU, WALL = 2.0, 4.0
"""Limits of an attack in seconds."""
GRACE = 5.0
"""Seconds that starting a sandbox on a loaded machine may add to the limit of an attack."""


def battery(quick: bool) -> list[dict[str, Any]]:
    """Run the attacks as the present user; one row for each attack and back end."""
    from benchmarks.attacks import ATTACKS, perform
    from ddax.evolution.sandbox import Limits, attack, back_ends

    who = "root" if os.geteuid() == 0 else "unprivileged"
    limits = Limits(cpu=CPU, wall=WALL)
    rows: list[dict[str, Any]] = []
    for sandbox in back_ends():
        probe = attack(sandbox)
        if not probe.holds:
            rows.append({"back_end": sandbox.name, "user": who, "attack": "probe", "result": probe.why})
            continue
        for name in sorted(ATTACKS)[:: QUICK if quick else 1]:
            begin = time.monotonic()
            said = perform(sandbox, ATTACKS[name], limits=limits)
            seconds = round(time.monotonic() - begin, 2)
            result = said if said in ("held", "ESCAPED") else "ended"
            rows.append(
                {"back_end": sandbox.name, "user": who, "attack": name, "result": result, "seconds": seconds}
            )
    return rows


def as_nobody(quick: bool) -> list[dict[str, Any]]:
    """Run the battery in a process of user 65534, with an interpreter that this user can reach."""
    from ddax.evolution.sandbox.rebind import rebound
    from ddax.evolution.sandbox.runtime import NOBODY, PYTHON_HOME, find_runtime

    runtime = find_runtime()
    prefix, binds = rebound(runtime)
    places = {inside: host for host, inside in binds}
    python = runtime.python.replace(PYTHON_HOME, places.get(PYTHON_HOME, PYTHON_HOME), 1)
    site = [host for inside, host in places.items() if inside != PYTHON_HOME]
    site = site or [sysconfig.get_paths()["purelib"]]
    code = f"import json; from benchmarks.sandbox import battery; print(json.dumps(battery({quick})))"
    folders, libraries = [str(ROOT), *site], f"{places.get(PYTHON_HOME, '')}/lib"
    done = subprocess.run(
        [*prefix, python, "-B", "-c", f"import sys; sys.path[:0] = {folders!r}; {code}"],
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LD_LIBRARY_PATH": libraries},
        user=None if prefix else NOBODY, cwd="/", capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"the battery of the unprivileged user did not run: {done.stderr[-400:]}")
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def survivors() -> list[str]:
    """Return the command lines of processes that a sandbox has left."""
    left = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = place.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if "SECRET, PORT, HOST" in line and str(os.getpid()) != place.parent.name:
            left.append(line[:80])
    return left


def control() -> tuple[Figure, str]:
    """Return how many attacks get through with no sandbox, and those that this machine holds by itself."""
    from benchmarks.attacks import AS_ALLOWED, LET_THROUGH, held_by_nothing
    from ddax.evolution.sandbox import Limits

    limits, n = Limits(cpu=CPU, wall=WALL), len(LET_THROUGH)
    through = n - len(held_by_nothing(LET_THROUGH, limits=limits))
    mute = held_by_nothing(AS_ALLOWED, limits=limits)
    figure = Figure(
        "control: attacks that get through with no sandbox", through, "count", Target(">=", n), n=n
    )
    return figure, f"held with no sandbox too, by this machine: {', '.join(mute) or 'none'}"


def run(options: Options) -> Result:
    """Run the battery as every user that can be had here."""
    from benchmarks.reliability import record

    rows = battery(options.quick)
    notes = []
    if os.geteuid() == 0:
        rows += as_nobody(options.quick)
    else:
        notes.append("not run as root")
    time.sleep(1.0)
    left = survivors()
    if not options.quick:
        record("sandbox", rows)
    ran = [row for row in rows if row["attack"] != "probe"]
    late = [row for row in ran if row["seconds"] > WALL + GRACE]
    notes += [
        f"{r['back_end']} as {r['user']} does not hold here: {r['result']}" for r in rows if r not in ran
    ]
    notes.append("escaped: " + (", ".join(_names(ran)) or "none"))
    caught, mute = control()
    pairs = sorted({f"{row['back_end']} as {row['user']}" for row in ran})
    figures = (
        Figure("escapes", len(_names(ran)), "count", Target("<=", 0), n=len(ran)),
        caught,
        Figure("surviving processes", len(left), "count", Target("<=", 0), n=len(ran)),
        Figure("attacks that outlived their time", len(late), "count", Target("<=", 0), n=len(ran)),
        Figure("back ends and users", len(pairs), "count", Target(">=", 1)),
    )
    return Result(NAME, figures, (options.seed,), notes=(*notes, mute, "; ".join(pairs), sys.platform))


def _names(rows: list[dict[str, Any]]) -> list[str]:
    return [f"{r['attack']} ({r['back_end']}, {r['user']})" for r in rows if r["result"] == "ESCAPED"]

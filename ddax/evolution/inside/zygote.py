"""The warm worker: holds the suite, forks one limited process per candidate, passes verdicts on.

Speaks frames on its standard input and output; candidates never see those descriptors. A job names
changed files, the units to run in order, and its limits.
"""

from __future__ import annotations

import base64
import contextlib
import gc
import json
import os
import secrets
import select
import signal
import sys
import time
from functools import partial
from types import CodeType
from typing import Any

from . import minipytest, observing, ownpytest, probing
from .frames import MAX_FRAME, read_frame, write_frame
from .limits import OutOfTime, Watch, apply_limits
from .loading import WORK, OutOfTicks, Program, Ticks
from .telling import Teller, raised
from .tracing import Tracer
from .units import Runner

RESULT_LIMIT = 1 << 20
"""Bytes of a candidate's report; one that was traced may be as long as a frame."""
PREPARED = 200_000
"""Characters of a file that is compiled ahead."""
SAID = 300
"""Characters of what is said of a suite that cannot be made."""


class Suite:
    """The base program and the test units, compiled once."""

    def __init__(self, message: dict[str, Any]) -> None:
        self.sources: dict[str, str] = message["sources"]
        self.targets: list[str] = message["targets"]
        self.units: list[dict[str, Any]] = message["units"]
        self.roots: list[str] = message["roots"]
        self.loaded: list[str] = message["loaded"]
        self.texts: dict[str, str] = message["codes"]
        self.cache: dict[tuple[str, str], CodeType] = {}
        lay_out(message)
        self.own = ownpytest.Own(message["tests"]) if message["runner"] == "pytest" else None
        self.codes = {
            key: compile(text, f"<{key}>", "exec", dont_inherit=True)
            for key, text in message["codes"].items()
        }
        for name in message["imports"]:
            preload(name)


def lay_out(message: dict[str, Any]) -> None:
    """Write the project's files into the box and go there, for tests that read or collect files."""
    texts = {path: base64.b64decode(data) for path, data in message["data"].items()}
    texts |= {p: t.encode() for p, t in {**message["sources"], **message["tests"]}.items()}
    for path, content in texts.items():
        place = os.path.join(WORK, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as stream:
            stream.write(content)
    os.makedirs(WORK, exist_ok=True)
    os.chdir(WORK)


def preload(name: str) -> None:
    """Import a library into the warm worker; a missing one is left for the tests to report."""
    try:
        __import__(name)
    except ImportError:
        return


def run_units(
    runner: Any, job: dict[str, Any], units: list[dict[str, Any]], tracer: Tracer | None, watch: Watch | None
) -> dict[str, Any]:
    """Run the units of a job in order, the first `gate` of them as a gate for the rest.

    `still` is for how many seconds one of them only waited that did come to its end.
    """
    rows: list[list[Any]] = []
    still = 0.0
    failed = passed = 0
    for position, index in enumerate(job["units"]):
        if position == job["gate"] and failed:
            break
        if job["give_up"] and failed >= job["give_up"] and not passed:
            break
        if tracer:
            tracer.start()
        outcome = runner.run(units[index], job["ticks"])
        lines = tracer.stop() if tracer else []
        good = outcome.kind in ("pass", "skip")
        waited = watch.waited() if watch else 0.0
        still = max(still, waited if outcome.kind != "timeout" else 0.0)
        passed, failed = passed + good, failed + (not good)
        rows.append([index, *outcome, lines])
        if outcome.name == "OutOfTime":
            break
    return {"rows": rows, "still": still}


def answered(suite: Suite, runner: Runner, job: dict[str, Any]) -> list[str]:
    """Answer each probe of a job: a variant of a test, what methods changed in these, or a call."""
    limit, varied = job["ticks"], any("unit" in row for row in job["probes"])
    effects = observing.Effects(runner.program) if varied else None

    def one(row: dict[str, Any]) -> str:
        if "unit" in row:
            return observing.observe(runner, suite.units[row["unit"]], row["text"], limit)
        return str(effects) if "effects" in row else probing.answer(runner.program, runner.ticks, row, limit)

    return [one(row) for row in job["probes"]]


def told(suite: Suite, runner: Runner, job: dict[str, Any]) -> list[str]:
    """Say of each unit of a job how it ended, with values; it runs on its own, so one may be told alone."""
    units, limit = [suite.units[index] for index in job["units"]], job["ticks"]
    teller = Teller(suite.texts, {**suite.sources, **job["files"]})
    if suite.own is None:
        light = Runner(runner.program, runner.ticks, suite.targets, teller.codes())
        return [teller.of(partial(raised, light, unit, limit)) for unit in units]
    said: list[str] = []
    teller.note_files()

    def loop(owned: Any) -> None:
        said.extend(teller.of(partial(owned.raising, unit, limit)) for unit in units)

    suite.own.session(runner, loop)
    return said


def candidate(suite: Suite, job: dict[str, Any], watch: Watch | None = None) -> dict[str, Any]:
    """Run a job in this process and return its report."""
    sources = {**suite.sources, **job["files"]}
    ticks = Ticks()
    ticks.reset(job["ticks"])
    program = Program(sources, ticks.tick, suite.cache, suite.roots)
    report: dict[str, Any] = {"stage": "run", "rows": [], "error": ""}
    tracer = Tracer(frozenset(sources)) if job.get("trace") else None
    try:
        for path in suite.targets:
            program.compile(path)
    except (SyntaxError, ValueError, RecursionError) as error:
        return {**report, "stage": "syntax", "error": f"{type(error).__name__}: {error}"[:300]}
    program.install()
    try:
        if tracer:
            tracer.start()
        for path in suite.loaded:
            program.load(path)
        if tracer:
            tracer.stop()
    except (OutOfTicks, OutOfTime) as error:
        return {**report, "stage": "timeout", "error": type(error).__name__}
    except BaseException as error:  # every way to fail at import is an outcome
        return {**report, "stage": "import", "error": f"{type(error).__name__}: {error}"[:300]}
    runner = Runner(program, ticks, suite.targets, suite.codes)
    if job.get("tell"):
        return {**report, "answers": told(suite, runner, job)}
    if job.get("probes"):
        return {**report, "answers": answered(suite, runner, job)}
    if suite.own is not None:
        own = suite.own

        def loop(owned: Any) -> None:
            report.update(run_units(owned, job, suite.units, tracer, watch))

        own.session(runner, loop)
    else:
        report |= run_units(runner, job, suite.units, tracer, watch)
    if tracer:
        report["trace"] = tracer.report()
    return report


def child(suite: Suite, job: dict[str, Any], pipe: int, nonce: str) -> None:
    """Be the candidate process: drop everything inherited, set limits, run, report, end."""
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.closerange(3, pipe)
    os.closerange(pipe + 1, 64)
    watch = apply_limits(job["limits"], job["wall"], job["idle"])
    try:
        report = candidate(suite, job, watch)
    except OutOfTime:
        report = {"stage": "timeout", "error": "OutOfTime", "rows": []}
    for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL):
        signal.setitimer(timer, 0)
    write_frame(pipe, [nonce, report])


def collect(pid: int, pipe: int, nonce: str, wall: float, limit: int) -> dict[str, Any]:
    """Wait for the report of a candidate, at most `wall` seconds and `limit` bytes; then end all of it."""
    end = time.monotonic() + wall
    data = b""
    while (left := end - time.monotonic()) > 0:
        if not select.select([pipe], [], [], left)[0]:
            break
        part = os.read(pipe, 1 << 16)
        if not part or len(data) > limit:
            break
        data += part
        if len(data) >= 4 and len(data) >= 4 + int.from_bytes(data[:4], "big"):
            break
    late = time.monotonic() >= end
    for who in (-1, pid):  # -1 reaches every process of this namespace but its first and this one
        try:
            os.kill(who, signal.SIGKILL)
        except ProcessLookupError:
            continue
    _, status = os.waitpid(pid, 0)
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            continue
    except ChildProcessError:
        pass
    try:
        claimed, report = json.loads(data[4:])
        if claimed == nonce and type(report) is dict:
            return report
    except (ValueError, TypeError):
        pass
    reason = "timeout" if late else "killed"
    return {"stage": reason, "error": f"ended without a report, status {status}", "rows": []}


def prepare(suite: Suite, job: dict[str, Any]) -> None:
    """Compile changed files before the fork, which spares the candidate's process most of its memory.

    Compiling runs nothing. An error is left for the candidate to meet again and report.
    """
    for path, text in job["files"].items():
        if len(text) <= PREPARED:
            program = Program({path: text}, Ticks().tick, suite.cache, suite.roots)
            with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
                program.compile(path)


def forget(suite: Suite, job: dict[str, Any]) -> None:
    """Drop what was compiled for one candidate."""
    for path, text in job["files"].items():
        if suite.sources.get(path) != text:
            suite.cache.pop((path, text), None)


def perform(suite: Suite, job: dict[str, Any]) -> dict[str, Any]:
    """Fork a candidate and return its report."""
    prepare(suite, job)
    try:
        return forked(suite, job)
    finally:
        forget(suite, job)


def forked(suite: Suite, job: dict[str, Any]) -> dict[str, Any]:
    """Run a job in a process of its own."""
    nonce = secrets.token_hex(8)
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(reader)
            child(suite, job, writer, nonce)
        finally:
            os._exit(0)
    os.close(writer)
    try:
        return collect(pid, reader, nonce, job["wall"], MAX_FRAME if job.get("trace") else RESULT_LIMIT)
    finally:
        os.close(reader)


def ready(message: dict[str, Any]) -> tuple[Suite | None, dict[str, Any]]:
    """Make the suite, or say what keeps it from being made; `missing` names a module that is not there."""
    try:
        return Suite(message), {"ok": True}
    except Exception as error:  # whatever pytest, or a library that is imported, raises
        missing = (error.name or "") if isinstance(error, ModuleNotFoundError) else ""
        return None, {"ok": False, "error": f"{type(error).__name__}: {error}"[:SAID], "missing": missing}


def serve(control: int, answers: int) -> None:
    """Answer requests until the other side closes."""
    suite: Suite | None = None
    while True:
        try:
            message = read_frame(control)
        except EOFError:
            return
        if message["op"] == "suite":
            suite, said = ready(message)
            gc.collect()
            gc.freeze()
            write_frame(answers, said)
        elif message["op"] == "jobs" and suite is not None:
            end = time.monotonic() + message["seconds"]
            for job in message["jobs"]:
                write_frame(answers, perform(suite, job) if time.monotonic() < end else None)


def main() -> None:
    """Serve on descriptors of our own, with the standard ones closed to candidates."""
    control, answers = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    undumpable()
    minipytest.install()
    sys.setrecursionlimit(1000)
    serve(control, answers)


def undumpable() -> None:
    """Close this process's memory to its siblings of the same user."""
    import ctypes

    pr_set_dumpable = 4
    ctypes.CDLL(None, use_errno=True).prctl(pr_set_dumpable, 0, 0, 0, 0)

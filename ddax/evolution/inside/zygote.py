"""The warm worker: holds the suite, forks one limited process per candidate, passes verdicts on.

Speaks frames on its standard input and output; candidates never see those descriptors. A job names
changed files, the units to run in order, and its limits.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import json
import os
import secrets
import select
import signal
import sys
import threading
import time
from collections.abc import Collection
from functools import partial
from types import CodeType
from typing import Any

from . import observing, ownpytest, probing
from .files import lay_out
from .frames import MAX_FRAME, read_frame, write_frame
from .limits import STRETCH, OutOfTime, Watch, apply_limits, kept_waiting
from .loading import OutOfTicks, Program, Ticks, module_names
from .telling import Teller
from .tracing import Tracer
from .units import Runner

PREPARED = 200_000
"""Characters of a file that is compiled ahead."""
STACK = 1 << 20
"""Bytes of the stack of a thread: of as much as threads have otherwise, few fit into a candidate's memory."""
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
        self.files = lay_out(message)
        self.examples = {
            path: _examples(self.sources[path]) for path in message["doctests"] if path in self.sources
        }
        self.own = ownpytest.Own(message) if message["runner"] == "pytest" else None
        self.codes = {
            key: compile(text, f"<{key}>", "exec", dont_inherit=True)
            for key, text in message["codes"].items()
        }
        tops = {name.partition(".")[0] for path in self.sources for name in module_names(path, self.roots)}
        for name in message["imports"]:
            preload(name, tops)


def preload(name: str, own: Collection[str]) -> None:
    """Import a library into the warm worker; a missing one is left for the tests to report.

    One that brings in an installed copy of the program is left to them, too.
    """
    before = set(sys.modules)
    try:
        __import__(name)
    except Exception:  # whatever a library raises, the tests meet it again
        return
    new = set(sys.modules) - before
    if any(module.partition(".")[0] in own for module in new):
        for module in new:
            del sys.modules[module]


def _examples(text: str) -> list[str]:
    """Return the docstrings of a file that show examples, in order; none of what is no program."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError):
        return []
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    said = [ast.get_docstring(node) or "" for node in nodes if isinstance(node, kinds)]
    return [text for text in said if ">>>" in text]


def run_units(
    runner: Any, job: dict[str, Any], units: list[dict[str, Any]], tracer: Tracer | None, watch: Watch | None
) -> dict[str, Any]:
    """Run the units of a job in order, the first `gate` of them as a gate for the rest.

    `still` is for how many seconds one of them only waited that did come to its end.
    """
    rows: list[list[Any]] = []
    still = 0.0
    failed = passed = 0
    loading = time.process_time()
    coming = [*job["units"][1:], None]
    for position, index in enumerate(job["units"]):
        if position == job["gate"] and failed:
            break
        if job["give_up"] and failed >= job["give_up"] and not passed:
            break
        if tracer:
            tracer.start()
        after = coming[position]
        following = units[after] if after is not None else None
        begin = time.process_time()
        outcome = runner.run(units[index], job["ticks"], job["allowed"][position], following)
        spent = time.process_time() - begin
        lines = tracer.stop() if tracer else []
        good = outcome.kind in ("pass", "skip")
        waited = watch.waited() if watch else 0.0
        still = max(still, waited if outcome.kind != "timeout" else 0.0)
        passed, failed = passed + good, failed + (not good)
        rows.append([index, *outcome, lines, spent])
        if outcome.name == "OutOfTime":
            break
    return {"rows": rows, "still": still, "loading": loading}


def answered(suite: Suite, runner: Runner, job: dict[str, Any], owner: Any) -> list[str]:
    """Answer each probe of a job: a variant of a test, what methods changed in these, or a call."""
    limit, varied = job["ticks"], any("unit" in row for row in job["probes"])
    effects = observing.Effects(runner.program) if varied else None

    def one(row: dict[str, Any]) -> str:
        if "unit" in row:
            return observing.observe(runner, suite.units[row["unit"]], row["text"], limit, owner)
        return str(effects) if "effects" in row else probing.answer(runner.program, runner.ticks, row, limit)

    return [one(row) for row in job["probes"]]


def told(suite: Suite, teller: Teller, job: dict[str, Any], owner: Any) -> list[str]:
    """Say of each unit of a job how it ended, with values; it runs on its own, so one may be told alone."""

    def raised(unit: dict[str, Any], seconds: float) -> BaseException | None:
        found = owner.run(unit, job["ticks"], seconds)
        good = found.kind in ("pass", "skip")
        return None if good else owner.last or AssertionError(f"{found.name}: {found.message}")

    pairs = zip(job["units"], job["allowed"], strict=True)
    return [teller.of(partial(raised, suite.units[index], seconds)) for index, seconds in pairs]


def act(
    suite: Suite, runner: Runner, job: dict[str, Any], tracer: Tracer | None, watch: Watch | None
) -> dict[str, Any]:
    """Do what a job asks for with the tests of a loaded program, which pytest runs or the `runner` itself."""
    report: dict[str, Any] = {}
    teller = None
    if job["tell"]:
        teller = Teller(suite.texts, {**suite.sources, **job["files"]})
        runner = Runner(runner.program, runner.ticks, suite.targets, teller.codes())
        if suite.own is not None:
            suite.own.codes |= teller.files()

    def loop(owner: Any) -> None:
        if job["cases"]:
            report["answers"] = owner.told()
        elif teller is not None:
            report["answers"] = told(suite, teller, job, owner)
        elif job["probes"]:
            report["answers"] = answered(suite, runner, job, owner)
        else:
            report.update(run_units(owner, job, suite.units, tracer, watch))

    if suite.own is None:
        loop(runner)
    else:
        suite.own.session(runner, loop)
    return report


def candidate(suite: Suite, job: dict[str, Any], watch: Watch | None = None) -> dict[str, Any]:
    """Run a job in this process and return its report."""
    sources = {**suite.sources, **job["files"]}
    ticks = Ticks()
    ticks.reset(job["ticks"], job["loading"])
    program = Program(sources, ticks.tick, suite.cache, suite.roots)
    report: dict[str, Any] = {"stage": "run", "rows": [], "error": ""}
    tracer = Tracer(frozenset(sources)) if job.get("trace") else None
    try:
        for path in suite.targets:
            program.compile(path)
    except (SyntaxError, ValueError, RecursionError) as error:
        return {**report, "stage": "syntax", "error": f"{type(error).__name__}: {error}"[:300]}
    if any(_examples(sources[path]) != shown for path, shown in suite.examples.items()):
        changed = "an example of a docstring was changed: these are tests"
        return {**report, "stage": "import", "error": changed}
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
    report |= act(suite, runner, job, tracer, watch)
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


def collect(pid: int, pipe: int, nonce: str, wall: float) -> dict[str, Any]:
    """Wait for the report of a candidate, at most `wall` seconds and a frame; then end all of it.

    Seconds in which other programs had the processor count for nothing, up to STRETCH times the `wall`.
    """
    begin = time.monotonic()
    data = b""
    while (left := begin + min(wall + kept_waiting(pid), STRETCH * wall) - time.monotonic()) > 0:
        if not select.select([pipe], [], [], left)[0]:
            continue
        part = os.read(pipe, 1 << 16)
        if not part or len(data) > MAX_FRAME:
            break
        data += part
        if len(data) >= 4 and len(data) >= 4 + int.from_bytes(data[:4], "big"):
            break
    late = left <= 0
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
    suite.files.put(job["files"])
    try:
        return forked(suite, job)
    finally:
        forget(suite, job)
        suite.files.restore()


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
        return collect(pid, reader, nonce, job["wall"])
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
        elif message["op"] == "units" and suite is not None:
            suite.units = message["units"]
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
    sys.setrecursionlimit(1000)
    threading.stack_size(STACK)
    serve(control, answers)


def undumpable() -> None:
    """Close this process's memory to its siblings of the same user."""
    import ctypes

    pr_set_dumpable = 4
    ctypes.CDLL(None, use_errno=True).prctl(pr_set_dumpable, 0, 0, 0, 0)

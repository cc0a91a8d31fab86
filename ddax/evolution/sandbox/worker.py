"""A warm worker in a sandbox, seen from outside: jobs go in, reports come out, nothing is believed."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import struct
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib.resources import files
from typing import Any, Literal

from ddax.errors import SandboxError, SourceError
from ddax.evolution.inside.frames import MAX_FRAME, write_frame
from ddax.evolution.inside.limits import STRETCH
from ddax.evolution.sandbox.protocol import FLOOR, SLACK, Limits, Pace, Sandbox

Also = Literal["", "trace", "tell", "cases"]
"""What a job answers beside the verdicts."""
UNLIMITED = 1e9
"""Seconds that never run out."""
LOADING = 0.3
"""Seconds of the processor that a program may use in any case until it is loaded."""
MEND = "Try again; where it happens again, see what this machine allows: ddax doctor"
PYTEST = ("pytest", "_pytest")
"""The modules that are not there where pytest is not installed."""
_CODE = "import sys; sys.path[:0] = ['/ddax']; sys.path += {path!r}; from inside.{entry} import main; main()"


def inside_files() -> dict[str, str]:
    """Return the texts of the package that runs inside, by their path under `/ddax`."""
    root = files("ddax.evolution.inside")
    return {f"inside/{f.name}": f.read_text("utf-8") for f in root.iterdir() if f.name.endswith(".py")}


def start_inside(sandbox: Sandbox, entry: str, limits: Limits) -> subprocess.Popen[bytes]:
    """Start the `main` of one of the inside modules in a sandbox."""
    path = list(getattr(getattr(sandbox, "runtime", None), "path", ()))
    return sandbox.start(_CODE.format(path=path, entry=entry), inside_files(), limits=limits)


class Channel:
    """Reads frames of a process with a deadline; the process's words are data, never trusted."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        if process.stdin is None or process.stdout is None:
            raise ValueError("the process needs pipes on standard input and output")
        self.process, self.buffer = process, bytearray()
        self.write_fd, self.read_fd = process.stdin.fileno(), process.stdout.fileno()

    def send(self, value: Any) -> None:
        """Send a frame; raises SandboxError where the process is gone."""
        try:
            write_frame(self.write_fd, value)
        except OSError as error:
            raise SandboxError("The sandbox ended unexpectedly.", why=f"{error}.", mend=MEND) from error

    def _fill(self, size: int, end: float) -> None:
        while len(self.buffer) < size:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.read_fd], [], [], left)[0]:
                raise TimeoutError("the sandbox did not answer in time")
            part = os.read(self.read_fd, 1 << 16)
            if not part:
                raise EOFError("the sandbox ended")
            self.buffer += part

    def receive(self, seconds: float) -> bytes:
        """Return the body of the next frame; raises TimeoutError, EOFError or ValueError."""
        end = time.monotonic() + seconds
        self._fill(4, end)
        size = struct.unpack(">I", self.buffer[:4])[0]
        if size > MAX_FRAME:
            raise ValueError("a frame of the sandbox is too long")
        self._fill(4 + size, end)
        body = bytes(self.buffer[4 : 4 + size])
        del self.buffer[: 4 + size]
        return body

    def close(self) -> None:
        """End the process and everything in its namespace."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def _unready(answer: Any, python: str) -> SourceError | SandboxError:
    """Return the error of tests that the worker could not make ready, from what it says of them."""
    said = answer if isinstance(answer, dict) else {}
    if str(said.get("missing", "")).partition(".")[0] in PYTEST:
        return SourceError(
            "pytest is not installed for this Python.",
            why=f"The tests need pytest itself, and {python or 'the Python of the sandbox'} has none.",
            mend="Install it there (pip install pytest), or name a Python that has it: --python OTHER",
        )
    return SandboxError(
        "The tests could not be made ready in the sandbox.",
        why=f"{said.get('error') or 'The worker gave no reason'}.",
        mend="Run them by themselves with the same Python to see where they fail.",
    )


class Worker:
    """Runs jobs in a warm sandbox; restarts it where a candidate has brought it down."""

    def __init__(self, sandbox: Sandbox, suite: Mapping[str, Any], *, limits: Limits) -> None:
        site = list(getattr(getattr(sandbox, "runtime", None), "path", ()))
        self.sandbox, self.suite, self.limits = sandbox, {**suite, "site": site}, limits
        self.pace = Pace()
        self.channel: Channel | None = None
        self.restarts = 0

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_details: object) -> None:
        self.close()

    def open(self) -> Channel:
        """Start the worker where it is not running."""
        if self.channel is None:
            self.channel = Channel(start_inside(self.sandbox, "zygote", self.limits))
            self.channel.send({"op": "suite", **self.suite})
            try:
                answer = json.loads(self.channel.receive(30.0))
            except (EOFError, TimeoutError, ValueError) as error:
                self.close()
                raise SandboxError("The sandbox did not start.", why=f"{error}.", mend=MEND) from error
            if answer != {"ok": True}:
                self.close()
                raise _unready(answer, getattr(getattr(self.sandbox, "runtime", None), "host", ""))
        return self.channel

    def recast(self, units: Sequence[Mapping[str, Any]]) -> None:
        """Take other units of the same tests from here on."""
        self.suite["units"] = list(units)
        if self.channel is not None:
            self.channel.send({"op": "units", "units": self.suite["units"]})

    def close(self) -> None:
        """End the worker; a later job starts a new one."""
        if self.channel is not None:
            self.channel.close()
            self.channel = None

    def run(self, jobs: Sequence[Mapping[str, Any]], *, seconds: float = UNLIMITED) -> Iterator[bytes]:
        """Yield the raw report of each job in order; b"null" for those not begun within so many `seconds`.

        A job that brings the worker down is reported as killed and the rest goes on in a new one.
        """
        pending, end = [dict(job) for job in jobs], time.monotonic() + seconds
        while pending:
            channel = self.open()
            try:
                left = max(0.0, end - time.monotonic())
                channel.send({"op": "jobs", "jobs": pending, "seconds": left})
                while pending:
                    body = channel.receive(STRETCH * pending[0]["wall"] + 5.0)
                    pending.pop(0)
                    yield body
            except (EOFError, TimeoutError, ValueError, SandboxError):
                self.close()
                self.restarts += 1
                pending.pop(0)
                yield b'{"stage":"killed","error":"the worker was brought down","rows":[]}'

    def job(
        self,
        units: Sequence[int],
        *,
        sources: Mapping[str, str] | None = None,
        gate: int = 0,
        give_up: int = 0,
        ticks: int = 0,
        cpu: float | None = None,
        memory: int | None = None,
        idle: float = 0.0,
        probes: Sequence[Mapping[str, Any]] = (),
        also: Also = "",
        patience: float = 1.0,
    ) -> dict[str, Any]:
        """Describe a job: changed files, units in order, and when to stop early.

        A unit may use `ticks` rounds for nothing, then as much of the processor as it is allowed by the pace
        of the unchanged program, `patience` times the least of it. One that only waits is ended after `idle`
        seconds without a stir, if these are given. It may `also` trace lines, tell what a person would look
        at in each unit, or answer with the cases of each test function.
        """
        limits = asdict(self.limits)
        if cpu is not None:
            limits["cpu"] = min(max(cpu, self.pace.whole(units)), self.limits.cpu)
        if memory is not None:
            limits["memory"] = min(memory, self.limits.memory)
        wall = min(self.limits.wall, 2.0 * limits["cpu"] + 2.0)
        return {
            "files": dict(sources or {}),
            "units": list(units),
            "gate": gate or len(units),
            "give_up": give_up,
            "ticks": ticks,
            "allowed": [self.pace.allowed(unit, patience) for unit in units],
            "loading": max(LOADING, patience * FLOOR, SLACK * self.pace.loading),
            "cases": also == "cases",
            "limits": limits,
            "wall": wall,
            "idle": idle,
            "trace": also == "trace",
            "probes": list(probes),
            "tell": also == "tell",
        }

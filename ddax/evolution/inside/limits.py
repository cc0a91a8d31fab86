"""Limits of one candidate process, set between fork and the first line of foreign code."""

from __future__ import annotations

import resource
import signal
from collections.abc import Mapping
from types import FrameType

MIB = 1 << 20
WAITING = 0.8
"""Share of the wall time that a candidate may only wait."""


class OutOfTime(BaseException):
    """Say that the processor time of a candidate is used up."""


def _expire(_signum: int, _frame: FrameType | None) -> None:
    raise OutOfTime


def in_use() -> int:
    """Return the bytes of address space this process has: large libraries are loaded before the limit."""
    with open("/proc/self/statm") as stream:
        return int(stream.read().split()[0]) * resource.getpagesize()


def apply_limits(limits: Mapping[str, float], wall: float = 0.0) -> None:
    """Set the resource limits and the processor timer of this process.

    `cpu` is in seconds, `memory` and `file` in MiB, `processes` and `files` are counts. The timer
    raises OutOfTime first; the kernel's own limit kills a program that catches it. Where `wall` seconds
    are given, one that only waits is stopped shortly before they are over, so that it can be said where.
    """
    cpu = limits["cpu"]
    seconds = int(cpu) + 2
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    for what, value in (
        (resource.RLIMIT_AS, in_use() + int(limits["memory"] * MIB)),
        (resource.RLIMIT_FSIZE, int(limits["file"] * MIB)),
        (resource.RLIMIT_NPROC, int(limits["processes"])),
        (resource.RLIMIT_NOFILE, int(limits["files"])),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (value, value))
    signal.signal(signal.SIGPROF, _expire)
    signal.setitimer(signal.ITIMER_PROF, cpu, 0.2)
    if wall:
        signal.signal(signal.SIGALRM, _expire)
        signal.setitimer(signal.ITIMER_REAL, WAITING * wall, 0.2)
    # One long operation of the interpreter (a huge power) hears no handler; this one ends it outright.
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_VIRTUAL, 1.5 * cpu + 0.1)

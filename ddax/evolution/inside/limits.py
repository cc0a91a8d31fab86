"""Limits of one candidate process, set between fork and the first line of foreign code."""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Mapping
from types import FrameType

MIB = 1 << 20
WAITING = 0.8
"""Share of the wall time that a candidate may only wait."""
LOOK, STILL, BUSY = 0.1, 0.0005, 0.005
"""Seconds between two looks at a candidate, and of the processor used since: where it stirs, and computes."""

STRETCH = 4.0
"""Times its wall time that a candidate may last on a busy machine."""


class OutOfTime(BaseException):
    """Say that the processor time of a candidate is used up."""


class Watch:
    """Looks whether a candidate only waits; ends it after `wall` seconds, or `idle` without a stir.

    Looks are counted, not seconds: one that gets no processor is not looked at either.
    """

    def __init__(self, wall: float, idle: float) -> None:
        self.end, self.idle = time.monotonic() + WAITING * wall, idle
        self.used, self.looks, self.longest = time.process_time(), 0, 0.0

    def look(self, _signum: int, _frame: FrameType | None) -> None:
        """Count a look at which nothing stirred; raises OutOfTime where these are too many."""
        spent = time.process_time() - self.used
        self.looks = 0 if spent > STILL or _has_children() else self.looks + 1
        still = self.looks * LOOK
        self.longest, self.used = max(self.longest, still), time.process_time()
        late = time.monotonic() >= self.end and spent < BUSY  # what computes has its processor time
        if late or (self.idle and still >= self.idle):
            raise OutOfTime

    def waited(self) -> float:
        """Return for how many seconds nothing stirred at most since this was asked before."""
        longest, self.longest, self.looks = self.longest, 0.0, 0
        return longest


def _has_children() -> bool:
    """Say whether this process waits for others, or nothing is known of it."""
    try:
        for thread in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{thread}/children") as stream:
                if stream.read().strip():
                    return True
    except OSError:
        return True
    return False


def kept_waiting(pid: int) -> float:
    """Return for how many seconds a process could have run while others had the processor; 0.0 if unknown."""
    try:
        with open(f"/proc/{pid}/schedstat") as stream:
            return int(stream.read().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


def _expire(_signum: int, _frame: FrameType | None) -> None:
    raise OutOfTime


def in_use() -> int:
    """Return the bytes of address space this process has: large libraries are loaded before the limit."""
    with open("/proc/self/statm") as stream:
        return int(stream.read().split()[0]) * resource.getpagesize()


def apply_limits(limits: Mapping[str, float], wall: float = 0.0, idle: float = 0.0) -> Watch | None:
    """Set the resource limits and the processor timer of this process; return who looks whether it waits.

    `cpu` is in seconds, `memory` and `file` in MiB, `processes` and `files` are counts. The timer
    raises OutOfTime first; the kernel's own limit kills a program that catches it. Where `wall` seconds
    are given, one that only waits is stopped shortly before they are over, so that it can be said where,
    and earlier where nothing stirred for `idle` seconds, if these are given.
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
    # One long operation of the interpreter (a huge power) hears no handler; this one ends it outright.
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_VIRTUAL, 1.5 * cpu + 0.1)
    if not wall:
        return None
    watch = Watch(wall, idle)
    signal.signal(signal.SIGALRM, watch.look)
    signal.setitimer(signal.ITIMER_REAL, LOOK, LOOK)
    return watch

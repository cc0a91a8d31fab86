"""Count the cores, as what works side by side shares itself out over them, and the time without one."""

from __future__ import annotations

import os
from pathlib import Path

_THREADS = Path("/proc/self/task")
_NANO = 1e-9


def usable_cores() -> int:
    """Count the cores that this process may use; all of the machine where the system cannot tell."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def withheld() -> float:
    """Return the seconds that threads of this process were ready and had no core; 0 where nobody counts."""
    total = 0
    for thread in _THREADS.glob("*/schedstat"):
        try:
            total += int(thread.read_bytes().split()[1])
        except (OSError, IndexError, ValueError):  # the thread has just ended, or the system counts nothing
            continue
    return total * _NANO

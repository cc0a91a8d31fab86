"""Count the cores, as what works side by side shares itself out over them."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """Count the cores that this process may use; all of the machine where the system cannot tell."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(affinity(0)) if affinity else os.cpu_count() or 1

"""Make event loops: those of uvloop where it is installed, which turn with less work, else those of Python.

Used for the loops that are ours: of a command, and of an agent in code without async. Whoever has a loop
keeps it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return what makes a loop of uvloop; None stands for those of Python."""
    try:
        import uvloop
    except ImportError:  # it is there for Linux and macOS alone
        return None
    return uvloop.new_event_loop

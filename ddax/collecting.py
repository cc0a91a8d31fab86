"""Let the garbage collector look for cycles as seldom as a run needs, for as long as something is open.

A full look walks every object of the libraries, hundreds of thousands. Leaves out a process that has switched
the collector off, or set it to look more seldom still.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

SELDOM = (100_000, 20, 20)
"""New objects between two looks at the youngest, and so many of these between two looks at older ones."""

_lock = RLock()
"""May be taken again inside itself: the collector may end a block that was dropped wherever it looks."""
_before: list[tuple[int, int, int]] = []
_open: list[object] = []


@contextmanager
def seldom() -> Iterator[None]:
    """Set the collector for the length of the block; the last block that ends sets it back.

    Cycles that were made in the block are taken away at its first look behind it.
    """
    me = object()
    with _lock:
        _open.append(me)
        if len(_open) == 1 and 0 < gc.get_threshold()[0] < SELDOM[0]:
            _before.append(gc.get_threshold())
            gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        with _lock:
            _open.remove(me)
            if not _open and _before:
                _set_back(_before.pop())


def _set_back(before: tuple[int, int, int]) -> None:
    """Set the collector as it was, unless somebody else has set it since."""
    if gc.get_threshold() == SELDOM:
        gc.set_threshold(*before)

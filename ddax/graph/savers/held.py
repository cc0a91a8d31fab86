"""What channels stored as changes came to when they were last read, so that the next read goes on from there.

What a checkpoint comes to never changes. A follow-up reads its thread a few times: each read decodes what was
written since the one before it, where the thread is among those that were read last; what is given out is
copied, which takes longer the longer the thread is, but lent to whoever only looks (`lent`). Only the
channels of ddax's own graph are kept, for only their reducers are known here: a graph inside it has a
namespace, and may have others under the same names. The index of the ideas (`ddax.ideas.indexed`) stays with
them. Leaves out how a thread is walked (`ddax.graph.savers.walking`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from langgraph._internal._typing import MISSING

from ddax.graph.savers.pruning import delta_channels

if TYPE_CHECKING:
    from langgraph.checkpoint.base import DeltaChannelHistory

THREADS = 16
"""Threads whose newest values are kept; beyond, the one that was read longest ago is let go of."""

Place = tuple[str, str]
"""A thread and a namespace of it."""
OURS = ""
"""The namespace of ddax's own graph."""
_LENT = ContextVar("lent", default=False)


@contextmanager
def lent() -> Iterator[None]:
    """Have what is read within the block lent and not copied: whoever reads changes nothing."""
    before = _LENT.set(True)
    try:
        yield
    finally:
        _LENT.reset(before)


def is_lent() -> bool:
    """Tell whether whoever reads only looks."""
    return _LENT.get()


def is_kept(ns: str, key: str) -> bool:
    """Tell whether the values of a channel are kept: of one whose reducer is known."""
    return ns == OURS and key in delta_channels()


class Held:
    """The value of each channel of a thread where it was last read, which nobody may change."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Place, dict[str, tuple[str, Any]]] = OrderedDict()

    def at(self, place: Place, checkpoint: str) -> dict[str, Any]:
        """Return the values that are known as of a checkpoint."""
        kept = self._kept.get(place, {})
        return {key: value for key, (where, value) in kept.items() if where == checkpoint}

    def keep(self, place: Place, checkpoint: str, key: str, history: DeltaChannelHistory) -> Any:
        """Keep and return what a history comes to."""
        channel = delta_channels()[key].from_checkpoint(history.get("seed", MISSING))
        channel.replay_writes(history["writes"])
        value = channel.get()
        self._kept.setdefault(place, {})[key] = checkpoint, value
        self._kept.move_to_end(place)
        while len(self._kept) > THREADS:
            self._kept.popitem(last=False)
        return value

    def forget(self, thread: str) -> None:
        """Let go of what is known of a thread."""
        for place in [place for place in self._kept if place[0] == thread]:
            del self._kept[place]

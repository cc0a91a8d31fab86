"""Walk back from a checkpoint to where its channels were stored whole, without reading what lies between.

LangGraph notes in the metadata of a checkpoint how long ago each channel was stored whole. So of all those
that are passed only this note is read; the checkpoint itself only where it may hold such a channel. Leaves
out what is done with what is found (`ddax.graph.savers.sqlite`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import orjson

ANCESTORS = (
    "WITH RECURSIVE chain(id, parent, metadata) AS ("
    " SELECT checkpoint_id, parent_checkpoint_id, metadata FROM checkpoints"
    " WHERE thread_id = ?1 AND checkpoint_ns = ?2 AND checkpoint_id = ?3"
    " UNION ALL"
    " SELECT c.checkpoint_id, c.parent_checkpoint_id, c.metadata FROM chain CROSS JOIN checkpoints c"
    " ON c.checkpoint_id = chain.parent WHERE c.thread_id = ?1 AND c.checkpoint_ns = ?2)"
    " SELECT id, coalesce(parent, ''), metadata FROM chain"
)
"""A checkpoint and those before it, nearest first; SQLite brings each only when it is asked for."""
COUNTERS = "counters_since_delta_snapshot"


@dataclass
class Walk:
    """What a walk has found: by channel the checkpoints passed, nearest first, and what was stored whole."""

    seeking: set[str]
    passed: dict[str, list[str]] = field(default_factory=dict)
    seeds: dict[str, Any] = field(default_factory=dict)
    _been: set[str] = field(default_factory=set)

    def goes_on(self, checkpoint: str) -> bool:
        """Pass a checkpoint; tell whether there is anything left to look for, and it was not met before."""
        if not self.seeking or checkpoint in self._been:
            return False
        self._been.add(checkpoint)
        for channel in self.seeking:
            self.passed.setdefault(channel, []).append(checkpoint)
        return True

    def may_be_here(self, parent: str, metadata: bytes | str) -> bool:
        """Tell whether the checkpoint may hold a channel that is looked for.

        One that was written anew when those before it were let go of is the first, whatever it notes.
        """
        return not parent or not self.seeking <= set(orjson.loads(metadata).get(COUNTERS) or ())

    def take(self, values: dict[str, Any]) -> None:
        """Take what a checkpoint holds of the channels that are looked for."""
        for channel in self.seeking & set(values):
            self.seeds[channel] = values[channel]
            self.seeking.discard(channel)


def writes_query(places: Iterable[str]) -> str:
    """Return the query for what was written to a channel onto checkpoints, in the order it was applied."""
    marks = ",".join("?" for _ in places)
    return (
        "SELECT checkpoint_id, task_id, type, value FROM writes"  # noqa: S608  # marks
        f" WHERE thread_id = ? AND checkpoint_ns = ? AND channel = ? AND checkpoint_id IN ({marks})"
        " ORDER BY task_path, task_id, idx"
    )

"""Read from a file of checkpoints what the channels stored as changes came to.

Each read goes on from what the one before it found (`ddax.graph.savers.held`), else from where the channel
was last stored whole (`ddax.graph.savers.walking`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ddax.copying import copied
from ddax.graph.savers.held import Held, is_kept, is_lent
from ddax.graph.savers.walking import ANCESTORS, Walk, writes_query
from ddax.ideas.indexed import Dag

if TYPE_CHECKING:
    import aiosqlite
    from langgraph.checkpoint.base import DeltaChannelHistory
    from langgraph.checkpoint.serde.base import SerializerProtocol

MOST_MARKS = 500
"""Checkpoints that one query names."""


class Histories:
    """The histories of the threads in one file; whoever asks holds the lock of its connection."""

    def __init__(self, conn: aiosqlite.Connection, serde: SerializerProtocol) -> None:
        self._conn, self._serde = conn, serde
        self.held = Held()

    async def read(
        self, start: tuple[str, str, str], channels: Sequence[str]
    ) -> dict[str, DeltaChannelHistory]:
        """Return what channels were as of a checkpoint: a value, and what was written since it."""
        known = self.held.at(start[:2], start[2])
        seeking = [key for key in channels if key not in known]
        walk = await self._walked(start, set(seeking))
        found: dict[str, DeltaChannelHistory] = {}
        for key in seeking:
            found[key] = await self._since((*start[:2], key), walk)
            nothing = not found[key]["writes"] and "seed" not in found[key]
            if start[2] and is_kept(start[1], key) and not nothing:
                known[key] = self.held.keep(start[:2], start[2], key, found[key])
        found |= {key: {"seed": given(known[key]), "writes": []} for key in channels if key in known}
        return found

    async def _walked(self, start: tuple[str, str, str], channels: set[str]) -> Walk:
        """Walk back from a checkpoint until each channel was found whole, or to the beginning."""
        walk = Walk(channels)
        async with self._conn.execute(ANCESTORS, start) as cursor:
            async for checkpoint, parent, metadata in cursor:
                if checkpoint == start[2]:
                    continue  # what is written onto it belongs to the step after it
                if not walk.goes_on(checkpoint):
                    break
                walk.take(self.held.at(start[:2], checkpoint))
                if walk.seeking and walk.may_be_here(parent, metadata):
                    walk.take(await self._values((*start[:2], checkpoint)))
        return walk

    async def _values(self, place: tuple[str, str, str]) -> dict[str, Any]:
        query = (
            "SELECT type, checkpoint FROM checkpoints"
            " WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?"
        )
        async with self._conn.execute(query, place) as cursor:
            row = await cursor.fetchone()
        return dict(self._serde.loads_typed((row[0], row[1]))["channel_values"]) if row is not None else {}

    async def _since(self, place: tuple[str, str, str], walk: Walk) -> DeltaChannelHistory:
        """Return the seed of a channel and what was written to it since."""
        channel, passed = place[2], walk.passed.get(place[2], [])
        rows: dict[str, list[tuple[str, str, Any]]] = {}
        for at in range(0, len(passed), MOST_MARKS):
            part = passed[at : at + MOST_MARKS]
            found = await self._conn.execute_fetchall(writes_query(part), (*place, *part))
            for checkpoint, task, kind, value in found:
                plain = self._serde.loads_typed((kind, value))
                rows.setdefault(checkpoint, []).append((task, channel, plain))
        writes = [one for checkpoint in reversed(passed) for one in rows.get(checkpoint, ())]
        history: DeltaChannelHistory = {"writes": writes}
        if channel in walk.seeds:
            history["seed"] = walk.seeds[channel]
        return history


def given(value: Any) -> Any:
    """Return a value for somebody who may change it, as deep as it goes; to whoever only looks it is lent."""
    if is_lent():
        return value
    return value.own() if isinstance(value, Dag) else copied(value)

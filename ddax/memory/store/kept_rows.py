"""The rows of the memory, read once and kept: each recall weighs the same ones again.

A row is known by the sums that stand beside it, so one that was changed is read again, whoever changed it;
which rows there are, and who has seen them, is asked at every look.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import TypeAlias

from ddax.memory.scoring import Floats
from ddax.memory.store.migrations import Connection
from ddax.memory.store.sqlite_upkeep import COLUMNS, floats, record_of
from ddax.types import Record

KEPT = 4096
"""Rows that are kept (15 MB); where there are more, all are read anew."""
_SUMS, _NONE = "sum, vector_sum", "0, 0"
_LOOK = (
    "SELECT id, {}, (SELECT step FROM sighting s WHERE s.id = m.id AND s.task = ?), committed FROM memory m "
    "WHERE +ns = ? AND id IN (SELECT value FROM json_each(?))"
)
_READ = f"SELECT {COLUMNS}, {{}}, vector FROM memory WHERE +ns = ? AND id IN (SELECT value FROM json_each(?))"  # noqa: S608 - constants

Mark: TypeAlias = tuple[str, object, object]
"""The id of a row, and the sums of what it says and of its vector."""
Seen: TypeAlias = tuple[Record, Floats, int | None, float]
"""A row and its vector, the first step in which a task saw it, and when it was committed."""


class KeptRows:
    """The rows as they were last read; a reader, whose record may be one without sums, keeps none."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db, self._most = db, KEPT if isinstance(db, Connection) else 0
        self._look, self._read = (sql.format(_SUMS if self._most else _NONE) for sql in (_LOOK, _READ))
        self._kept: dict[Mark, tuple[Record, Floats]] = {}

    def seen(self, ns: str, ids: Sequence[str], task: str) -> list[Seen]:
        """Return the rows that there are, as a task saw them; who gives one out gives out a copy."""
        found = self._db.execute(self._look, (task, ns, json.dumps(list(ids)))).fetchall()
        kept, lacking = self._kept, [str(row[0]) for row in found if row[:3] not in self._kept]
        if lacking:
            kept = self._kept | self._fresh(ns, lacking)
            self._kept = kept if len(kept) <= self._most else {}
        return [(*kept[row[:3]], row[3], row[4]) for row in found]

    def _fresh(self, ns: str, ids: Sequence[str]) -> dict[Mark, tuple[Record, Floats]]:
        rows = self._db.execute(self._read, (ns, json.dumps(ids)))
        return {(row[0], row[15], row[16]): (record_of(row), floats(row[17])) for row in rows}

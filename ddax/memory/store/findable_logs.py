"""The rows of logs that are found by meaning, read once and kept: a task looks at all of them over and over.

A row is known by the sums that stand beside it, so one that was changed, taken away or never committed is
seen at the next look, whoever changed it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from ddax.memory.scoring import Floats
from ddax.memory.store.sqlite_upkeep import floats
from ddax.types import JsonDict

KEPT = 4096
"""Rows of one log that are kept (10 MB); the rows of a longer one are read anew each time."""
_SUMS, _NONE = "sum, vector_sum", "0, 0"
_MARKS = "SELECT seq, {} FROM log WHERE ns = ? AND name = ? AND created < ? ORDER BY seq"
_ROWS = "SELECT seq, {}, key, row, vector FROM log WHERE seq IN (SELECT value FROM json_each(?))"

Mark: TypeAlias = tuple[int, object, object]
"""The number of a row, and the sums of what it says and of its vector."""
Item: TypeAlias = tuple[str, JsonDict, Floats]


class FoundRows:
    """The rows of each log of a namespace, as they were last read.

    A reader, whose record may be an older one without sums, keeps none.
    """

    def __init__(self, db: sqlite3.Connection, *, reading: bool = False) -> None:
        self._db, self._most = db, 0 if reading else KEPT
        self._marks, self._rows = (sql.format(_NONE if reading else _SUMS) for sql in (_MARKS, _ROWS))
        self._kept: dict[tuple[str, str], dict[Mark, Item]] = {}

    def of(self, ns: str, table: str, now: float) -> Iterator[Item]:
        """Yield (key, row, vector) of the rows of a log committed before `now`, oldest first.

        The rows are those that are kept: who gives one out gives out a copy.
        """
        marks: list[Mark] = self._db.execute(self._marks, (ns, table, now)).fetchall()
        kept = self._kept.get((ns, table), {})
        lacking = [mark for mark in marks if mark not in kept]
        if lacking:
            kept = {mark: kept[mark] for mark in marks if mark in kept} | self._read(lacking)
            self._kept[ns, table] = kept if len(kept) <= self._most else {}
        for mark in marks:
            key, row, vector = kept[mark]
            yield key, row, vector

    def _read(self, marks: Sequence[Mark]) -> dict[Mark, Item]:
        found = self._db.execute(self._rows, (json.dumps([seq for seq, _, _ in marks]),))
        return {
            (seq, total, of_vector): (str(key), json.loads(row), floats(vector))
            for seq, total, of_vector, key, row, vector in found
        }

"""The rows of logs that are found by meaning, read once and kept: a task looks at all of them over and over.

While rows are only added, a look reads the new ones alone, however many there are. Where anything else was
done, each row is known by the sums that stand beside it, so one that was changed, taken away or never
committed is seen at the next look, whoever changed it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from ddax.memory.scoring import Floats
from ddax.memory.store.changes import Changes, Stamp
from ddax.memory.store.migrations import Connection
from ddax.memory.store.sqlite_upkeep import floats
from ddax.types import JsonDict

KEPT = 4096
"""Rows of one log that are kept (20 MB); the rows of a longer one are read anew each time."""
_SUMS, _NONE = "sum, vector_sum", "0, 0"
_MARKS = "SELECT seq, {} FROM log WHERE ns = ? AND name = ? ORDER BY seq"
# By `+ns` the newest rows are walked, where SQLite would else walk the whole log.
_ADDED = "SELECT seq, {} FROM log WHERE +ns = ? AND +name = ? AND seq > ? ORDER BY seq"
_ROWS = "SELECT seq, {}, key, row, vector, created FROM log WHERE seq IN (SELECT value FROM json_each(?))"

Mark: TypeAlias = tuple[int, object, object]
"""The number of a row, and the sums of what it says and of its vector."""


class Item(NamedTuple):
    """A row as it was read."""

    key: str
    row: JsonDict
    vector: Floats
    created: float


class Findable(NamedTuple):
    """Rows of a log as (key, row), oldest first, and their vectors `[n, d]`.

    The rows are those that are kept: who gives one out gives out a copy.
    """

    rows: list[tuple[str, JsonDict]]
    vectors: Floats


class Shelf:
    """Rows with their vectors side by side, so that a look goes through none of them by itself."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._rows: list[tuple[str, JsonDict]] = []
        self._created, self._vectors = np.zeros(0), np.zeros((0, 0), np.float32)
        self.add(items)

    def add(self, items: Iterable[Item]) -> None:
        """Take rows that are newer than those that are there."""
        if new := list(items):
            vectors = np.stack([item.vector for item in new])
            self._vectors = np.concatenate([self._vectors, vectors]) if self._rows else vectors
            self._created = np.concatenate([self._created, [item.created for item in new]])
            self._rows += [(item.key, item.row) for item in new]

    def before(self, now: float) -> Findable:
        """Return the rows that were committed before a time."""
        (found,) = np.nonzero(self._created < now)
        if len(found) == len(self._rows):
            return Findable(list(self._rows), self._vectors)
        return Findable([self._rows[n] for n in found.tolist()], self._vectors[found])


class Kept:
    """A log as it was read: its rows, and those of each kind that was asked for."""

    def __init__(self, stamp: Stamp | None, last: int, items: dict[Mark, Item]) -> None:
        self.stamp, self.last, self.items = stamp, last, items
        self._shelves: dict[str | None, Shelf] = {}

    def add(self, last: int, items: dict[Mark, Item]) -> None:
        """Take rows that were added to the log since, up to its row number `last`."""
        self.last = last
        self.items |= items
        for kind, shelf in self._shelves.items():
            shelf.add(_of_kind(items.values(), kind))

    def shelf(self, kind: str | None) -> Shelf:
        """Return the rows of one kind; None for all."""
        if kind not in self._shelves:
            self._shelves[kind] = Shelf(_of_kind(self.items.values(), kind))
        return self._shelves[kind]


class FoundRows:
    """The rows of each log of a namespace, as they were last read.

    A reader, whose record may be an older one without sums, keeps none.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db, self._most = db, KEPT
        self._changes = Changes(db, "log") if isinstance(db, Connection) else None
        sums = _NONE if self._changes is None else _SUMS
        self._marks, self._added, self._rows = (sql.format(sums) for sql in (_MARKS, _ADDED, _ROWS))
        self._kept: dict[tuple[str, str], Kept] = {}

    def of(self, ns: str, table: str, now: float, kind: str | None) -> Findable:
        """Return the rows of a log committed before `now`, of one kind or all, oldest first."""
        stamp = self._changes.stamp() if self._changes is not None else None
        (last,) = self._db.execute("SELECT coalesce(max(seq), 0) FROM log").fetchone()
        kept = self._kept.get((ns, table))
        if kept is None or kept.stamp != stamp:
            kept = self._anew(ns, table, stamp, last, {} if kept is None else kept.items)
        elif last > kept.last:
            kept.add(last, self._read(self._db.execute(self._added, (ns, table, kept.last)).fetchall()))
        if stamp is None or len(kept.items) > self._most:
            self._kept.pop((ns, table), None)
        else:
            self._kept[ns, table] = kept
        return kept.shelf(kind).before(now)

    def _anew(self, ns: str, table: str, stamp: Stamp | None, last: int, known: dict[Mark, Item]) -> Kept:
        marks: list[Mark] = self._db.execute(self._marks, (ns, table)).fetchall()
        items = known | self._read([mark for mark in marks if mark not in known])
        return Kept(stamp, last, {mark: items[mark] for mark in marks})

    def _read(self, marks: Sequence[Mark]) -> dict[Mark, Item]:
        if not marks:
            return {}
        found = self._db.execute(self._rows, (json.dumps([seq for seq, _, _ in marks]),))
        return {
            (seq, total, of_vector): Item(str(key), json.loads(row), floats(vector), created)
            for seq, total, of_vector, key, row, vector, created in found
        }


def _of_kind(items: Iterable[Item], kind: str | None) -> Iterable[Item]:
    return items if kind is None else (item for item in items if item.row.get("kind") == kind)

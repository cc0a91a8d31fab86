"""The rows nearest to a vector, by looking at every one that a query may see: a recall without an index.

Vectors are read once and kept, each known by the sums beside its row; which rows are there and may be seen is
asked at every look. Where they are many, their vectors are read anew, block by block.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from ddax.memory.protocol import RecallQuery
from ddax.memory.records import clean
from ddax.memory.scoring import Floats
from ddax.memory.store.kept_rows import Mark
from ddax.memory.store.migrations import Connection
from ddax.memory.store.sqlite_upkeep import floats
from ddax.types import MemoryType

BLOCK = 2048
"""Rows of one product; so many of a type are kept (3 MB)."""
_VISIBLE = """
SELECT {} FROM memory m WHERE ns = :ns AND type = :type
AND (((task <> :task OR task = '') AND committed < :now)
    OR EXISTS (SELECT 1 FROM sighting s WHERE s.id = m.id AND s.task = :task AND s.step < :step))
AND (CASE WHEN valid_from <> 0 THEN valid_from ELSE created END <= :as_of)
AND id NOT IN (SELECT older FROM relation WHERE ns = :ns AND kind = 'supersedes' AND at <= :as_of
    AND CASE WHEN task = :task AND task <> '' THEN step < :step ELSE committed < :now END)
"""
"""What `ddax.memory.scoring.is_visible` tells of one row, of all."""
_READ = (
    "SELECT id, sum, vector_sum, vector FROM memory "
    "WHERE +ns = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY seq"
)

Block: TypeAlias = tuple[list[str], Floats]
"""Ids, and their vectors `[n, d]`."""


class Vectors:
    """The vectors of a type of rows, as they were last read."""

    def __init__(self) -> None:
        self._places: dict[Mark, int] = {}
        self._matrix: Floats = np.zeros((0, 0), np.float32)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._places)

    def lacking(self, marks: Sequence[Mark]) -> list[str]:
        """Return the ids of rows whose vectors are not there, or not as they are now."""
        return [mark[0] for mark in marks if mark not in self._places]

    def add(self, found: Sequence[tuple[Mark, Floats]]) -> None:
        """Take the vectors of rows that are not there."""
        first, rows = len(self._places), np.stack([vector for _, vector in found])
        self._matrix = np.concatenate([self._matrix, rows]) if first else rows
        self._places |= {mark: first + n for n, (mark, _) in enumerate(found)}

    def of(self, marks: Sequence[Mark]) -> Floats:
        """Return the vectors of rows that are there, in their order."""
        places = [self._places[mark] for mark in marks]
        if places == list(range(len(places))):  # as a rule: what is not seen are the newest rows
            return self._matrix[: len(places)]
        return self._matrix[places]


class ExactSearch:
    """Find the nearest rows in every namespace of a record; a reader of one keeps no vectors."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db, self._keeps = db, isinstance(db, Connection)
        self._kept: dict[tuple[str, MemoryType], Vectors] = {}

    def nearest(
        self, ns: str, kind: MemoryType, vectors: Sequence[Floats], query: RecallQuery, *, k: int
    ) -> list[list[str]]:
        """Return for each vector the ids of the k nearest rows that a query may see, ties by id."""
        best: list[list[tuple[float, str]]] = [[] for _ in vectors]
        for ids, rows in self._visible(ns, kind, query):
            for n, vector in enumerate(vectors):  # one by one: a product of two matrices rounds otherwise
                best[n] = sorted([*best[n], *_least(-(rows @ vector), ids, k)])[:k]
        return [[row_id for _, row_id in found] for found in best]

    def _visible(self, ns: str, kind: MemoryType, query: RecallQuery) -> Iterator[Block]:
        values = {
            "ns": ns, "type": kind, "task": clean(query.task), "step": query.before_step, "now": query.now,
            "as_of": math.inf if query.as_of is None else query.as_of,
        }  # fmt: skip
        if self._keeps:
            look = self._db.execute(_VISIBLE.format("id, sum, vector_sum"), values)
            marks: list[Mark] = look.fetchmany(BLOCK + 1)
            if len(marks) <= BLOCK:
                yield from self._known(ns, kind, marks)
                return
        cursor = self._db.execute(_VISIBLE.format("id, vector"), values)
        while block := cursor.fetchmany(BLOCK):
            yield [str(row[0]) for row in block], np.stack([floats(row[1]) for row in block])

    def _known(self, ns: str, kind: MemoryType, marks: Sequence[Mark]) -> Iterator[Block]:
        """Yield rows that are few enough to be kept, in one block; where there is none, no block."""
        kept = self._kept.setdefault((ns, kind), Vectors())
        lacking = kept.lacking(marks)
        if len(kept) + len(lacking) > BLOCK:  # some are of rows as they were
            kept = self._kept[ns, kind] = Vectors()
            lacking = kept.lacking(marks)
        if lacking:
            found = self._db.execute(_READ, (ns, json.dumps(lacking)))
            kept.add([((row[0], row[1], row[2]), floats(row[3])) for row in found])
        if marks:
            yield [mark[0] for mark in marks], kept.of(marks)


def _least(far: Floats, ids: Sequence[str], k: int) -> list[tuple[float, str]]:
    """Return the k least numbers with their ids, and those that equal the last of them."""
    if not 0 < k < len(ids):
        return list(zip(far.tolist(), ids, strict=True))
    (found,) = np.nonzero(far <= np.partition(far, k - 1)[k - 1])
    return [(float(far[n]), ids[n]) for n in found.tolist()]

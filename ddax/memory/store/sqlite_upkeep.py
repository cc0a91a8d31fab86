"""What keeps the record clean: relations between rows, tombstones, and a walk over every row.

Blocking; one thread at a time, the same as that of `ddax.memory.store.sqlite`, whose connection it uses.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from ddax.errors import StateError, StorageError
from ddax.memory.protocol import FORGOTTEN, Blots, Kept, LogRow, Relation, Tally, Tombstone
from ddax.memory.records import clean, digest, handed_on, near_key, passes_on
from ddax.memory.scoring import Floats
from ddax.memory.store.migrations import sqlite_errors, transaction
from ddax.memory.store.sqlite_schema import sum_up
from ddax.memory.store.sums import TABLES, row_sum
from ddax.types import Document, MemoryType, Record

COLUMNS = (
    "id, type, text, source, title, start, stop, task, idea, step, writer, epsilon, created, meta, valid_from"
)
_RELATION = "kind, newer, older, confidence, task, step, at, committed"
_TOMBSTONE = "id, reason, into_id, memory_type, title, source, task, idea, created, buried, digest, near"
_BURY = f"INSERT INTO tombstone (ns, {_TOMBSTONE}, sum) VALUES ({', '.join('?' * 14)})"  # noqa: S608 - constant
SEEN = (
    "INSERT INTO sighting (id, task, step, sum) VALUES (?, ?, ?, ?) ON CONFLICT (id, task) DO UPDATE SET "
    "sum = CASE WHEN excluded.step < step THEN excluded.sum ELSE sum END, step = min(step, excluded.step)"
)
"""Stores that a task has seen a row; the earliest step stays. It takes what `sighting` gives."""
_AMONG = "(SELECT value FROM json_each(?))"
_UNPAGE = (
    f"DELETE FROM page WHERE ns = ? AND source IN {_AMONG} "  # noqa: S608 - constant
    "AND source NOT IN (SELECT source FROM memory WHERE +ns = ?)"
)
RESOLVED = 20


class UpkeepTables:
    """The tables `relation` and `tombstone`, and whole-namespace reads."""

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self._db, self._path = db, path

    def relate(self, ns: str, relations: Sequence[Relation], *, committed: float) -> None:
        """Store relations; one of the same kind between the same rows stays as it was."""
        rows = [
            (ns, r.kind, r.newer, r.older, r.confidence, clean(r.task), r.step, r.at, committed)
            for r in relations
        ]
        marks = ", ".join("?" * 10)
        sql = f"INSERT OR IGNORE INTO relation (ns, {_RELATION}, sum) VALUES ({marks})"  # noqa: S608 - constant
        with sqlite_errors(self._path), transaction(self._db):
            self._db.executemany(sql, [(*row, row_sum(row)) for row in rows])

    def relations(self, ns: str, ids: Sequence[str] | None) -> list[Relation]:
        """Return the relations of some rows, or all of them, oldest first."""
        sql, values = f"SELECT seq, {_RELATION} FROM relation WHERE ns = ?", [ns]  # noqa: S608 - constant
        if ids is not None:
            sql += f" AND newer IN {_AMONG} UNION {sql} AND older IN {_AMONG}"
            values = [ns, json.dumps(list(ids)), ns, json.dumps(list(ids))]
        with sqlite_errors(self._path):
            return [Relation(*row[1:]) for row in self._db.execute(f"{sql} ORDER BY seq", values)]

    def superseded(self, ns: str, ids: Sequence[str]) -> dict[str, list[Relation]]:
        """Return by id the relations in which a row is superseded."""
        sql = (
            f"SELECT {_RELATION} FROM relation WHERE ns = ? AND older IN {_AMONG} AND kind = 'supersedes' "  # noqa: S608 - constant
            "ORDER BY seq"
        )
        found: dict[str, list[Relation]] = {}
        with sqlite_errors(self._path):
            for row in self._db.execute(sql, (ns, json.dumps(list(ids)))):
                found.setdefault(str(row[2]), []).append(Relation(*row))
        return found

    def bury(
        self, ns: str, ids: Sequence[str], reason: str, into: str, *, now: float
    ) -> list[tuple[str, MemoryType]]:
        """Replace rows by tombstones in one transaction; return (id, type) of those there were."""
        wanted = json.dumps(list(ids))
        with sqlite_errors(self._path), transaction(self._db):
            sql = f"SELECT {COLUMNS} FROM memory WHERE +ns = ? AND id IN {_AMONG}"  # noqa: S608 - constant
            rows = [record_of(row) for row in self._db.execute(sql, (ns, wanted)).fetchall()]
            self._db.executemany(
                _BURY, [_values(ns, tombstone_of(r, near_key(ns, r), reason, into, now)) for r in rows]
            )
            gone = json.dumps([r.id for r in rows])
            # A sighting says that a task has seen the row: that of the row it went into says it now.
            if into:
                sql = f"SELECT task, min(step) FROM sighting WHERE id IN {_AMONG} GROUP BY task"  # noqa: S608 - constant
                seen = self._db.execute(sql, (gone,)).fetchall()
                self._db.executemany(SEEN, [sighting(into, task, step) for task, step in seen])
            self._db.execute(f"DELETE FROM sighting WHERE id IN {_AMONG}", (gone,))  # noqa: S608 - constant
            self._db.execute(f"DELETE FROM memory WHERE +ns = ? AND id IN {_AMONG}", (ns, gone))  # noqa: S608 - constant
            if reason == FORGOTTEN:
                self._db.execute(_UNPAGE, (ns, json.dumps(sorted({r.source for r in rows})), ns))
        return [(r.id, r.memory_type) for r in rows]

    def tombstones(self, ns: str, ids: Sequence[str] | None) -> list[Tombstone]:
        """Return the tombstones of these ids and near-duplicate keys, or all of them, oldest first."""
        narrowed = "" if ids is None else f"AND (id IN {_AMONG} OR near IN {_AMONG})"
        sql = f"SELECT {_TOMBSTONE} FROM tombstone WHERE ns = ? {narrowed} ORDER BY seq"  # noqa: S608 - constant
        values = (ns,) if ids is None else (ns, json.dumps(list(ids)), json.dumps(list(ids)))
        with sqlite_errors(self._path):
            return [Tombstone(*row) for row in self._db.execute(sql, values)]

    def restore(self, ns: str, stones: Sequence[Tombstone]) -> int:
        """Keep tombstones of a copy of the namespace; return how many are new; atomic."""
        ids = json.dumps([stone.id for stone in stones])
        sql = (
            f"SELECT id FROM memory WHERE id IN {_AMONG} "  # noqa: S608 - constant
            f"UNION SELECT id FROM tombstone WHERE ns = ? AND id IN {_AMONG}"
        )
        with sqlite_errors(self._path), transaction(self._db):
            known = {str(row[0]) for row in self._db.execute(sql, (ids, ns, ids))}
            fresh = {stone.id: stone for stone in reversed(stones) if stone.id not in known}
            self._db.executemany(_BURY, [_values(ns, stone) for stone in reversed(fresh.values())])
        return len(fresh)

    def scan(self, ns: str, after: int, limit: int) -> list[Kept]:
        """Return rows in the order they were written, from behind `after`."""
        sql = (
            f"SELECT {COLUMNS}, vector, committed, seq FROM memory "  # noqa: S608 - constant
            "WHERE ns = ? AND seq > ? ORDER BY seq LIMIT ?"
        )
        with sqlite_errors(self._path):
            found = self._db.execute(sql, (ns, after, max(0, limit))).fetchall()
        return [Kept(int(row[17]), record_of(row), float(row[16]), floats(row[15])) for row in found]

    def branch(self, ns: str, task: str, into: str, *, step: int, before: float) -> int:
        """Let another task see what a task had seen and logged up to a step and a moment; atomic."""
        with sqlite_errors(self._path), transaction(self._db):
            seen = self._db.execute(
                "SELECT s.id, s.step FROM sighting s JOIN memory m ON m.id = s.id "
                "WHERE m.ns = ? AND s.task = ? AND s.step <= ? AND m.committed < ?",
                (ns, clean(task), step, before),
            ).fetchall()
            self._db.executemany(
                "INSERT OR IGNORE INTO sighting (id, task, step, sum) VALUES (?, ?, ?, ?)",
                [sighting(row_id, clean(into), at) for row_id, at in seen],
            )
            found = self._db.execute(
                "SELECT name, key, created, row, vector, vector_sum FROM log "
                "WHERE ns = ? AND task = ? AND created < ? ORDER BY seq",
                (ns, clean(task), before),
            ).fetchall()
            taken = [row for row in found if passes_on(str(row[0]), json.loads(row[3]), step)]
            rows = [
                (*row, row_sum(row), *of_vector)
                for name, key, created, text, *of_vector in taken
                for row in [(ns, name, digest(f"{into}<{key}"), clean(into), created, handed_on(text, into))]
            ]
            self._db.executemany(
                "INSERT OR IGNORE INTO log (ns, name, key, task, created, row, sum, vector, vector_sum) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                rows,
            )
        return len(taken)

    def pages(self, ns: str, source: str) -> list[Document]:
        """Return the stored pages of a source, oldest first."""
        sql = "SELECT doc_id, source, title, text, links FROM page WHERE ns = ? AND source = ? ORDER BY rowid"
        with sqlite_errors(self._path):
            found = self._db.execute(sql, (ns, clean(source))).fetchall()
        return [Document(row[0], row[1], row[2], row[3], tuple(json.loads(row[4]))) for row in found]

    def present(self, ns: str, ids: Sequence[str]) -> list[str]:
        """Return which rows there are."""
        sql = f"SELECT id FROM memory WHERE +ns = ? AND id IN {_AMONG}"  # noqa: S608 - constant
        with sqlite_errors(self._path):
            return [str(row[0]) for row in self._db.execute(sql, (ns, json.dumps(list(ids))))]

    def resolve(self, ns: str, prefix: str) -> list[str]:
        """Return the ids, of rows and of tombstones, that begin with a prefix."""
        if not prefix or not set(prefix) <= set("0123456789abcdef"):
            return []
        # Ids are hex, so a range finds the prefix by index where LIKE would read every row.
        bounds = (prefix, prefix + "g")
        sql = (
            "SELECT id FROM memory WHERE id >= ? AND id < ? AND +ns = ? UNION "
            "SELECT id FROM tombstone WHERE ns = ? AND id >= ? AND id < ? ORDER BY id LIMIT ?"
        )
        with sqlite_errors(self._path):
            found = self._db.execute(sql, (*bounds, ns, ns, *bounds, RESOLVED))
            return [str(row[0]) for row in found]

    def logs(self, ns: str, after: int, limit: int) -> list[LogRow]:
        """Return the rows of every log in the order they were written, from behind `after`."""
        sql = "SELECT seq, name, row FROM log WHERE ns = ? AND seq > ? ORDER BY seq LIMIT ?"
        with sqlite_errors(self._path):
            found = self._db.execute(sql, (ns, after, max(0, limit))).fetchall()
        return [LogRow(int(row[0]), str(row[1]), json.loads(row[2])) for row in found]

    def blot(self, ns: str, blots: Blots) -> None:
        """Overwrite and take away what is named in one transaction."""
        with sqlite_errors(self._path), transaction(self._db):
            self._db.executemany(
                "UPDATE log SET row = ? WHERE ns = ? AND seq = ?",
                [(json.dumps(row.row), ns, row.seq) for row in blots.rows],
            )
            self._db.executemany(
                "DELETE FROM log WHERE ns = ? AND seq = ?", [(ns, seq) for seq in blots.gone]
            )
            self._db.executemany(
                "UPDATE page SET text = ?, title = ? WHERE ns = ? AND source = ? AND doc_id = ?",
                [(page.text, page.title, ns, page.source, page.doc_id) for page in blots.pages],
            )
            self._db.executemany(
                "UPDATE tombstone SET title = ?, source = ? WHERE ns = ? AND id = ?",
                [(stone.title, stone.source, ns, stone.id) for stone in blots.stones],
            )
            changed = {
                "log": ("seq", [row.seq for row in blots.rows]),
                "page": ("source", [page.source for page in blots.pages]),
                "tombstone": ("id", [stone.id for stone in blots.stones]),
            }
            for table in TABLES:
                if table.name in changed:
                    key, values = changed[table.name]
                    sum_up(self._db, table, f"{key} IN {_AMONG}", json.dumps(values))

    def wipe(self) -> None:
        """Write the file anew without the places that are free, and empty its write-ahead log."""
        with sqlite_errors(self._path), closing(sqlite3.connect(self._path, timeout=5.0)) as db:
            db.isolation_level = None
            db.execute("VACUUM")
            if db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                raise StorageError(
                    f"The log beside {str(self._path)!r} could not be emptied.",
                    why="Another process reads the memory; bytes of what was forgotten may stand in it.",
                    mend="End that process and run the same command again.",
                )

    def writers(self, ns: str) -> list[str]:
        """Return who has written rows, by name."""
        with sqlite_errors(self._path):
            return [row[0] for row in self._db.execute(
                "SELECT DISTINCT writer FROM memory WHERE ns = ? ORDER BY writer", (ns,)
            )]  # fmt: skip

    def newest(self, ns: str) -> float:
        """Return when something was last written, in seconds since the epoch; 0 for an empty namespace."""
        sql = " UNION ALL ".join(
            f"SELECT MAX({column}) AS at FROM {table} WHERE ns = ?"  # noqa: S608 - constant
            for table, column in (("memory", "committed"), ("log", "created"), ("relation", "committed"))
        )
        with sqlite_errors(self._path):
            (at,) = self._db.execute(f"SELECT MAX(at) FROM ({sql})", (ns, ns, ns)).fetchone()  # noqa: S608 - constant
        return float(at or 0.0)

    def tally(self, ns: str) -> Tally:
        """Count what there is."""
        reason = "json_extract(row, '$.reason')"
        with sqlite_errors(self._path):
            return Tally(
                rows=self._counts("SELECT type, count(*) FROM memory WHERE ns = ? GROUP BY type", ns),
                logs=self._counts("SELECT name, count(*) FROM log WHERE ns = ? GROUP BY name", ns),
                refusals=self._counts(
                    f"SELECT {reason}, count(*) FROM log WHERE ns = ? AND name = 'refusals' GROUP BY 1",  # noqa: S608 - constant
                    ns,
                ),
                relations=self._counts("SELECT kind, count(*) FROM relation WHERE ns = ? GROUP BY kind", ns),
                tombstones=self._counts(
                    "SELECT reason, count(*) FROM tombstone WHERE ns = ? GROUP BY reason", ns
                ),
                pages=int(self._db.execute("SELECT count(*) FROM page WHERE ns = ?", (ns,)).fetchone()[0]),
            )

    def _counts(self, sql: str, ns: str) -> dict[str, int]:
        return {str(name): int(n) for name, n in sorted(self._db.execute(sql, (ns,)))}


def tombstone_of(record: Record, near: str, reason: str, into: str, now: float) -> Tombstone:
    """Return what is left of a row."""
    return Tombstone(
        id=record.id, reason=reason, into=into, memory_type=record.memory_type, title=record.title,
        source=record.source, task=record.task, idea=record.idea, created=record.created, buried=now,
        digest=digest(record.text), near=near,
    )  # fmt: skip


def sighting(row_id: str, task: str, step: int) -> tuple[Any, ...]:
    """Return the values of a sighting, its sum among them."""
    values = (row_id, task, step)
    return (*values, row_sum(values))


def _values(ns: str, stone: Tombstone) -> tuple[Any, ...]:
    values = (
        ns, stone.id, stone.reason, stone.into, stone.memory_type, stone.title, stone.source, stone.task,
        stone.idea, stone.created, stone.buried, stone.digest, stone.near,
    )  # fmt: skip
    return (*values, row_sum(values))


def record_of(row: Sequence[Any]) -> Record:
    """Make a record of the values of `COLUMNS`."""
    return Record(
        id=row[0], memory_type=row[1], text=row[2], source=row[3], title=row[4], start=row[5], end=row[6],
        task=row[7], idea=row[8], step=row[9], writer=row[10], epsilon=row[11], created=row[12],
        meta=json.loads(row[13]), valid_from=row[14],
    )  # fmt: skip


def floats(blob: bytes | None) -> Floats:
    """Return a stored vector; raise `StateError` where there is none."""
    if not blob:
        raise StateError(
            "A stored vector is missing.",
            why="A memory is found by its vector; the file is damaged, its texts may be whole.",
            mend="Make the vectors anew from the texts: ddax memory rebuild",
        )
    return np.frombuffer(blob, dtype=np.float32)

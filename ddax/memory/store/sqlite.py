"""The record: text, metadata and vectors in SQLite. Blocking; one thread at a time.

Tables: `memory` (thoughts and observations), `sighting` (which task put a row first at which step),
`page`, `log`, `namespace` (its name and its embedder). The index beside it is made from these. Rows
are looked up by id with `+ns`, since SQLite would else walk the whole namespace.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ddax.errors import UsageError
from ddax.memory.protocol import Embedder, RecallQuery
from ddax.memory.records import FOUND_BY_MEANING, Row, clean, digest, matches
from ddax.memory.scoring import Candidate, Floats
from ddax.memory.store.exact_search import ExactSearch
from ddax.memory.store.findable_logs import Findable, FoundRows
from ddax.memory.store.kept_rows import KeptRows
from ddax.memory.store.manifest_keeping import Holding
from ddax.memory.store.migrations import (
    Connection,
    gathered,
    open_database,
    open_reading,
    sqlite_errors,
    transaction,
)
from ddax.memory.store.record_check import check_record
from ddax.memory.store.sqlite_schema import FOUND, READABLE, STEPS
from ddax.memory.store.sqlite_upkeep import COLUMNS, SEEN, UpkeepTables, floats, record_of, sighting
from ddax.memory.store.sums import row_sum, vector_sum
from ddax.types import Document, JsonDict, MemoryType, Record

_MARKS = ", ".join("?" * 20)
_EMPTY = "vector = zeroblob(length(vector))"
"""Holds for a row whose text could not be embedded when it came, or whose vector is gone."""
_AT_ONCE = 110
"""Rows of one statement: every SQLite takes 999 values in one."""


class Logged(NamedTuple):
    """A row (as JSON) for a named log, with its vector where it is found by meaning."""

    table: str
    key: str
    text: str
    task: str
    vector: Floats | None

    def columns(self, committed: float) -> tuple[Any, ...]:
        """Return the values of its columns: name, key, task, created, row, vector."""
        blob = None if self.vector is None else self.vector.astype(np.float32).tobytes()
        return clean(self.table), digest(self.key), clean(self.task), committed, self.text, blob

    def summed(self, ns: str, committed: float) -> tuple[Any, ...]:
        """Return the values of a whole row: its namespace, its columns, and their sums."""
        *values, blob = self.columns(committed)
        return ns, *values, blob, row_sum((ns, *values)), vector_sum(blob)


class Put(NamedTuple):
    """The ids of rows, and of those with a new vector; where some are `lacking` one, nothing is stored."""

    ids: list[str]
    changed: set[str]
    lacking: list[Row]


class Form(NamedTuple):
    """What one statement can ask for: a table, a time, the task to look up, keys that SQLite can test."""

    table: str
    before: float
    task: str | None
    keys: tuple[str, ...]


class Asked(NamedTuple):
    """A question for the oldest rows of a log with these values, committed before a time."""

    table: str
    equals: JsonDict
    limit: int
    before: float

    @property
    def form(self) -> Form:
        """Return what it has in common with others that one statement can ask for.

        SQLite looks into a row faster than we can read it; what it lets through is compared all the same.
        """
        plain = [
            key for key, value in self.equals.items() if isinstance(value, str) and clean(value) == value
        ]
        task = self.equals["task"] if "task" in plain else None
        keys = tuple(key for key in plain if key != "task" and self._tests(key))
        return Form(self.table, self.before, task, keys)

    def _tests(self, key: str) -> bool:
        return key.isascii() and key.isidentifier() and "\0" not in self.equals[key]  # its JSON ends there


class RecordStore:
    """Every namespace of one directory; `path` is the database file, which `reading` leaves as it is.

    Raises `StateError` where it is not what was written into it.
    """

    def __init__(self, path: Path, *, reading: bool = False) -> None:
        self.path = path
        self._held: Holding | None = None
        check_record(path, reading=reading)
        if reading:
            self._db = open_reading(path, STEPS, oldest=READABLE)
        else:
            self._db = db = open_database(path, STEPS)
            self._held = Holding(path, db)
        self.upkeep = UpkeepTables(self._db, path)
        self._found, self._kept = FoundRows(self._db), KeptRows(self._db)
        self._exact = ExactSearch(self._db)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Let everything that is written in the block be durable at its end, or none of it."""
        if not isinstance(self._db, Connection):
            raise UsageError(
                "The record is open for reading only.",
                why=f"{str(self.path)!r} was opened to look on, beside the process that owns it.",
                mend="Open it without `reading`, when no other process has it.",
            )
        with sqlite_errors(self.path), gathered(self._db):
            yield

    def open_namespace(self, key: str, name: str, embedder: Embedder) -> bool:
        """Enter a namespace; False where its vectors come from another embedder."""
        with sqlite_errors(self.path), transaction(self._db):
            values = (key, clean(name), embedder.name, embedder.fingerprint, embedder.dim)
            self._db.execute(
                "INSERT OR IGNORE INTO namespace (key, name, embedder, fingerprint, dim, sum) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (*values, row_sum(values)),
            )
            found = self._db.execute(
                "SELECT fingerprint, dim FROM namespace WHERE key = ?", (key,)
            ).fetchone()
        return bool(found == (embedder.fingerprint, embedder.dim))

    def namespace_embedder(self, key: str) -> str:
        """Return the name and the fingerprint of the embedder a namespace was made with."""
        asked = "SELECT embedder, fingerprint FROM namespace WHERE key = ?"
        with sqlite_errors(self.path):
            name, fingerprint = self._db.execute(asked, (key,)).fetchone()
        return f"{name}, {fingerprint:.40}"

    def known(self, ns: str, near: Sequence[str]) -> set[str]:
        """Return which near-duplicate keys are stored, with a vector."""
        with sqlite_errors(self.path):
            return {key for key, (_, empty) in self._stored(ns, near).items() if not empty}

    def insert(self, ns: str, rows: Sequence[Row], vectors: dict[str, Floats], *, committed: float) -> Put:
        """Store rows in one transaction; a row that is there without a vector gets the one of its text."""
        changed: set[str] = set()
        with sqlite_errors(self.path), transaction(self._db):
            stored = self._stored(ns, [row.near for row in rows])
            # A row that was there when its text needed no vector may have been buried since.
            if lacking := [row for row in rows if row.near not in stored and row.near not in vectors]:
                return Put([], changed, lacking)
            for row in rows:
                row_id, empty = stored.setdefault(row.near, (row.record.id, True))
                vector = vectors.get(row.near)
                if vector is not None and empty and row_id == row.record.id:
                    self._insert_one(ns, row, vector, committed)
                    changed.add(row_id)
                    stored[row.near] = row_id, False
                self._db.execute(SEEN, sighting(row_id, row.record.task, row.record.step))
        return Put([stored[row.near][0] for row in rows], changed, [])

    def _stored(self, ns: str, near: Sequence[str]) -> dict[str, tuple[str, bool]]:
        """Return by near-duplicate key the id that is stored, and whether it has no vector."""
        sql = (
            f"SELECT near, id, {_EMPTY} FROM memory "  # noqa: S608 - constant
            "WHERE ns = ? AND near IN (SELECT value FROM json_each(?))"
        )
        found = self._db.execute(sql, (ns, json.dumps(list(near))))
        return {str(key): (str(row_id), bool(empty)) for key, row_id, empty in found}

    def records(self, ns: str, ids: Sequence[str]) -> list[Record]:
        """Return the rows that exist, in the order asked for."""
        sql = f"SELECT {COLUMNS} FROM memory WHERE +ns = ? AND id IN (SELECT value FROM json_each(?))"  # noqa: S608 - constant
        with sqlite_errors(self.path):
            found = {row[0]: record_of(row) for row in self._db.execute(sql, (ns, json.dumps(list(ids))))}
        return [found[row_id] for row_id in ids if row_id in found]

    def candidates(self, ns: str, ids: Sequence[str], task: str) -> list[Candidate]:
        """Return rows with their vectors, as `task` saw them."""
        with sqlite_errors(self.path):
            found = self._kept.seen(ns, ids, task)
        outdated = self.upkeep.superseded(ns, ids)
        return [Candidate(*row, tuple(outdated.get(row[0].id, ()))) for row in found]

    def nearest(
        self, ns: str, kind: MemoryType, vectors: Sequence[Floats], query: RecallQuery, *, k: int
    ) -> list[list[str]]:
        """Return for each vector the ids of the k nearest rows that a query may see, by exact search."""
        with sqlite_errors(self.path):
            return self._exact.nearest(ns, kind, vectors, query, k=k)

    def count(self, ns: str, kind: MemoryType) -> int:
        """Count the rows of one type."""
        with sqlite_errors(self.path):
            found = self._db.execute(
                "SELECT count(*) FROM memory WHERE ns = ? AND type = ?", (ns, kind)
            ).fetchone()
        return int(found[0])

    def total(self) -> int:
        """Count the rows of every namespace."""
        with sqlite_errors(self.path):
            return int(self._db.execute("SELECT count(*) FROM memory").fetchone()[0])

    def ids(self, ns: str, kind: MemoryType) -> list[str]:
        """Return the ids of one type, oldest first."""
        sql = "SELECT id FROM memory WHERE ns = ? AND type = ? ORDER BY seq"
        with sqlite_errors(self.path):
            return [str(row[0]) for row in self._db.execute(sql, (ns, kind))]

    def vectors(self, ns: str, ids: Sequence[str]) -> list[tuple[str, Floats]]:
        """Return ids with their vectors."""
        sql = "SELECT id, vector FROM memory WHERE +ns = ? AND id IN (SELECT value FROM json_each(?))"
        with sqlite_errors(self.path):
            return [
                (str(row[0]), floats(row[1])) for row in self._db.execute(sql, (ns, json.dumps(list(ids))))
            ]

    def put_page(self, ns: str, key: str, page: Document) -> None:
        """Store a page under its hash; the first one stays."""
        links = json.dumps([clean(link) for link in page.links])
        values = (ns, key, clean(page.doc_id), clean(page.source), clean(page.title), clean(page.text), links)
        sql = (
            "INSERT OR IGNORE INTO page (ns, hash, doc_id, source, title, text, links, sum) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        )
        with sqlite_errors(self.path), transaction(self._db):
            self._db.execute(sql, (*values, row_sum(values)))

    def page(self, ns: str, key: str) -> Document | None:
        """Return a stored page."""
        sql = "SELECT doc_id, source, title, text, links FROM page WHERE ns = ? AND hash = ?"
        with sqlite_errors(self.path):
            row = self._db.execute(sql, (ns, clean(key))).fetchone()
        return None if row is None else Document(row[0], row[1], row[2], row[3], tuple(json.loads(row[4])))

    def log(self, ns: str, rows: Sequence[Logged], *, committed: float) -> None:
        """Append rows (as JSON) to named logs in one transaction; a known key changes nothing.

        Many of them by one statement: at the end of each it would wait for a busy interpreter.
        """
        with sqlite_errors(self.path), transaction(self._db):
            for i in range(0, len(rows), _AT_ONCE):
                part = rows[i : i + _AT_ONCE]
                marks = ", ".join(["(?, ?, ?, ?, ?, ?, ?, ?, ?)"] * len(part))
                self._db.execute(
                    "INSERT OR IGNORE INTO log (ns, name, key, task, created, row, vector, sum, vector_sum) "  # noqa: S608 - marks
                    f"VALUES {marks}",
                    [value for row in part for value in row.summed(ns, committed)],
                )

    def rows(self, ns: str, table: str, equals: JsonDict, limit: int, before: float) -> list[JsonDict]:
        """Return the oldest rows of a log that match, committed before a time; a `task` is looked up."""
        return self.answers(ns, [Asked(table, equals, limit, before)])[0]

    def answers(self, ns: str, asked: Sequence[Asked]) -> list[list[JsonDict]]:
        """Return the rows of each question; those that differ in values alone share a walk through a log."""
        found: list[list[JsonDict]] = [[] for _ in asked]
        alike: dict[Form, list[tuple[Asked, list[JsonDict]]]] = {}
        for question, rows in zip(asked, found, strict=True):
            alike.setdefault(question.form, []).append((question, rows))
        with sqlite_errors(self.path):
            for form, some in alike.items():
                self._answer(ns, form, some)
        return found

    def _answer(self, ns: str, form: Form, asked: Sequence[tuple[Asked, list[JsonDict]]]) -> None:
        """Find the rows of questions of one form."""
        table, before, task, keys = form
        wanting: dict[tuple[str, ...], list[tuple[Asked, list[JsonDict]]]] = {}
        for question, rows in asked:
            wanting.setdefault(tuple(question.equals[key] for key in keys), []).append((question, rows))
        inside = [f"json_extract(row, '$.{key}')" for key in keys]
        tests = "".join(f" AND {value} IN (SELECT value FROM json_each(?))" for value in inside)  # noqa: S608 - names
        if task is None and "text" in keys and table in FOUND_BY_MEANING:
            tests += f" AND {FOUND}"
        sql = (
            f"SELECT {', '.join(['row', *inside])} FROM log WHERE ns = ? AND name = ? AND created < ? "  # noqa: S608 - names
            f"{'AND task = ?' if task is not None else ''}{tests} ORDER BY seq"
        )
        values = [json.dumps([question.equals[key] for question, _ in asked]) for key in keys]
        looked_up = () if task is None else (task,)
        unfilled = sum(question.limit > 0 for question, _ in asked)
        for text, *of_keys in self._db.execute(sql, (ns, clean(table), before, *looked_up, *values)):
            for question, rows in wanting.get(tuple(of_keys), ()):
                if len(rows) < question.limit and matches(row := json.loads(text), question.equals):
                    rows.append(row)
                    unfilled -= len(rows) == question.limit
            if not unfilled:
                break

    def findable(self, ns: str, table: str, now: float, kind: str | None = None) -> Findable:
        """Return the rows of a log committed before `now`, of one kind or all, with their vectors."""
        with sqlite_errors(self.path):
            return self._found.of(ns, table, now, kind)

    def texts(self, ns: str, *, every: bool) -> tuple[list[tuple[int, str]], list[tuple[int, JsonDict]]]:
        """Return (seq, text) of rows and (seq, row) of logs: those that lack a vector, or `every` one."""
        wanted = f"ns = ? AND {'vector IS NOT NULL' if every else _EMPTY} ORDER BY seq"
        with sqlite_errors(self.path):
            rows = self._db.execute(f"SELECT seq, text FROM memory WHERE {wanted}", (ns,)).fetchall()  # noqa: S608 - constants
            logs = self._db.execute(f"SELECT seq, row FROM log WHERE {wanted}", (ns,)).fetchall()  # noqa: S608 - constants
        return [(int(seq), str(text)) for seq, text in rows], [
            (int(seq), json.loads(row)) for seq, row in logs
        ]

    def replace_vectors(
        self,
        ns: str,
        embedder: Embedder,
        rows: Sequence[tuple[int, Floats]],
        logs: Sequence[tuple[int, Floats]],
    ) -> None:
        """Replace vectors of a namespace and name its embedder, all or nothing."""
        with sqlite_errors(self.path), transaction(self._db):
            for table, pairs in (("memory", rows), ("log", logs)):
                blobs = ((vector.astype(np.float32).tobytes(), seq) for seq, vector in pairs)
                self._db.executemany(
                    f"UPDATE {table} SET vector = ?, vector_sum = ? WHERE seq = ?",  # noqa: S608 - two constants
                    ((blob, vector_sum(blob), seq) for blob, seq in blobs),
                )
            self._name_embedder(ns, embedder)

    def close(self) -> None:
        """Fold the write-ahead log in and close the file."""
        with sqlite_errors(self.path):
            self._db.close()
        if self._held is not None:
            self._held.close()

    def _name_embedder(self, ns: str, embedder: Embedder) -> None:
        (name,) = self._db.execute("SELECT name FROM namespace WHERE key = ?", (ns,)).fetchone()
        values = (embedder.name, embedder.fingerprint, embedder.dim)
        self._db.execute(
            "UPDATE namespace SET embedder = ?, fingerprint = ?, dim = ?, sum = ? WHERE key = ?",
            (*values, row_sum((ns, name, *values)), ns),
        )

    def _insert_one(self, ns: str, row: Row, vector: Floats, committed: float) -> None:
        r, blob = row.record, vector.astype(np.float32).tobytes()
        values = (
            ns, row.near, committed, r.id, r.memory_type, r.text, r.source, r.title, r.start, r.end, r.task,
            r.idea, r.step, r.writer, r.epsilon, r.created, json.dumps(dict(r.meta)), r.valid_from,
        )  # fmt: skip
        self._db.execute(
            f"INSERT INTO memory (ns, near, committed, {COLUMNS}, sum, vector, vector_sum) "  # noqa: S608 - constant
            f"VALUES ({_MARKS}, ?) "
            "ON CONFLICT (id) DO UPDATE SET vector = excluded.vector, vector_sum = excluded.vector_sum",
            (*values, row_sum(values), blob, vector_sum(blob)),
        )

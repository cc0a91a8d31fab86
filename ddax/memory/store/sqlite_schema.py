"""The schema of the record, one step a version; the steps of released versions never change."""

from __future__ import annotations

import secrets
import sqlite3

from ddax.memory.store.migrations import Step
from ddax.memory.store.sums import TABLES, Table, row_sum, vector_sum

_FIRST = (
    """CREATE TABLE namespace (
        key TEXT PRIMARY KEY, name TEXT NOT NULL, embedder TEXT NOT NULL, fingerprint TEXT NOT NULL,
        dim INTEGER NOT NULL) WITHOUT ROWID""",
    """CREATE TABLE memory (
        seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, ns TEXT NOT NULL, type TEXT NOT NULL,
        near TEXT NOT NULL, text TEXT NOT NULL, source TEXT NOT NULL, title TEXT NOT NULL,
        start INTEGER NOT NULL, stop INTEGER NOT NULL, task TEXT NOT NULL, idea TEXT NOT NULL,
        step INTEGER NOT NULL, writer TEXT NOT NULL, epsilon REAL NOT NULL, created REAL NOT NULL,
        meta TEXT NOT NULL, vector BLOB NOT NULL, UNIQUE (ns, near))""",
    "CREATE INDEX memory_type ON memory (ns, type, seq)",
    """CREATE TABLE sighting (
        id TEXT NOT NULL, task TEXT NOT NULL, step INTEGER NOT NULL, PRIMARY KEY (id, task)) WITHOUT ROWID""",
    """CREATE TABLE page (
        ns TEXT NOT NULL, hash TEXT NOT NULL, doc_id TEXT NOT NULL, source TEXT NOT NULL,
        title TEXT NOT NULL, text TEXT NOT NULL, links TEXT NOT NULL, PRIMARY KEY (ns, hash))""",
    """CREATE TABLE log (
        seq INTEGER PRIMARY KEY, ns TEXT NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL,
        task TEXT NOT NULL, created REAL NOT NULL, row TEXT NOT NULL, vector BLOB,
        UNIQUE (ns, name, key))""",
    "CREATE INDEX log_task ON log (ns, name, task, seq)",
)


def _create(db: sqlite3.Connection) -> None:
    for statement in _FIRST:
        db.execute(statement)


_SECOND = (
    "ALTER TABLE memory ADD COLUMN committed REAL NOT NULL DEFAULT 0",
    "ALTER TABLE memory ADD COLUMN valid_from REAL NOT NULL DEFAULT 0",
    "UPDATE memory SET committed = created",
    """CREATE TABLE relation (
        seq INTEGER PRIMARY KEY, ns TEXT NOT NULL, kind TEXT NOT NULL, newer TEXT NOT NULL,
        older TEXT NOT NULL, confidence REAL NOT NULL, task TEXT NOT NULL, step INTEGER NOT NULL,
        at REAL NOT NULL, committed REAL NOT NULL, UNIQUE (ns, older, newer, kind))""",
    "CREATE INDEX relation_newer ON relation (ns, newer)",
    """CREATE TABLE tombstone (
        seq INTEGER PRIMARY KEY, ns TEXT NOT NULL, id TEXT NOT NULL, reason TEXT NOT NULL,
        into_id TEXT NOT NULL, memory_type TEXT NOT NULL, title TEXT NOT NULL, source TEXT NOT NULL,
        task TEXT NOT NULL, idea TEXT NOT NULL, created REAL NOT NULL, buried REAL NOT NULL,
        digest TEXT NOT NULL)""",
    "CREATE INDEX tombstone_id ON tombstone (ns, id)",
    "CREATE INDEX tombstone_into ON tombstone (ns, into_id)",
    "CREATE INDEX page_source ON page (ns, source)",
)


def _keep_clean(db: sqlite3.Connection) -> None:
    """Add when rows were committed and since when they hold, relations, and tombstones."""
    for statement in _SECOND:
        db.execute(statement)


_THIRD = (
    "ALTER TABLE tombstone ADD COLUMN near TEXT NOT NULL DEFAULT ''",
    "CREATE INDEX tombstone_near ON tombstone (ns, near)",
)


def _know_again(db: sqlite3.Connection) -> None:
    """Add the near-duplicate key of what a tombstone stands for."""
    for statement in _THIRD:
        db.execute(statement)


def _hold(db: sqlite3.Connection) -> None:
    """Add to each row its sum, and what the record holds as a whole: see `ddax.memory.store.manifest`."""
    counted = ", ".join(f"(SELECT count(*) FROM {table.name})" for table in TABLES)  # noqa: S608 - names
    for table in TABLES:
        db.execute(f"ALTER TABLE {table.name} ADD COLUMN sum INTEGER NOT NULL DEFAULT 0")
        if table.vector:
            db.execute(f"ALTER TABLE {table.name} ADD COLUMN vector_sum INTEGER NOT NULL DEFAULT 0")
        sum_up(db, table)
    numbers = ", ".join(f"{table.name} INTEGER NOT NULL" for table in TABLES)
    db.execute(
        "CREATE TABLE held (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, "
        f"generation INTEGER NOT NULL, commits INTEGER NOT NULL, {numbers})"
    )
    db.execute(f"INSERT INTO held SELECT 1, ?, 1, 1, {counted}", (secrets.token_hex(16),))
    for table in TABLES:
        for change, sign in (("INSERT", "+"), ("DELETE", "-")):
            db.execute(
                f"CREATE TRIGGER {table.name}_{change.lower()} AFTER {change} ON {table.name} "  # noqa: S608 - names
                f"BEGIN UPDATE held SET {table.name} = {table.name} {sign} 1; END"
            )


def sum_up(db: sqlite3.Connection, table: Table, which: str = "1", *values: object) -> None:
    """Give the rows that are there, or those that meet a condition, the sums of their values."""
    keys = {"namespace": ("key",), "sighting": ("id", "task")}.get(table.name, ("rowid",))
    blob = ", vector" if table.vector else ""
    also = ", vector_sum = ?" if table.vector else ""
    sql = f"SELECT {', '.join(keys)}, {table.columns}{blob} FROM {table.name} WHERE {which}"  # noqa: S608 - names
    found = db.execute(sql, values)
    where = " AND ".join(f"{key} = ?" for key in keys)
    rows = []
    for row in found:
        end = len(row) - table.vector
        sums = (row_sum(row[len(keys) : end]), *map(vector_sum, row[end:]))
        rows.append((*sums, *row[: len(keys)]))
    db.executemany(f"UPDATE {table.name} SET sum = ?{also} WHERE {where}", rows)  # noqa: S608 - names


FOUND = "vector IS NOT NULL AND json_valid(row)"
"""Holds for each row of a log that is found by meaning; who asks for it by its text looks it up."""


def _look_up_texts(db: sqlite3.Connection) -> None:
    """Let what is found by meaning be looked up by its text, of whichever task it is."""
    db.execute(f"CREATE INDEX log_text ON log (ns, name, json_extract(row, '$.text')) WHERE {FOUND}")
    # The manifest knows the file as it was; one that is just being made has none.
    db.execute("UPDATE held SET commits = commits + 1 WHERE commits > 1")


STEPS: tuple[Step, ...] = (_create, _keep_clean, _know_again, _hold, _look_up_texts)
READABLE = 3
"""The oldest version that can be read as it is: what came later says how much there should be."""

"""The schema of the record, one step a version; the steps of released versions never change."""

from __future__ import annotations

import sqlite3

from ddax.memory.migrations import Step

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


STEPS: tuple[Step, ...] = (_create,)

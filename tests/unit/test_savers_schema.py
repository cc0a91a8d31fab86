"""A file whose schema was damaged is named as damaged, also where SQLite's own words are no text."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ddax.errors import StateError
from ddax.graph.savers.serializing import serializer
from ddax.graph.savers.sqlite import open_sqlite
from ddax.memory.store.migrations import open_database, open_reading


def spoil(file: Path, name: bytes) -> None:
    """Flip bits in the text that makes a table, so that SQLite quotes bytes which are no UTF-8."""
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.execute("PRAGMA journal_mode=DELETE")
    data = file.read_bytes()
    assert b"CREATE TABLE " + name in data
    file.write_bytes(data.replace(b"CREATE TABLE " + name, b"CREATE TA\xd8LE " + name))


async def test_the_checkpoints(tmp_path: Path) -> None:
    file = tmp_path / "checkpoints.sqlite"
    async with open_sqlite(file, serializer("")):
        assert file.exists()
    spoil(file, b"checkpoints")
    with pytest.raises(StateError, match="is damaged"):
        async with open_sqlite(file, serializer("")):
            raise AssertionError("it was opened")


def test_the_memory(tmp_path: Path) -> None:
    file = tmp_path / "record.sqlite"
    steps = (lambda db: db.execute("CREATE TABLE t (n)"),)
    open_database(file, steps).close()  # type: ignore[arg-type]
    spoil(file, b"t")
    for opens in (open_database, open_reading):
        with pytest.raises(StateError, match="is damaged"):
            opens(file, steps)  # type: ignore[operator]

"""Take out of a damaged record what can still be read of it, row by row, and leave the rest."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ddax.memory.store.manifest import Held
from ddax.memory.store.migrations import reading_address
from ddax.memory.store.record_check import read_held
from ddax.memory.store.sums import TABLES, Table, as_written, row_sum, vector_sum

_PAGE = 4096
_PART = 1000
_SPARSE = 10
"""So many numbers of rows at most are looked at for one row there should be: the last number may be wrong."""
_MANY = 100_000
_KEYS = {"namespace": ("key",), "sighting": ("id", "task")}
_STAND_INS = {"committed": "created", "valid_from": "0.0", "near": "''"}
"""What stands for the columns of the first releases' records."""


def salvage(record: Path, target: sqlite3.Connection, should: Held | None) -> None:
    """Copy the rows that are as they were written into an empty record.

    `should` is what there should be, where that is known. A row of which only the vector is damaged is
    kept without it. The record itself stays as it is.
    """
    rows = should.rows if should else {}
    with _copied(record, should) as copy, closing(_opened(copy)) as db:
        for table in TABLES:
            _copy(db, target, table, rows.get(table.name, 0))


@contextmanager
def _copied(record: Path, should: Held | None) -> Iterator[Path]:
    """Copy a record to read it without changing it: with its log, or without one that spoils it."""
    with TemporaryDirectory(prefix=".salvage-", dir=record.parent) as place:
        copy, bare, log = Path(place) / record.name, Path(place) / "bare", f"{record.name}-wal"
        for file, to in ((record, copy), (record, bare), (record.with_name(log), copy.with_name(log))):
            if file.exists():
                shutil.copyfile(file, to)
        if copy.with_name(log).exists() and not (copy.exists() and copy.stat().st_size):
            copy.write_bytes(bytes(_PAGE))  # SQLite throws the log of an empty file away; it may hold all
        for file in (copy, bare):
            file.touch()
        yield max((copy, bare), key=lambda file: _nearness(file, should))


def _nearness(copy: Path, should: Held | None) -> tuple[bool, int]:
    """Say how near a record is to what it should be: whether it is that one, and its last commit."""
    with closing(_opened(copy)) as db:
        try:
            held = read_held(db)
        except sqlite3.DatabaseError:
            return False, -1
    return held is not None and should is not None and held.id == should.id, held.commits if held else 0


def _opened(copy: Path) -> sqlite3.Connection:
    db = sqlite3.connect(reading_address(copy), uri=True)
    db.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    return db


def _copy(db: sqlite3.Connection, target: sqlite3.Connection, table: Table, expected: int) -> None:
    try:
        there = {str(row[1]) for row in db.execute(f"PRAGMA table_info({table.name})")}
    except sqlite3.DatabaseError:
        return
    if not there:
        return
    summed = "sum" in there
    columns = [name if name in there else _STAND_INS[name] for name in table.columns.split(", ")]
    columns = ["sum" if summed else "0", *columns]
    if table.vector:
        columns += ["vector_sum" if summed else "0", "vector"]
    for key, row in _rows(db, table, ", ".join(columns), expected):
        whole, has_vector = as_written(table, row) if summed else _plain(table, row)
        if whole:
            _insert(target, table, key, _mended(table, row, has_vector=has_vector))


def _plain(table: Table, row: tuple[Any, ...]) -> tuple[bool, bool]:
    """Tell whether a row of a record without sums can be stored at all."""
    values = row[1:-2] if table.vector else row[1:]
    try:
        row_sum(values)
        for value in values:
            str(value).encode()  # a text that could not be decoded cannot be stored either
    except (TypeError, ValueError, OverflowError):
        return False, False
    return True, True


def _mended(table: Table, row: tuple[Any, ...], *, has_vector: bool) -> tuple[Any, ...]:
    """Return the values of a row with their sums: columns, sum, and vector and its sum where it has one."""
    if not table.vector:
        return (*row[1:], row_sum(row[1:]))
    values, blob = row[1:-2], row[-1]
    if not has_vector:
        blob = bytes(len(blob)) if isinstance(blob, bytes) else b""
    return (*values, row_sum(values), blob, vector_sum(blob))


def _insert(target: sqlite3.Connection, table: Table, key: int | None, values: tuple[Any, ...]) -> None:
    columns = f"{table.columns}, sum" + (", vector, vector_sum" if table.vector else "")
    if key is not None:
        columns, values = f"rowid, {columns}", (key, *values)
    marks = ", ".join("?" * len(values))
    sql = f"INSERT OR IGNORE INTO {table.name} ({columns}) VALUES ({marks})"  # noqa: S608 - names
    target.execute(sql, values)


def _rows(
    db: sqlite3.Connection, table: Table, columns: str, expected: int
) -> Iterator[tuple[int | None, tuple[Any, ...]]]:
    """Yield the number and the columns of each row that can be read."""
    if table.name in _KEYS:
        sql = f"SELECT {columns} FROM {table.name}"  # noqa: S608 - names
        yield from ((None, row) for row in _both_ways(db, sql, _KEYS[table.name]))
        return
    sql = f"SELECT rowid, {columns} FROM {table.name} WHERE rowid BETWEEN ? AND ?"  # noqa: S608 - names
    most = _SPARSE * expected + _MANY if expected else _MANY
    try:
        (last,) = db.execute(f"SELECT max(rowid) FROM {table.name}").fetchone()  # noqa: S608 - names
    except sqlite3.DatabaseError:
        last = 2 * expected + _PART
    for first in range(1, min(int(last or 0), most) + 1, _PART):
        for number, *row in _between(db, sql, first, first + _PART - 1):
            yield number, tuple(row)


def _between(db: sqlite3.Connection, sql: str, first: int, last: int) -> list[tuple[Any, ...]]:
    """Return the rows of a range of numbers, halved where it cannot be read, down to single rows."""
    try:
        return db.execute(sql, (first, last)).fetchall()
    except sqlite3.DatabaseError:
        if first == last:
            return []
    middle = (first + last) // 2
    return _between(db, sql, first, middle) + _between(db, sql, middle + 1, last)


def _both_ways(db: sqlite3.Connection, sql: str, keys: tuple[str, ...]) -> list[tuple[Any, ...]]:
    """Return the rows of a table without numbers, from both ends up to what cannot be read."""
    found: dict[tuple[Any, ...], None] = {}
    for way in ("ASC", "DESC"):
        cursor = db.cursor()
        try:
            cursor.execute(f"{sql} ORDER BY {', '.join(f'{key} {way}' for key in keys)}")
            while row := cursor.fetchone():
                found[tuple(row)] = None
        except sqlite3.DatabaseError:
            continue  # what is behind this row is looked for from the other end
        break
    return list(found)

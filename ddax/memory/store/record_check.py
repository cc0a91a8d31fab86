"""Hold a record against its manifest before it is opened: gone, rolled back, another's, or damaged.

Nothing is changed: opening a file to write folds in what is left of its log and throws the rest away, and
with it what could still be taken out of it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from ddax.errors import StateError
from ddax.memory.lock import lock_owner
from ddax.memory.store.manifest import Held, Noted, noted, whole_file
from ddax.memory.store.migrations import MEND, opening_errors, reading_address
from ddax.memory.store.sums import TABLES, Table, as_written, summed_columns
from ddax.wording import amount

_NAMES = [table.name for table in TABLES]
_HELD = f"SELECT id, generation, commits, {', '.join(_NAMES)} FROM held"  # noqa: S608 - names
_ASIDE = ("namespace", "sighting")
"""Tables that hold nothing by themselves."""
INDEX = "index"
"""The folder beside the record that vectors are found in; it is made after the record."""


def check_record(path: Path, *, reading: bool = False, deep: bool = False) -> None:
    """Raise `StateError` where a record is not what its manifest says was written.

    One that was closed with everything in it is known again by the sum of its bytes; any other is read
    through, or where it is `deep`, but not beside the live process that had it read when it opened it.
    """
    said = noted(path)
    if not path.exists() or not path.stat().st_size:
        if said.there or _has_index(path):
            raise _gone(path, said)
        return
    if not deep and said.whole is not None and whole_file(path) == said.whole:
        return
    with opening_errors(path), _looking(path) as db:
        held = read_held(db)
        if held is None:
            _check_old(path, db, said)
            return
        _compare(path, said, held)
        if deep or not _owned(path, reading=reading):
            check_rows(path, db, held)


def is_there(path: Path) -> bool:
    """Tell whether a record is there to be looked at; raise `StateError` where one was, and is gone."""
    if not path.exists():
        check_record(path, reading=True)
    return path.exists()


def read_held(db: sqlite3.Connection) -> Held | None:
    """Return what a record says it holds; None for one of a release that did not count it."""
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'held'").fetchone():
        return None
    return held_now(db)


def held_now(db: sqlite3.Connection) -> Held:
    """Return what a record says it holds."""
    row = db.execute(_HELD).fetchone()
    if row is None:
        raise sqlite3.DatabaseError("it does not say what it holds")
    record_id, generation, commits, *rows = row
    return Held(record_id, generation, commits, dict(zip(_NAMES, rows, strict=True)))


def held_rows(path: Path) -> dict[str, int]:
    """Return how many rows of each table a record holds, by what it says of itself."""
    with opening_errors(path), _looking(path) as db:
        return held_now(db).rows


def check_rows(path: Path, db: sqlite3.Connection, held: Held) -> None:
    """Read a record through; raise `StateError` where a row of it is missing or not as it was written."""
    check_pages(path, db)
    wrong = {table: faults for table in TABLES if (faults := _faults(db, table, held.rows[table.name]))}
    if wrong:
        said = ", ".join(amount(n, table.one, table.many) for table, n in wrong.items())
        raise damaged(path, f"{said} in it cannot be found or are not as they were written.")


def damaged(path: Path, why: str) -> StateError:
    """Return the error for a record that is not as it was written."""
    return StateError(f"The memory {str(path)!r} is damaged.", why=why, mend=MEND)


def said_rows(rows: Mapping[str, int]) -> str:
    """Say how many rows of each kind there are."""
    shown = [table for table in TABLES if rows.get(table.name) and table.name not in _ASIDE]
    named = [amount(rows[table.name], table.one, table.many) for table in shown]
    return ", ".join(named) or "nothing"


@contextmanager
def _looking(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a record for one look, which sees one state of it."""
    with closing(sqlite3.connect(reading_address(path), uri=True, timeout=10.0, isolation_level=None)) as db:
        db.execute("BEGIN")
        yield db


def _gone(path: Path, said: Noted) -> StateError:
    state = "is empty" if path.exists() else "is missing"
    rows = f" It held {said_rows(said.held.rows)} at its last commit." if said.held else ""
    return StateError(f"The memory {str(path)!r} is gone.", why=f"The file {state}.{rows}", mend=MEND)


def _check_old(path: Path, db: sqlite3.Connection, said: Noted) -> None:
    """Check a record of a release that counted nothing; it is counted when it is opened to write."""
    if said.there:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        raise StateError(
            f"The memory {str(path)!r} is an older copy.",
            why=f"It has version {version}, and was at a later one.{_held_once(said)}",
            mend=MEND,
        )
    check_pages(path, db)


def _compare(path: Path, said: Noted, held: Held) -> None:
    if said.held is None:
        return  # it was lost, or a kill came before it; what the record says of itself is all there is
    if said.held.id != held.id:
        raise StateError(
            f"The memory {str(path)!r} is another one's.",
            why=f"Its id is {held.id[:8]}, and {said.held.id[:8]} belongs here.{_held_once(said)}",
            mend=MEND,
        )
    if (held.generation, held.commits) < (said.held.generation, said.held.commits):
        raise StateError(
            f"The memory {str(path)!r} has lost what was written last.",
            why=f"It is at commit {held.commits:,} and had come to {said.held.commits:,}: the file or its "
            f"-wal is an older copy, was cut or is lost.{_held_once(said)} There is {said_rows(held.rows)}.",
            mend=MEND,
        )


def _held_once(said: Noted) -> str:
    return f" It held {said_rows(said.held.rows)}." if said.held else ""


def check_pages(path: Path, db: sqlite3.Connection) -> None:
    """Raise `StateError` where the tables of a record and their indexes do not hold together."""
    found = str(db.execute("PRAGMA integrity_check(1)").fetchone()[0])
    if found != "ok":
        raise damaged(path, f"SQLite says: {' '.join(found.split())}.")


def _faults(db: sqlite3.Connection, table: Table, expected: int) -> int:
    """Count the rows of a table that are missing, too many, or not as they were written."""
    there, wrong = 0, 0
    for row in db.execute(f"SELECT {summed_columns(table)} FROM {table.name}"):  # noqa: S608 - names
        there += 1
        wrong += as_written(table, row) != (True, True)
    return wrong + abs(expected - there)


def _owned(path: Path, *, reading: bool) -> bool:
    """Tell whether a live process has the record: it was read through when that one opened it."""
    owner = lock_owner(path.parent)
    return owner is not None and (reading or owner.pid != os.getpid())


def _has_index(path: Path) -> bool:
    index = path.parent / INDEX
    return index.is_dir() and any(index.iterdir())

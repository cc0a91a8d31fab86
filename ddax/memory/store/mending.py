"""What there is to do about a record that is not what was written: rebuild, restore, begin anew.

Each makes the new record beside the old one, sets the old one aside whole, and only then puts the new one
in its place. A kill in between leaves a home whose memory is still named as lost, and the old files.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from ddax.errors import StateError
from ddax.memory.files import ensure_folder, storage_errors
from ddax.memory.lock import OwnerLock
from ddax.memory.store.manifest import Held, Manifest, Noted, manifest_of, noted, whole_file
from ddax.memory.store.migrations import (
    Connection,
    check_version,
    open_database,
    opening_errors,
    reading_address,
    sqlite_errors,
    transaction,
)
from ddax.memory.store.record_check import check_pages, check_record, check_rows, held_now, read_held
from ddax.memory.store.salvage import salvage
from ddax.memory.store.sqlite_schema import STEPS

ASIDE = "set-aside"
"""The folder beside the record for what it was before it was mended."""
_SQLITE = b"SQLite format 3\0"


@dataclass(frozen=True)
class Mended:
    """A record that was mended: its rows by table, those that are lost, and where the old files are.

    `lost` is empty where nothing is, or nothing says what there was.
    """

    rows: dict[str, int]
    aside: Path | None
    lost: dict[str, int] = field(default_factory=dict)


def rebuilt(record: Path, *, clock: Callable[[], float], wait_seconds: float = 0.0) -> Mended | None:
    """Make a record of what can be read of a damaged one; None where it is as it was written."""
    with _owned(record, clock, wait_seconds):
        _check_known(record)
        try:
            check_record(record, deep=True)
        except StateError:
            said = noted(record)
            made = _replaced(record, said, lambda db: _taken(record, db, said.held))
            should = said.held.rows if said.held else {}
            lost = {name: n - made.rows[name] for name, n in should.items() if n > made.rows[name]}
            return replace(made, lost=lost)
        return None


def restored(record: Path, copy: Path, *, clock: Callable[[], float], wait_seconds: float = 0.0) -> Mended:
    """Put a copy of a record in its place; raises `StateError` for one that is damaged itself."""
    with _owned(record, clock, wait_seconds):
        try:
            return _replaced(record, noted(record), lambda db: _copied(copy, db))
        except StateError as error:
            error.say(error.what, f"{error.why} Nothing was changed.", "Name another copy, or an export.")
            raise


def begun_anew(record: Path, *, clock: Callable[[], float], wait_seconds: float = 0.0) -> Mended:
    """Put an empty record in the place of what is there."""
    with _owned(record, clock, wait_seconds):
        return _replaced(record, noted(record), lambda db: None)


def is_record(file: Path) -> bool:
    """Tell whether a file is a copy of a record, not an export."""
    with storage_errors(file), file.open("rb") as opened:
        return opened.read(len(_SQLITE)) == _SQLITE


@contextmanager
def _owned(record: Path, clock: Callable[[], float], wait_seconds: float) -> Iterator[None]:
    lock = OwnerLock(ensure_folder(record.parent), "the memory", clock=clock)
    lock.acquire(wait_seconds)
    try:
        yield
    finally:
        lock.release()


def _check_known(record: Path) -> None:
    """Raise `StateError` for a record of a newer release: it is not damaged, only not ours to read."""
    if record.exists() and record.stat().st_size:
        with closing(sqlite3.connect(reading_address(record), uri=True)) as db:
            try:
                found = int(db.execute("PRAGMA user_version").fetchone()[0])
            except sqlite3.DatabaseError:
                return
        check_version(record, found, len(STEPS))


def _replaced(record: Path, said: Noted, fill: Callable[[Connection], None]) -> Mended:
    """Fill a new record, set the old one aside, and put the new one in its place."""
    new = record.with_name(f"{record.name}.new")
    _unlink(new, *_logs(new))
    with closing(open_database(new, STEPS)) as db, sqlite_errors(new):
        fill(db)
        held = _follows(said.held or _says_itself(record), held_now(db))
        with transaction(db):
            db.execute(
                "UPDATE held SET id = ?, generation = ?, commits = ?",
                (held.id, held.generation, held.commits),
            )
    aside = _set_aside(record)
    _unlink(*_logs(record))
    with storage_errors(record):
        new.replace(record)
    Manifest(record).make(held, whole_file(record))
    return Mended(held.rows, aside)


def _follows(before: Held | None, now: Held) -> Held:
    """Return what a new record says of itself: the same memory, at a commit that none before had."""
    if before is None:
        return now
    return replace(
        now, id=before.id, generation=before.generation + 1, commits=max(before.commits, now.commits) + 1
    )


def _says_itself(record: Path) -> Held | None:
    """Return what a record says it holds, where there is no manifest to say it."""
    if not record.exists() or not record.stat().st_size:
        return None
    with closing(sqlite3.connect(reading_address(record), uri=True)) as db:
        try:
            return read_held(db)
        except sqlite3.DatabaseError:
            return None


def _taken(record: Path, db: Connection, should: Held | None) -> None:
    with storage_errors(record), transaction(db):
        salvage(record, db, should)


def _copied(copy: Path, db: Connection) -> None:
    """Copy all of a record that is whole by what it says of itself."""
    with opening_errors(copy), closing(sqlite3.connect(reading_address(copy), uri=True)) as old:
        check_version(copy, int(old.execute("PRAGMA user_version").fetchone()[0]), len(STEPS))
        held = read_held(old)
        check_pages(copy, old)
        if held is not None:
            check_rows(copy, old, held)
    with storage_errors(copy), transaction(db):
        salvage(copy, db, held)


def _set_aside(record: Path) -> Path | None:
    """Copy a record, its log and its manifest into a folder of their own; None where there is nothing."""
    there = [file for file in (record, *_logs(record), manifest_of(record)) if file.exists()]
    if not there:
        return None
    with storage_errors(record):
        before = [int(folder.name) for folder in (record.parent / ASIDE).glob("*") if folder.name.isdecimal()]
        aside = record.parent / ASIDE / str(max(before, default=0) + 1)
        aside.mkdir(parents=True, mode=0o700)
        for file in there:
            shutil.copy2(file, aside / file.name)
    return aside


def _unlink(*files: Path) -> None:
    for file in files:
        with storage_errors(file):
            file.unlink(missing_ok=True)


def _logs(record: Path) -> tuple[Path, Path]:
    return record.with_name(f"{record.name}-wal"), record.with_name(f"{record.name}-shm")

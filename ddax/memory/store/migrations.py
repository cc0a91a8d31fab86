"""Open a SQLite file at the schema version this release writes; migrate an older one after a backup."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from ddax.errors import StateError, StorageError
from ddax.memory.records import RECORD

Step = Callable[[sqlite3.Connection], None]
"""Bring a database from one version to the next; runs in a transaction of its own."""

MEND = (
    "Choose one: take what is there, and hear what is lost: ddax memory rebuild; put back a copy or an "
    "export: ddax memory restore FILE; begin with an empty one: ddax memory reset"
)
"""What there is to do about a memory that is not what it should be; none of it deletes a file."""
_FULL_DISK = ("disk is full", "readonly", "read-only", "disk i/o", "unable to open")


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Map what SQLite raises under this block to `StorageError` or, for damage, `StateError`."""
    try:
        yield
    except sqlite3.DatabaseError as exc:
        text = str(exc)
        if isinstance(exc, sqlite3.OperationalError) and "locked" in text.lower():
            raise StorageError(
                f"Cannot use {str(path)!r}.",
                why=f"{text}: another process is writing to it.",
                mend="Try again when that process has ended; what was acknowledged is safe.",
            ) from exc
        if isinstance(exc, sqlite3.OperationalError) and any(sign in text.lower() for sign in _FULL_DISK):
            raise StorageError(
                f"Cannot use {str(path)!r}.",
                why=f"{text}.",
                mend="Free some space or make the folder writable; what was acknowledged is safe.",
            ) from exc
        if isinstance(exc, sqlite3.ProgrammingError | sqlite3.IntegrityError):
            raise
        raise _damaged(path, text) from exc


@contextmanager
def opening_errors(path: Path) -> Iterator[None]:
    """Map what SQLite raises where a file is opened, also where its words quote bytes that are no text."""
    with sqlite_errors(path):
        try:
            yield
        except UnicodeDecodeError as exc:
            raise _damaged(path, f"its tables cannot be read: {exc}") from exc


def _damaged(path: Path, why: str) -> StateError:
    mend = MEND if path.name == RECORD else "Restore it from a backup, or move it aside."
    return StateError(f"The database {str(path)!r} is damaged.", why=f"{why}.", mend=mend)


class Connection(sqlite3.Connection):
    """A connection whose transactions can be gathered; see `gathered`."""

    gathering = False
    lost: sqlite3.Error | None = None
    """Why SQLite itself gave up what was gathered so far."""
    undone = 0
    """How often something that was written was taken back."""
    counting: Callable[[], Callable[[], None]] | None = None
    """Counts a commit inside its transaction; what it gives notes that commit once it is durable."""


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Commit the block as one transaction, or none of it; where they are gathered, with the others."""
    if isinstance(db, Connection) and db.gathering:
        with _part(db):
            yield
        return
    before = db.total_changes
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        note = _counted(db, before)
    except BaseException:
        _roll_back(db)
        raise
    db.execute("COMMIT")
    note()


@contextmanager
def gathered(db: Connection) -> Iterator[None]:
    """Commit every transaction of the block at its end: they share one sync of the disk.

    One that fails leaves the others as they are. Nothing of the block is durable before its end, and
    where that fails, nothing of it is.
    """
    db.gathering, db.lost = True, None
    before, note = db.total_changes, _nothing
    try:
        yield
        if db.lost is not None:
            raise db.lost
        if db.in_transaction:
            note = _counted(db, before)
            db.execute("COMMIT")
    except BaseException:
        _roll_back(db)
        raise
    finally:
        db.gathering = False
    note()


def _counted(db: sqlite3.Connection, before: int) -> Callable[[], None]:
    """Count a transaction that has changed something; return what notes it behind its commit."""
    if not isinstance(db, Connection) or db.counting is None or db.total_changes == before:
        return _nothing
    return db.counting()


def _nothing() -> None:
    """Note nothing."""


@contextmanager
def _part(db: Connection) -> Iterator[None]:
    if not db.in_transaction:
        db.execute("BEGIN IMMEDIATE")
    db.execute("SAVEPOINT part")
    try:
        yield
    except BaseException as error:
        db.undone += 1
        if db.in_transaction:
            db.execute("ROLLBACK TO part")
            db.execute("RELEASE part")
        elif isinstance(error, sqlite3.Error):  # a full disk: all that was gathered is rolled back
            db.lost = error
        raise
    db.execute("RELEASE part")


def _roll_back(db: sqlite3.Connection) -> None:
    if isinstance(db, Connection):
        db.undone += 1
    if db.in_transaction:
        db.execute("ROLLBACK")


def open_database(path: Path, steps: Sequence[Step]) -> Connection:
    """Open a database whose version is the number of steps; each missing step commits with its version.

    Commits are durable against a kill and, by `synchronous=FULL`, against a loss of power. The
    connection may be used from any thread, by one at a time. Raises `StateError` for a newer or
    damaged database, `StorageError` where the disk fails.
    """
    with opening_errors(path):
        db = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, timeout=10.0, factory=Connection
        )
        try:
            found = int(db.execute("PRAGMA user_version").fetchone()[0])
            check_version(path, found, len(steps))
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=FULL")
            if 0 < found < len(steps):
                _backup(db, path.with_name(f"{path.name}.backup-v{found}"))
            for version in range(found, len(steps)):
                with transaction(db):
                    steps[version](db)
                    db.execute(f"PRAGMA user_version={version + 1:d}")
        except BaseException:
            db.close()
            raise
    return db


def open_reading(path: Path, steps: Sequence[Step], *, oldest: int | None = None) -> sqlite3.Connection:
    """Open a database that is there for reading only, also beside a process that writes it.

    Versions from `oldest` on can be read as the newest. Raises `StateError` for one of another version or
    a damaged one, `StorageError` where there is none.
    """
    with opening_errors(path):
        db = sqlite3.connect(reading_address(path), uri=True, check_same_thread=False, timeout=10.0)
        try:
            found = int(db.execute("PRAGMA user_version").fetchone()[0])
            db.execute("SELECT count(*) FROM sqlite_master")  # read here, so that damage to it shows here
            check_version(path, found, len(steps))
            if found < (len(steps) if oldest is None else oldest):
                raise StateError(
                    f"The database {str(path)!r} has version {found}.",
                    why=f"It is read from version {len(steps)} on.",
                    mend="Bring it up to date, with a backup: ddax memory stats",
                )
        except BaseException:
            db.close()
            raise
    return db


def reading_address(path: Path) -> str:
    """Return the address of a SQLite file by which it can only be read."""
    return f"{path.absolute().as_uri()}?mode=ro"


def check_version(path: Path, found: int, newest: int) -> None:
    """Raise `StateError` for a database of a newer release."""
    if found > newest:
        raise StateError(
            f"The database {str(path)!r} has version {found}.",
            why=f"This release reads versions up to {newest}.",
            mend="Upgrade ddax, or set DDAX_HOME to another folder.",
        )


def _backup(db: sqlite3.Connection, target: Path) -> None:
    """Copy the database beside itself; an earlier backup of the same version is kept."""
    if target.exists():
        return
    partial = target.with_name(f"{target.name}.part")
    partial.unlink(missing_ok=True)
    with closing(sqlite3.connect(partial)) as copy:
        db.backup(copy)
    partial.replace(target)

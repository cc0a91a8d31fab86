"""A cache of embeddings by text: the latest in memory, all of them in a SQLite file."""

from __future__ import annotations

import _thread
import asyncio
import logging
import sqlite3
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ddax.errors import StorageError
from ddax.memory.embed.rows import Rows, text_key
from ddax.memory.protocol import Embedder

BEHIND = 1.0
"""Seconds after which new vectors are written at the latest."""
KEPT_ROWS = 20_000
"""Vectors a cache keeps in memory: 31 MB at 384 dimensions."""


class CachedEmbedder:
    """Keep the vectors of another embedder by text: the latest in memory, all in a SQLite file.

    Rows are keyed by fingerprint, so one file serves several embedders; it may be deleted at any time.
    """

    def __init__(self, inner: Embedder, path: Path | None = None, *, keep: int = KEPT_ROWS) -> None:
        self.name, self.fingerprint, self.dim = inner.name, inner.fingerprint, inner.dim
        self._inner, self._keep = inner, keep
        self._rows: OrderedDict[bytes, Rows] = OrderedDict()
        self._lock = threading.Lock()
        self._file = CacheFile(path) if path is not None else None

    def embed(self, texts: Sequence[str]) -> Rows:
        keys = [text_key(text) for text in texts]
        known = self._known(list(dict.fromkeys(keys)))
        self._remember(known)
        fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if fresh:
            made = dict(zip(fresh, self._inner.embed(list(fresh.values())), strict=True))
            # A zero vector stands for a text whose embedder failed, unless there was nothing in it.
            sound = {key: row for key, row in made.items() if row.any() or not fresh[key].strip()}
            if self._file is not None:
                self._file.keep(self.fingerprint, sound)
            self._remember(sound)
            known |= made
        return np.stack([known[key] for key in keys]) if keys else np.zeros((0, self.dim), np.float32)

    def _known(self, keys: list[bytes]) -> dict[bytes, Rows]:
        with self._lock:
            known = {key: self._rows[key] for key in keys if key in self._rows}
        missing = [key for key in keys if key not in known]
        if self._file is not None and missing:
            # A row of another width was written by something else; it is made again.
            known |= self._file.find(self.fingerprint, missing, size=4 * self.dim)
        return known

    def _remember(self, known: dict[bytes, Rows]) -> None:
        with self._lock:
            for key, row in known.items():
                self._rows[key] = row
                self._rows.move_to_end(key)
            while len(self._rows) > self._keep:
                self._rows.popitem(last=False)
                if self._file is not None:
                    self._file.at_hand = False


@dataclass
class _Opened:
    """The connection of a cache file, where it is open, and what is not written yet."""

    path: Path
    db: sqlite3.Connection | None = None
    new: dict[tuple[str, bytes], bytes] = field(default_factory=dict)

    def close(self) -> None:
        """Write what is new and close the file."""
        if self.db is not None:
            _write(self.db, self.new, self.path)
            self.db.close()
        self.db = None


class CacheFile:
    """The file of a cache, open until it is closed or nobody has it; threads take turns.

    What is kept is written behind: leaves bring a vector or two each, and a sync of the disk for each of
    them takes longer than making them. What a kill takes is made again. `at_hand` says that the cache
    still has in memory all that the file holds, so that nothing need be looked for in it. One that was
    closed is opened again by its next use.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._turn = path, threading.Lock()
        self._opened = _Opened(path)
        self._due: threading.Timer | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as exc:
            raise StorageError(
                f"Cannot make the cache folder {str(path.parent)!r}.",
                why=str(exc),
                mend="Free space or give write permission, or set DDAX_HOME elsewhere.",
            ) from exc
        with cache_errors(path):
            self.at_hand = self._connected().execute("SELECT 1 FROM vectors LIMIT 1").fetchone() is None
        weakref.finalize(self, _end, self._opened)
        with _GUARD:
            _FILES.add(self)

    def find(self, fingerprint: str, keys: Sequence[bytes], *, size: int) -> dict[bytes, Rows]:
        """Return the rows of so many bytes that are there, by key; raises StorageError with the remedy."""
        found: dict[bytes, Rows] = {}
        if self.at_hand:
            return found
        with cache_errors(self._path), self._turn:
            db = self._connected()
            _write(db, self._opened.new, self._path)  # what was brought last is looked for as well
            for i in range(0, len(keys), 500):
                part = keys[i : i + 500]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, row FROM vectors WHERE fingerprint = ? AND key IN ({marks})"  # noqa: S608
                for key, row in db.execute(query, (fingerprint, *part)):
                    if len(row) == size:
                        found[key] = np.frombuffer(row, "<f4")
        return found

    def keep(self, fingerprint: str, rows: Mapping[bytes, Rows]) -> None:
        """Keep rows, and have them written soon."""
        with self._turn:
            self._opened.new |= {(fingerprint, key): row.astype("<f4").tobytes() for key, row in rows.items()}
            if self._due is None:
                # Held weakly: with its last user the file is written and closed at once.
                self._due = threading.Timer(BEHIND, _write_due, (weakref.ref(self),))
                self._due.daemon = True
                self._due.start()

    def write(self) -> None:
        """Write what is new; a disk that fails is told and costs nothing but time."""
        with self._turn:
            self._due = None
            if self._opened.new:
                with told(self._path, len(self._opened.new)):
                    _write(self._connected(), self._opened.new, self._path)

    def close(self) -> None:
        """Write what is new and close the file."""
        self.write()
        with self._turn:
            self._opened.close()

    def _connected(self) -> sqlite3.Connection:
        """Return the open file."""
        if self._opened.db is None:
            db = self._opened.db = sqlite3.connect(self._path, timeout=30.0, check_same_thread=False)
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=NORMAL")
            with db:
                db.execute(
                    "CREATE TABLE IF NOT EXISTS vectors (fingerprint TEXT, key BLOB, row BLOB NOT NULL,"
                    " PRIMARY KEY (fingerprint, key)) WITHOUT ROWID"
                )
        return self._opened.db


_FILES: weakref.WeakSet[CacheFile] = weakref.WeakSet()
"""The cache files of this process that somebody has."""
_GUARD = threading.Lock()


def close_files() -> None:
    """Write and close every cache file of this process; whoever uses one again opens it anew. Blocks."""
    with _GUARD:
        files = list(_FILES)
    for file in files:
        file.close()


def _end(opened: _Opened) -> None:
    """Close the file of a cache that nobody has any more; the last one may have been an event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        opened.close()
    else:
        # A `Thread` waits until it has begun, and this may be called from within anything.
        _thread.start_new_thread(opened.close, ())


def _write_due(file: weakref.ref[CacheFile]) -> None:
    held = file()
    if held is not None:
        held.write()


def _write(db: sqlite3.Connection, new: dict[tuple[str, bytes], bytes], path: Path) -> None:
    if not new:  # written with the last user, just before its time had come
        return
    rows = [(*at, row) for at, row in new.items()]
    new.clear()
    with told(path, len(rows)), db:
        db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a cache file for one transaction; raises StorageError with the remedy."""
    with cache_errors(path), closing(sqlite3.connect(path, timeout=30.0)) as db, db:
        yield db


@contextmanager
def told(path: Path, rows: int) -> Iterator[None]:
    """Say that so many vectors are not kept where SQLite fails under this block."""
    try:
        with cache_errors(path):
            yield
    except StorageError as error:
        logging.getLogger("ddax").warning("%d vectors are not kept: %s", rows, error)


@contextmanager
def cache_errors(path: Path) -> Iterator[None]:
    """Map what SQLite raises under this block to `StorageError` with the remedy."""
    try:
        yield
    except sqlite3.Error as exc:
        raise StorageError(
            f"The cache {str(path)!r} cannot be used.",
            why=f"{exc}.",
            mend="Free the disk, or delete the file: it is only a cache.",
        ) from exc

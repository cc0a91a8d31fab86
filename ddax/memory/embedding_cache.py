"""A cache of embeddings by text: the latest in memory, all of them in a SQLite file."""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from ddax.errors import StorageError
from ddax.memory.embedding_rows import Rows, text_key
from ddax.memory.protocol import Embedder

KEPT_ROWS = 20_000
"""Vectors a cache keeps in memory: 31 MB at 384 dimensions."""


class CachedEmbedder:
    """Keep the vectors of another embedder by text: the latest in memory, all in a SQLite file.

    Rows are keyed by fingerprint, so one file serves several embedders; it may be deleted at any time.
    """

    def __init__(self, inner: Embedder, path: Path | None = None, *, keep: int = KEPT_ROWS) -> None:
        self.name, self.fingerprint, self.dim = inner.name, inner.fingerprint, inner.dim
        self._inner, self._path, self._keep = inner, path, keep
        self._rows: OrderedDict[bytes, Rows] = OrderedDict()
        self._lock = threading.Lock()
        if path is not None:
            self._create(path)

    def embed(self, texts: Sequence[str]) -> Rows:
        keys = [text_key(text) for text in texts]
        known = self._known(list(dict.fromkeys(keys)))
        fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if fresh:
            made = dict(zip(fresh, self._inner.embed(list(fresh.values())), strict=True))
            self._store(made)
            known |= made
        self._remember(known)
        return np.stack([known[key] for key in keys]) if keys else np.zeros((0, self.dim), np.float32)

    def _known(self, keys: list[bytes]) -> dict[bytes, Rows]:
        with self._lock:
            known = {key: self._rows[key] for key in keys if key in self._rows}
        missing = [key for key in keys if key not in known]
        if self._path is None or not missing:
            return known
        with opened(self._path) as db:
            for i in range(0, len(missing), 500):
                part = missing[i : i + 500]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, row FROM vectors WHERE fingerprint = ? AND key IN ({marks})"  # noqa: S608
                for key, row in db.execute(query, (self.fingerprint, *part)):
                    # A row of another width was written by something else; it is made again.
                    if len(row) == 4 * self.dim:
                        known[key] = np.frombuffer(row, "<f4")
        return known

    def _store(self, made: dict[bytes, Rows]) -> None:
        if self._path is None:
            return
        rows = [(self.fingerprint, key, row.astype("<f4").tobytes()) for key, row in made.items()]
        with opened(self._path) as db:
            db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

    def _remember(self, known: dict[bytes, Rows]) -> None:
        with self._lock:
            for key, row in known.items():
                self._rows[key] = row
                self._rows.move_to_end(key)
            while len(self._rows) > self._keep:
                self._rows.popitem(last=False)

    @staticmethod
    def _create(path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as exc:
            raise StorageError(f"Cannot make the cache folder {str(path.parent)!r}.", why=str(exc)) from exc
        with opened(path) as db:
            db.execute(
                "CREATE TABLE IF NOT EXISTS vectors (fingerprint TEXT, key BLOB, row BLOB NOT NULL,"
                " PRIMARY KEY (fingerprint, key)) WITHOUT ROWID"
            )


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a cache file for one transaction; raises StorageError with the remedy."""
    try:
        with closing(sqlite3.connect(path, timeout=30.0)) as db, db:
            yield db
    except sqlite3.Error as exc:
        raise StorageError(
            f"The cache {str(path)!r} cannot be used.",
            why=str(exc),
            mend="Free the disk, or delete the file: it is only a cache.",
        ) from exc

"""Paid replies kept by content hash: the same question to the same model is paid once.

One SQLite file in the home, shared by its runs and processes; it may be deleted at any time. Only
replies that were accepted are kept. Leaves out recall by similarity: a key is exact.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from ddax.configs.secrets import Redactor
from ddax.reasoning.language.channel import Order, name_of

VERSION = 1
KEPT = 20_000
"""Replies kept; the oldest go first."""


class Kept(NamedTuple):
    """A reply as it was accepted, and what it had cost; `usd` None where the price was unknown."""

    text: str
    tokens: int
    usd: float | None


def reply_key(model: str, address: str, order: Order) -> str:
    """Return the key of a call: everything that is sent, and to whom.

    The form is left out: a schema, a tool and words ask for the same reply.
    """
    drawn = None if order.sampling is None else [order.sampling.temperature, order.sampling.seed]
    whole = [VERSION, model, address, name_of(order.wire), drawn, order.effort, *map(list, order.messages)]
    shown = [] if order.picture is None else [order.picture.digest]
    return sha256(json.dumps(whole + shown).encode()).hexdigest()


class ReplyCache:
    """The replies of paid calls, without secrets. A file that cannot be used is left alone, and said once."""

    def __init__(self, path: Path, *, wall: Callable[[], float]) -> None:
        self._path, self._wall, self._redactor = path, wall, Redactor.of_process()
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None
        self._broken = False

    def get(self, key: str) -> Kept | None:
        """Return a reply that was kept."""
        with self._lock:
            row = self._do("SELECT text, tokens, usd FROM replies WHERE key = ?", (key,))
        return Kept(*row) if row else None

    def put(self, key: str, kept: Kept) -> None:
        """Keep a reply; the first one of a key stays."""
        with self._lock:
            self._do(
                "INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?, ?)",
                (key, *self._redactor.value(kept), self._wall()),
            )

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._db is not None:
                self._db.close()
            self._db = None

    def _do(self, statement: str, values: tuple[object, ...]) -> tuple[str, int, float | None] | None:
        if self._broken:
            return None
        try:
            if self._db is None:
                self._db = self._opened()
            with closing(self._db.execute(statement, values)) as cursor:
                row: tuple[str, int, float | None] | None = cursor.fetchone()
            return row
        except (sqlite3.Error, OSError) as error:
            # A cache that fails costs money, not the run.
            self._broken = True
            logging.getLogger("ddax").warning("the cache of replies %s is not used: %s", self._path, error)
            return None

    def _opened(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(self._path, timeout=5.0, isolation_level=None, check_same_thread=False)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = OFF")
            db.execute(
                "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, text TEXT NOT NULL,"
                " tokens INTEGER NOT NULL, usd REAL, created REAL NOT NULL) WITHOUT ROWID"
            )
            db.execute(
                "DELETE FROM replies WHERE key IN"
                " (SELECT key FROM replies ORDER BY created DESC LIMIT -1 OFFSET ?)", (KEPT,)
            )  # fmt: skip
        except sqlite3.Error:
            db.close()
            raise
        return db

"""Paid replies kept by content hash: the same question to the same model is paid once.

One SQLite file in the home, shared by its runs and processes; it may be deleted at any time. Only
replies that were accepted are kept. Leaves out recall by similarity: a key is exact.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from ddax.configs.secrets import Redactor
from ddax.memory.share.busy_thread import Lane
from ddax.reasoning.language.provider.channel import Channel, Order, name_of

VERSION = 2
KEPT = 20_000
"""Replies kept; the oldest go first."""
WAITS = (0.02, 0.1, 0.5)
"""Seconds between the tries to keep a reply while another process holds the file."""
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_KEEP = "INSERT OR IGNORE INTO replies (key, text, tokens, usd, calls, created) VALUES (?, ?, ?, ?, ?, ?)"


class Kept(NamedTuple):
    """A reply as it was accepted, and what it had cost; `usd` None where the price was unknown."""

    text: str
    tokens: int
    usd: float | None
    calls: int = 1


def reply_key(model: str, channel: Channel, order: Order) -> str:
    """Return the key of a call: everything that is sent, and to whom.

    The form is left out: a schema, a tool and words ask for the same reply.
    """
    drawn = None if order.sampling is None else [order.sampling.temperature, order.sampling.seed]
    whom = [VERSION, model, channel.address, channel.traits]
    whole = [*whom, name_of(order.wire), drawn, order.effort, *map(list, order.messages)]
    shown: list[Any] = [] if order.picture is None else [order.picture.digest]
    acting = order.acting
    shown += [] if acting is None else [acting.forms(), [*acting.turns()]]
    return sha256(json.dumps(whole + shown, default=asdict).encode()).hexdigest()


class ReplyCache:
    """The replies of paid calls, without secrets. A file that cannot be used is left alone, and said once.

    It has a thread of its own, which answers those who ask beside each other in one trip. Nothing waits
    there for a file that another process holds, since everybody else would wait as well.
    """

    def __init__(self, path: Path, *, wall: Callable[[], float]) -> None:
        self._path, self._wall, self._redactor = path, wall, Redactor.of_process()
        self._lane = Lane("ddax-replies")
        self._db: sqlite3.Connection | None = None
        self._broken = False

    async def get(self, key: str) -> Kept | None:
        """Return a reply that was kept; None also while another process holds the file."""
        return await self._lane.ask(self._found, key)

    async def put(self, key: str, kept: Kept) -> None:
        """Keep a reply; the first one of a key stays. Tries again while another process holds the file."""
        now = self._wall()
        for wait in (*WAITS, None):
            if await self._lane.ask(self._keep, (key, kept, now)) or wait is None:
                return
            await asyncio.sleep(wait)

    def close(self) -> None:
        """Finish what is under way and close the file; blocks."""
        self._lane.shutdown()
        if self._db is not None:
            self._db.close()
        self._db = None

    def _found(self, keys: Sequence[str]) -> list[Kept | None]:
        found = [
            self._do("SELECT text, tokens, usd, calls FROM replies WHERE key = ?", (key,)) for key in keys
        ]
        return [Kept(*rows[0]) if rows else None for rows in found]

    def _keep(self, given: Sequence[tuple[str, Kept, float]]) -> list[bool]:
        """Keep replies, and say of each whether nobody held the file."""
        rows = [(key, *self._redactor.value(kept), now) for key, kept, now in given]
        return [self._do(_KEEP, row) is not None for row in rows]

    def _do(self, statement: str, values: tuple[object, ...]) -> list[tuple[Any, ...]] | None:
        """Return the rows of a statement; None where another process holds the file."""
        if self._broken:
            return []
        try:
            if self._db is None:
                self._db = self._opened()
            with closing(self._db.execute(statement, values)) as cursor:
                return cursor.fetchall()
        except (sqlite3.Error, OSError) as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _BUSY:
                return None
            # A cache that fails costs money, not the run.
            self._broken = True
            logging.getLogger("ddax").warning("the cache of replies %s is not used: %s", self._path, error)
            return []

    def _opened(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(self._path, timeout=0.0, isolation_level=None, check_same_thread=False)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = OFF")
            db.execute("BEGIN IMMEDIATE")  # two may open it at once
            db.execute(
                "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, text TEXT NOT NULL,"
                " tokens INTEGER NOT NULL, usd REAL, created REAL NOT NULL,"
                " calls INTEGER NOT NULL DEFAULT 1) WITHOUT ROWID"
            )
            if "calls" not in [row[1] for row in db.execute("PRAGMA table_info(replies)")]:
                db.execute("ALTER TABLE replies ADD COLUMN calls INTEGER NOT NULL DEFAULT 1")
            db.execute(
                "DELETE FROM replies WHERE key IN"
                " (SELECT key FROM replies ORDER BY created DESC LIMIT -1 OFFSET ?)", (KEPT,)
            )  # fmt: skip
            db.execute("COMMIT")
        except sqlite3.Error:
            db.close()
            raise
        return db

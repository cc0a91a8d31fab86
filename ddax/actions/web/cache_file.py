"""The file of the HTTP cache: one call at a time, also where the one who made a call gave up.

A call to SQLite goes on in its thread when its caller is cancelled, and a connection that is closed beside
it takes the process down.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from ddax.memory.files import ensure_folder


class Turns(sqlite3.Connection):
    """A connection of which each call, and each of its cursors, waits for the one before."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.turn = threading.RLock()

    def cursor(self) -> TurnsCursor:  # type: ignore[override]  # its callers give no factory
        with self.turn:
            return super().cursor(partial(TurnsCursor, turn=self.turn))

    def executescript(self, sql: str, /) -> sqlite3.Cursor:
        with self.turn:
            return super().executescript(sql)

    def commit(self) -> None:
        with self.turn:
            super().commit()

    def rollback(self) -> None:
        with self.turn:
            super().rollback()

    def close(self) -> None:
        with self.turn:
            super().close()


class TurnsCursor(sqlite3.Cursor):
    """A cursor that waits for its turn on its connection."""

    def __init__(self, connection: sqlite3.Connection, *, turn: threading.RLock) -> None:
        super().__init__(connection)
        self._turn = turn

    def execute(self, sql: str, parameters: Any = (), /) -> TurnsCursor:
        with self._turn:
            super().execute(sql, parameters)
        return self

    def executemany(self, sql: str, rows: Iterable[Any], /) -> TurnsCursor:
        with self._turn:
            super().executemany(sql, rows)
        return self

    def executescript(self, sql: str, /) -> TurnsCursor:
        with self._turn:
            super().executescript(sql)
        return self

    def fetchone(self) -> Any:
        with self._turn:
            return super().fetchone()

    def fetchmany(self, size: int | None = None) -> list[Any]:
        with self._turn:
            return super().fetchmany(self.arraysize if size is None else size)

    def fetchall(self) -> list[Any]:
        with self._turn:
            return super().fetchall()

    def close(self) -> None:
        with self._turn:
            super().close()


def open_turns(path: Path) -> Turns:
    """Open a file, with its folder, for calls from any thread; each write stands by itself."""
    ensure_folder(path.parent)
    return sqlite3.connect(path, isolation_level=None, check_same_thread=False, factory=Turns)

"""Open the checkpoint store: SQLite with a write-ahead log, and a serialiser that builds no foreign type."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ddax.errors import StateError, StorageError

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

BUSY_MILLISECONDS = 10_000


@asynccontextmanager
async def open_saver(path: Path) -> AsyncIterator[AsyncSqliteSaver]:
    """Open the store at a path; raises StateError for a damaged file, StorageError for a bad disk."""
    import aiosqlite
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    try:
        async with aiosqlite.connect(path) as connection:
            saver = AsyncSqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=[]))
            await saver.setup()
            await connection.execute("PRAGMA synchronous=NORMAL")
            await connection.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
            yield saver
    except sqlite3.OperationalError as error:
        raise StorageError(
            f"the checkpoint store {str(path)!r} cannot be used.",
            why=str(error),
            mend="Free space or set DDAX_HOME.",
        ) from error
    except sqlite3.DatabaseError as error:
        raise StateError(
            f"the checkpoint store {str(path)!r} is damaged.",
            why=str(error),
            mend="Restore it from a backup, or move it away and start again.",
        ) from error

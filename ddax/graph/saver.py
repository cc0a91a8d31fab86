"""Open the checkpoint store: SQLite with a write-ahead log, and a serialiser that builds no foreign type."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ddax.memory.migrations import sqlite_errors

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

BUSY_MILLISECONDS = 10_000


@asynccontextmanager
async def open_saver(path: Path) -> AsyncIterator[AsyncSqliteSaver]:
    """Open the store at a path; raises StateError for a damaged file, StorageError for a bad disk."""
    import aiosqlite
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    class Saver(AsyncSqliteSaver):
        """Count the versions of channels: the usual 50 characters for each are a third of a checkpoint."""

        def get_next_version(self, current: Any, channel: None) -> Any:
            return 1 + (current or 0)

    with sqlite_errors(path):
        async with aiosqlite.connect(path) as connection:
            saver = Saver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=[]))
            await saver.setup()
            await connection.execute("PRAGMA synchronous=NORMAL")
            await connection.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
            yield saver

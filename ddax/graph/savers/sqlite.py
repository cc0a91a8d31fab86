"""The checkpoint store in a file: SQLite with a write-ahead log."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import aiosqlite
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from ddax.graph.savers.pruning import Store
from ddax.memory.migrations import sqlite_errors

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.serde.base import SerializerProtocol

BUSY_MILLISECONDS = 10_000
COLUMNS = {
    "checkpoints": "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata",
    "writes": "checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value",
}


class SqliteStore(Store, AsyncSqliteSaver):
    """Checkpoints in one file."""

    async def forget(self, thread: str, ns: str, keep: Collection[str]) -> None:
        """Delete every checkpoint of a namespace but those, with their writes, at once."""
        marks = ",".join("?" * len(keep))
        async with self.lock:
            for table in COLUMNS:
                await self.conn.execute(
                    f"DELETE FROM {table} WHERE thread_id = ? AND checkpoint_ns = ?"  # noqa: S608  # fixed names
                    f" AND checkpoint_id NOT IN ({marks})",
                    (thread, ns, *keep),
                )
            await self.conn.commit()

    async def detach(self, config: RunnableConfig) -> None:
        """Cut a checkpoint from its parent."""
        place = config["configurable"]
        async with self.lock:
            await self.conn.execute(
                "UPDATE checkpoints SET parent_checkpoint_id = NULL"
                " WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?",
                (place["thread_id"], place.get("checkpoint_ns", ""), place["checkpoint_id"]),
            )
            await self.conn.commit()

    async def threads_of(self, run_ids: Sequence[str]) -> list[str]:
        """Return the threads in which runs left checkpoints."""
        query = (
            "SELECT DISTINCT thread_id FROM checkpoints"
            f" WHERE json_extract(metadata, '$.run_id') IN ({','.join('?' * len(run_ids))})"  # noqa: S608  # marks
        )
        async with self.lock, self.conn.execute(query, tuple(run_ids)) as cursor:
            return [row[0] for row in await cursor.fetchall()]

    async def copy_until(self, source: str, target: str, until: str) -> None:
        """Copy the checkpoints of a thread up to an id ("" for all), with all they rest on."""
        async with self.lock:
            for table, columns in COLUMNS.items():
                # The writes of the last one belong to the step after it.
                below = "<=" if table == "checkpoints" else "<"
                await self.conn.execute(
                    f"INSERT INTO {table} (thread_id, {columns}) SELECT ?, {columns} FROM {table}"  # noqa: S608
                    f" WHERE thread_id = ? AND (? = '' OR checkpoint_id {below} ?)",
                    (target, source, until, until),
                )
            await self.conn.commit()

    async def size(self) -> int:
        """Return the bytes the store takes."""
        query = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
        async with self.lock, self.conn.execute(query) as cursor:
            row = await cursor.fetchone()
        return int(row[0]) if row else 0

    async def compact(self) -> None:
        """Give freed space back to the system."""
        async with self.lock:
            await self.conn.execute("VACUUM")
            await self.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@asynccontextmanager
async def open_sqlite(path: Path, serde: SerializerProtocol) -> AsyncIterator[SqliteStore]:
    """Open the store at a path; raises StateError for a damaged file, StorageError for a bad disk."""
    with sqlite_errors(path):
        async with aiosqlite.connect(os.fspath(path)) as connection:
            store = SqliteStore(connection, serde=serde)
            await store.setup()
            await connection.execute("PRAGMA synchronous=NORMAL")
            await connection.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
            yield store

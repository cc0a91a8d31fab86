"""The checkpoint store in a file: SQLite with a write-ahead log."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiosqlite
from langgraph.checkpoint.base import WRITES_IDX_MAP, get_checkpoint_id, get_checkpoint_metadata
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from ddax.graph.savers.histories import Histories
from ddax.graph.savers.pruning import Store, delta_channels
from ddax.graph.savers.sealing import ROOT, Row, Seal, Verdict, own, seal, verify, write_digest
from ddax.memory.store.migrations import opening_errors, reading_address, sqlite_errors

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import (
        ChannelVersions,
        Checkpoint,
        CheckpointMetadata,
        DeltaChannelHistory,
    )
    from langgraph.checkpoint.serde.base import SerializerProtocol

BUSY_MILLISECONDS = 10_000
FIRST_DELTA = "ideas"
"""The channel that was stored as changes from the beginning."""
SEALS = """CREATE TABLE IF NOT EXISTS seals (
    thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL, checkpoint_id TEXT NOT NULL,
    above TEXT NOT NULL, covers INTEGER NOT NULL, own TEXT NOT NULL,
    PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id)) WITHOUT ROWID"""
COLUMNS = {
    "checkpoints": "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata",
    "writes": "checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value",
}


@dataclass(frozen=True, eq=False)
class Written:
    """What one task wrote, as rows; `replaces` where it stands for what is there already."""

    replaces: bool
    rows: Sequence[tuple[Any, ...]]


class SqliteStore(Store, AsyncSqliteSaver):
    """Checkpoints in one file, each with a seal."""

    def __init__(self, conn: aiosqlite.Connection, *, serde: SerializerProtocol | None = None) -> None:
        super().__init__(conn, serde=serde)
        self._waiting: dict[Written, None] = {}
        """What tasks wait to have stored, in their order."""
        self._whole: dict[str, str] = {}
        """The newest checkpoint of each thread that was found whole while this store is open."""
        self._sound = False
        self._histories = Histories(conn, self.serde)

    async def setup(self) -> None:
        """Create the tables where they are missing."""
        if self.is_setup:  # asked before every write, and the one below waits for its turn
            return
        await super().setup()
        await self.conn.executescript(SEALS)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint with its seal, both or neither."""
        await self.setup()
        place = config["configurable"]
        thread, ns, parent = (
            str(place["thread_id"]),
            place.get("checkpoint_ns", ""),
            place.get("checkpoint_id"),
        )
        kind, value = self.serde.dumps_typed(checkpoint)
        told = json.dumps(get_checkpoint_metadata(config, metadata), ensure_ascii=False).encode(
            "utf-8", "ignore"
        )
        async with self.lock:
            row = Row(checkpoint["id"], parent or "", value, told)
            await self._keep((thread, ns), row, await self._above((thread, ns), parent))
            await self.conn.execute(
                f"INSERT OR REPLACE INTO checkpoints (thread_id, {COLUMNS['checkpoints']})"  # noqa: S608  # fixed names
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (thread, ns, row.id, parent, kind, value, told),
            )
            await self.conn.commit()
        return {"configurable": {"thread_id": thread, "checkpoint_ns": ns, "checkpoint_id": row.id}}

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store what a task wrote; tasks that end together share one transaction."""
        await self.setup()
        place = config["configurable"]
        key = (str(place["thread_id"]), str(place.get("checkpoint_ns", "")), str(place["checkpoint_id"]))
        written = Written(
            all(channel in WRITES_IDX_MAP for channel, _ in writes),
            [
                (*key, task_id, task_path, WRITES_IDX_MAP.get(channel, n), channel,
                 *self.serde.dumps_typed(value))
                for n, (channel, value) in enumerate(writes)
            ],
        )  # fmt: skip
        self._waiting[written] = None
        try:
            async with self.lock:
                if written in self._waiting:  # else another task has stored it with its own
                    await self._write_waiting()
        finally:
            self._waiting.pop(written, None)

    async def _write_waiting(self) -> None:
        taken = list(self._waiting)
        try:
            for replaces in {one.replaces for one in taken}:
                await self.conn.executemany(
                    f"INSERT OR {'REPLACE' if replaces else 'IGNORE'} INTO writes"  # noqa: S608  # fixed names
                    f" (thread_id, {COLUMNS['writes']}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    [row for one in taken if one.replaces == replaces for row in one.rows],
                )
            await self.conn.commit()
        except BaseException:
            await self.conn.rollback()  # whoever waits for it tries again, and hears of it
            raise
        for one in taken:
            self._waiting.pop(one, None)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Return what channels were when last stored whole, and what was written since, oldest first."""
        found = await self.aget_tuple(config) if channels and not get_checkpoint_id(config) else None
        place = (found.config if found is not None else config)["configurable"]
        start = str(place["thread_id"]), place.get("checkpoint_ns", ""), str(place.get("checkpoint_id", ""))
        await self.setup()
        async with self.lock:
            return await self._histories.read(start, channels)

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete all of a thread."""
        thread = str(thread_id)
        await self.setup()
        async with self._changing(thread):
            for table in (*COLUMNS, "seals"):
                await self.conn.execute(f"DELETE FROM {table} WHERE thread_id = ?", (thread,))  # noqa: S608  # fixed names

    async def check(self, thread: str) -> Verdict:
        """Hold the file and the checkpoints of a thread against what was written.

        Both are read whole at the first look; later ones begin where the last one ended, so that a thread
        of many turns is not read whole for each of them.
        """
        await self.setup()
        since = self._whole.pop(thread, "")
        async with self.lock:
            fault = "" if self._sound else await self._file_fault()
            if fault:
                return Verdict(fault)
            self._sound = True
            rows, writes, seals = await self._sealed((thread, ""), since=since)
            ids = {row.id for row in rows}
            if since and (since not in ids or any(r.id != since and r.parent not in ids for r in rows)):
                since = ""  # it was left by another way, further back
                rows, writes, seals = await self._sealed((thread, ""))
        found = verify(rows, writes, seals, whole=since)
        if rows and seals and not found.fault:
            self._whole[thread] = found.last_good
        if rows and not found.fault:
            head = await self.aget_tuple({"configurable": {"thread_id": thread, "checkpoint_ns": ""}})
            return found if head is not None else Verdict("The newest checkpoint cannot be read.")
        return found

    @asynccontextmanager
    async def _changing(self, thread: str) -> AsyncIterator[None]:
        """Change rows of a thread, all or none, and forget what those who read until now have found of it."""
        async with self.lock:
            try:
                yield
                await self.conn.commit()
            except BaseException:
                await self.conn.rollback()
                raise
            finally:
                self._whole.pop(thread, None)
                self._histories.held.forget(thread)

    async def _file_fault(self) -> str:
        async with self.conn.execute("PRAGMA quick_check(1)") as cursor:
            row = await cursor.fetchone()
        return "" if row is not None and row[0] == "ok" else f"SQLite says: {row[0] if row else 'nothing'}."

    async def rewind(self, thread: str, to: str) -> None:
        """Delete what a thread has behind a checkpoint, or all of it without one, and what is not whole."""
        if not to:
            await self.adelete_thread(thread)
            return
        async with self._changing(thread):
            for table, above in (("checkpoints", ">"), ("seals", ">"), ("writes", ">=")):
                await self.conn.execute(
                    f"DELETE FROM {table} WHERE thread_id = ? AND checkpoint_id {above} ?",  # noqa: S608  # fixed names
                    (thread, to),
                )

    async def reseal(self, thread: str, ns: str) -> None:
        """Seal a namespace anew, after its rows were meant to change."""
        async with self._changing(thread):
            await self._seal_anew(thread, ns)

    async def _seal_anew(self, thread: str, ns: str) -> None:
        rows, writes, _ = await self._sealed((thread, ns))
        await self.conn.execute("DELETE FROM seals WHERE thread_id = ? AND checkpoint_ns = ?", (thread, ns))
        made: dict[str, Seal] = {}
        known = {row.id: row for row in rows}
        for row in rows:
            parent = known.get(row.parent)
            above = ROOT if parent is None else made[parent.id]
            made[row.id] = ROOT if parent is None else seal(above.above, parent, writes.get(parent.id, ()))
            await self._keep((thread, ns), row, made[row.id])

    async def _above(self, key: tuple[str, str], parent: str | None) -> Seal:
        """Return the seal of a new checkpoint with this parent."""
        rows, writes, seals = await self._sealed(key, parent) if parent else ([], {}, {})
        if not parent or not rows:
            return ROOT
        return seal(seals.get(parent, ROOT).above, rows[0], writes.get(parent, ()))

    async def _keep(self, key: tuple[str, str], row: Row, found: Seal) -> None:
        await self.conn.execute(
            "INSERT OR REPLACE INTO seals VALUES (?, ?, ?, ?, ?, ?)",
            (*key, row.id, found.above, found.covers, own(row)),
        )

    async def _sealed(
        self, key: tuple[str, str], one: str = "", *, since: str = ""
    ) -> tuple[list[Row], dict[str, list[bytes]], dict[str, Seal]]:
        """Return the rows, the writes they rest on and the seals of a namespace, or of one checkpoint of it.

        Checkpoints of before the messages were stored as changes hold them whole, and rest on no write of
        theirs.
        """
        where, values = "thread_id = ? AND checkpoint_ns = ?", [*key]
        if one:
            where, values = f"{where} AND checkpoint_id = ?", [*key, one]
        elif since:
            where, values = f"{where} AND checkpoint_id >= ?", [*key, since]
        deltas = tuple(delta_channels())
        checkpoints = (
            "SELECT checkpoint_id, coalesce(parent_checkpoint_id, ''),"  # noqa: S608  # fixed words
            " CAST(checkpoint AS BLOB), CAST(metadata AS BLOB)"
            f" FROM checkpoints WHERE {where} ORDER BY checkpoint_id"
        )
        changes = (
            "SELECT checkpoint_id, task_id, idx, channel, type, CAST(value AS BLOB)"  # noqa: S608  # as above
            f" FROM writes WHERE {where} AND channel IN ({','.join('?' * len(deltas))})"
            " ORDER BY checkpoint_id, rowid"
        )
        rows = [Row(*row) for row in await self.conn.execute_fetchall(checkpoints, values)]
        notes = {row.id: row.metadata for row in rows}
        writes: dict[str, list[bytes]] = {}
        for row in await self.conn.execute_fetchall(changes, [*values, *deltas]):
            if row[3] == FIRST_DELTA or f'"{row[3]}"'.encode() in notes.get(row[0], b""):
                writes.setdefault(row[0], []).append(write_digest(row[1:]))
        query = f"SELECT checkpoint_id, above, covers, own FROM seals WHERE {where}"  # noqa: S608  # fixed words
        seals = {row[0]: Seal(*row[1:]) for row in await self.conn.execute_fetchall(query, values)}
        return rows, writes, seals

    async def forget(self, thread: str, ns: str, keep: Collection[str]) -> None:
        """Delete every checkpoint of a namespace but those, with their writes, at once."""
        marks = ",".join("?" * len(keep))
        async with self._changing(thread):
            for table in COLUMNS:
                await self.conn.execute(
                    f"DELETE FROM {table} WHERE thread_id = ? AND checkpoint_ns = ?"  # noqa: S608  # fixed names
                    f" AND checkpoint_id NOT IN ({marks})",
                    (thread, ns, *keep),
                )
            await self._seal_anew(thread, ns)

    async def detach(self, config: RunnableConfig) -> None:
        """Cut a checkpoint from its parent."""
        place = config["configurable"]
        async with self._changing(str(place["thread_id"])):
            await self.conn.execute(
                "UPDATE checkpoints SET parent_checkpoint_id = NULL"
                " WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?",
                (place["thread_id"], place.get("checkpoint_ns", ""), place["checkpoint_id"]),
            )

    async def threads_of(self, run_ids: Sequence[str]) -> list[str]:
        """Return the threads in which runs left checkpoints."""
        query = (
            "SELECT DISTINCT thread_id FROM checkpoints"  # noqa: S608  # marks
            f" WHERE json_extract(metadata, '$.run_id') IN ({','.join('?' * len(run_ids))})"
        )
        async with self.lock, self.conn.execute(query, tuple(run_ids)) as cursor:
            return [row[0] for row in await cursor.fetchall()]

    async def copy_until(self, source: str, target: str, until: str) -> None:
        """Copy the checkpoints of a thread up to an id ("" for all), with all they rest on."""
        async with self._changing(target):
            for table, columns in COLUMNS.items():
                # The writes of the last one belong to the step after it.
                below = "<=" if table == "checkpoints" else "<"
                await self.conn.execute(
                    f"INSERT INTO {table} (thread_id, {columns}) SELECT ?, {columns} FROM {table}"  # noqa: S608
                    f" WHERE thread_id = ? AND (? = '' OR checkpoint_id {below} ?)",
                    (target, source, until, until),
                )
            async with self.conn.execute(
                "SELECT DISTINCT checkpoint_ns FROM checkpoints WHERE thread_id = ?", (target,)
            ) as cursor:
                namespaces = [row[0] for row in await cursor.fetchall()]
            for ns in namespaces:
                await self._seal_anew(target, ns)

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
            with opening_errors(path):
                await store.setup()
            await connection.execute("PRAGMA synchronous=NORMAL")
            await connection.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
            yield store


@asynccontextmanager
async def open_sqlite_reading(path: Path, serde: SerializerProtocol) -> AsyncIterator[SqliteStore]:
    """Open the store at a path for reading only; raises StorageError where there is none."""
    with sqlite_errors(path):
        async with aiosqlite.connect(reading_address(path), uri=True) as connection:
            store = SqliteStore(connection, serde=serde)
            store.is_setup = True  # creating what is missing would be a write
            await connection.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
            yield store

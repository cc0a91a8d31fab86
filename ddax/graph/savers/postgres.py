"""The checkpoint store on a server: Postgres, for several machines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from ddax.errors import StorageError, ThreadInUse, UsageError
from ddax.graph.savers.pruning import Store

try:
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
    from psycopg import AsyncConnection, OperationalError
    from psycopg.rows import DictRow, dict_row
except ImportError as error:
    raise UsageError(
        "A Postgres needs packages that are not installed.",
        why=f"DDAX_CHECKPOINTS names a Postgres; {error}.",
        mend="Install them: pip install 'ddax[postgres]'",
    ) from error

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.serde.base import SerializerProtocol

CONNECT_SECONDS = 10
SETUP_SECONDS = 60.0
"""How long another process may take to make the tables."""
SETUP_POLL_SECONDS = 0.1
_TABLES = "(hashtext('ddax tables'), 0)"
"""The lock under which the tables are made."""


class PostgresStore(Store, AsyncPostgresSaver):
    """Checkpoints in a Postgres database."""

    shared = True

    async def forget(self, thread: str, ns: str, keep: Collection[str]) -> None:
        """Delete every checkpoint of a namespace but those, with their writes, at once."""
        kept = list(keep)
        async with self._cursor() as cursor, cursor.connection.transaction():
            for table in ("checkpoints", "checkpoint_writes"):
                await cursor.execute(
                    f"DELETE FROM {table} WHERE thread_id = %s AND checkpoint_ns = %s"  # noqa: S608  # fixed names
                    " AND NOT checkpoint_id = ANY(%s)",
                    (thread, ns, kept),
                )
            await cursor.execute(
                "DELETE FROM checkpoint_blobs b WHERE thread_id = %s AND checkpoint_ns = %s AND NOT EXISTS"
                " (SELECT 1 FROM checkpoints c WHERE c.thread_id = b.thread_id"
                "  AND c.checkpoint_ns = b.checkpoint_ns"
                "  AND c.checkpoint -> 'channel_versions' ->> b.channel = b.version)",
                (thread, ns),
            )

    async def detach(self, config: RunnableConfig) -> None:
        """Cut a checkpoint from its parent."""
        place = config["configurable"]
        async with self._cursor() as cursor:
            await cursor.execute(
                "UPDATE checkpoints SET parent_checkpoint_id = NULL"
                " WHERE thread_id = %s AND checkpoint_ns = %s AND checkpoint_id = %s",
                (place["thread_id"], place.get("checkpoint_ns", ""), place["checkpoint_id"]),
            )

    async def threads_of(self, run_ids: Sequence[str]) -> list[str]:
        """Return the threads in which runs left checkpoints."""
        async with self._cursor() as cursor:
            await cursor.execute(
                "SELECT DISTINCT thread_id FROM checkpoints WHERE metadata ->> 'run_id' = ANY(%s)",
                (list(run_ids),),
            )
            return [row["thread_id"] for row in await cursor.fetchall()]

    async def copy_until(self, source: str, target: str, until: str) -> None:
        """Copy the checkpoints of a thread up to an id ("" for all), with all they rest on."""
        columns = {
            "checkpoints": "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata",
            "checkpoint_blobs": "checkpoint_ns, channel, version, type, blob",
            "checkpoint_writes": (
                "checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob"
            ),
        }
        limits = {
            "checkpoints": "AND (%s = '' OR checkpoint_id <= %s)",
            "checkpoint_blobs": "AND %s::text IS NOT NULL AND %s::text IS NOT NULL",
            # The writes of the last one belong to the step after it.
            "checkpoint_writes": "AND (%s = '' OR checkpoint_id < %s)",
        }
        async with self._cursor() as cursor, cursor.connection.transaction():
            for table, names in columns.items():
                # Fixed names alone; the type of psycopg wants them spelled out in the call.
                query: Any = (
                    f"INSERT INTO {table} (thread_id, {names}) SELECT %s, {names} FROM {table}"  # noqa: S608
                    f" WHERE thread_id = %s {limits[table]}"
                )
                await cursor.execute(query, (target, source, until, until))

    @asynccontextmanager
    async def owned(self, thread: str) -> AsyncIterator[None]:
        """Own a thread against other machines, until the connection ends; raises ThreadInUse."""
        lock = "(hashtext('ddax'), hashtext(%s))"
        async with self._cursor() as cursor:
            await cursor.execute(f"SELECT pg_try_advisory_lock{lock} AS free", (thread,))
            row = await cursor.fetchone()
        if row is None or not row["free"]:
            raise ThreadInUse(
                f"thread {thread!r} is in use.",
                why="Another process holds it in the Postgres of DDAX_CHECKPOINTS.",
                mend="Wait for it to end, or take another thread.",
            )
        try:
            yield
        finally:
            async with self._cursor() as cursor:
                await cursor.execute(f"SELECT pg_advisory_unlock{lock}", (thread,))

    async def compact(self) -> None:
        """Give freed space back to the system."""
        async with self._cursor() as cursor:
            for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
                await cursor.execute(f"VACUUM (FULL) {table}")  # fixed names

    async def size(self) -> int:
        """Return the bytes the store takes."""
        async with self._cursor() as cursor:
            await cursor.execute(
                "SELECT pg_total_relation_size('checkpoints') + pg_total_relation_size('checkpoint_blobs')"
                " + pg_total_relation_size('checkpoint_writes') AS bytes"
            )
            row = await cursor.fetchone()
        return int(row["bytes"]) if row else 0


@asynccontextmanager
async def open_postgres(address: str, serde: SerializerProtocol) -> AsyncIterator[PostgresStore]:
    """Open the store at an address and bring its tables up to date.

    Raises StorageError where the server does not answer, or the tables are held for too long.
    """
    try:
        connection: AsyncConnection[DictRow] = await AsyncConnection[DictRow].connect(
            address, autocommit=True, prepare_threshold=0, row_factory=dict_row,
            connect_timeout=CONNECT_SECONDS,
        )  # fmt: skip
    except OperationalError as error:
        raise StorageError(
            "The Postgres of DDAX_CHECKPOINTS does not answer.",
            why=" ".join(str(error).split())[:300],
            mend="Check the address and that the server runs, or unset DDAX_CHECKPOINTS.",
        ) from error
    async with connection:
        store = PostgresStore(connection, serde=serde)
        await _set_up(store, connection)
        yield store


async def _set_up(store: PostgresStore, connection: AsyncConnection[DictRow]) -> None:
    """Bring the tables up to date, one process at a time: workers of a batch begin at the same moment."""
    try:
        async with asyncio.timeout(SETUP_SECONDS):
            await _turn(connection)
    except TimeoutError as error:
        raise StorageError(
            "The tables in the Postgres of DDAX_CHECKPOINTS cannot be brought up to date.",
            why=f"Another process has been at it for {SETUP_SECONDS:.0f} seconds.",
            mend="Wait for it to end, or end it; pg_locks names it as the holder of an advisory lock.",
        ) from error
    try:
        await store.setup()
    finally:
        await connection.execute(f"SELECT pg_advisory_unlock{_TABLES}")


async def _turn(connection: AsyncConnection[DictRow]) -> None:
    """Wait until nobody else makes the tables."""
    # Asked for again and again: one that waits inside a statement would hold up, and be held up by, the
    # index that is made beside it.
    while True:
        row = await (await connection.execute(f"SELECT pg_try_advisory_lock{_TABLES} AS free")).fetchone()
        if row is not None and row["free"]:
            return
        await asyncio.sleep(SETUP_POLL_SECONDS)

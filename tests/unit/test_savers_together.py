"""What tasks of one step wrote is stored together: in few transactions, and all of it or an error."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import empty_checkpoint

from ddax.errors import DdaxError
from ddax.graph.savers.serializing import serializer
from ddax.graph.savers.sqlite import SqliteStore, open_sqlite

TASKS = 50
PLACE: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    async with open_sqlite(tmp_path / "checkpoints.sqlite", serializer("")) as opened:
        yield opened


async def a_checkpoint(store: SqliteStore) -> Any:
    return await store.aput(PLACE, empty_checkpoint(), {"source": "loop", "step": 0}, {})


async def stored(store: SqliteStore, at: Any) -> dict[str, Any]:
    found = await store.aget_tuple(at)
    assert found is not None
    return {task: value for task, _, value in found.pending_writes or ()}


async def test_tasks_that_end_together_share_a_transaction(store: SqliteStore) -> None:
    at = await a_checkpoint(store)
    said: list[str] = []
    await store.conn.set_trace_callback(said.append)
    await asyncio.gather(*(store.aput_writes(at, [("out", n)], f"task {n}") for n in range(TASKS)))
    await store.conn.set_trace_callback(None)
    assert await stored(store, at) == {f"task {n}": n for n in range(TASKS)}
    assert sum(words == "COMMIT" for words in said) <= 2


async def test_a_found_value_stays_and_an_error_is_replaced(store: SqliteStore) -> None:
    at = await a_checkpoint(store)
    for value in ("first", "second"):
        await asyncio.gather(
            store.aput_writes(at, [("out", value)], "found"),
            store.aput_writes(at, [("__error__", value)], "failed"),
        )
    assert await stored(store, at) == {"found": "first", "failed": "second"}


async def test_where_the_store_fails_every_task_is_told_and_nothing_lingers(store: SqliteStore) -> None:
    at = await a_checkpoint(store)
    await store.conn.execute("PRAGMA query_only = 1")
    failed = await asyncio.gather(
        *(store.aput_writes(at, [("out", n)], f"task {n}") for n in range(3)), return_exceptions=True
    )
    assert all("readonly" in str(error) and not isinstance(error, DdaxError) for error in failed), failed
    await store.conn.execute("PRAGMA query_only = 0")
    await store.aput_writes(at, [("out", 9)], "later")
    assert await stored(store, at) == {"later": 9}


async def test_what_nobody_waits_for_any_more_is_not_stored_behind_his_back(store: SqliteStore) -> None:
    at = await a_checkpoint(store)
    async with store.lock:
        given_up = asyncio.ensure_future(store.aput_writes(at, [("out", 1)], "given up"))
        kept = asyncio.ensure_future(store.aput_writes(at, [("out", 2)], "kept"))
        await asyncio.sleep(0)
        given_up.cancel()
    await kept
    assert given_up.cancelled()
    assert await stored(store, at) == {"kept": 2}

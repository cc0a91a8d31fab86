"""A memory on disk, opened and filled for the tests of it."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from ddax.configs.settings import Recall
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.protocol import Embedder, RecallQuery
from ddax.memory.store.namespace import ChromaMemory, open_memory
from ddax.memory.store.sqlite_schema import sum_up
from ddax.memory.store.sums import TABLES
from ddax.types import Record

NOW = 1_000_000.0


async def opened(
    path: Path, namespace: str = "n", *, embedder: Embedder | None = None, **more: Any
) -> ChromaMemory:
    embedder = embedder or HashEmbedder()
    return await open_memory(
        path, namespace=namespace, embedder=embedder, clock=lambda: NOW, recall=Recall(), **more
    )


async def filled(path: Path, n: int = 60, **more: Any) -> list[str]:
    memory = await opened(path, **more)
    ids = await memory.put([Record("observation", f"the river {i}", start=i) for i in range(n)])
    await memory.close()
    return ids


def edited(record: Path, *statements: str) -> None:
    """Change a closed record as if its rows had been written so."""
    with closing(sqlite3.connect(record)) as db, db:
        for statement in statements:
            assert db.execute(statement).rowcount
        for table in TABLES:
            sum_up(db, table)


async def found(memory: ChromaMemory, text: str) -> str:
    return (await memory.recall(RecallQuery(text, "new", 1, NOW + 1)))[0].record.text


async def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "The index did not open."
        await asyncio.sleep(0.01)

"""What leaves write together is committed together: each part all or nothing, and nothing told too early."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ddax.configs.settings import Recall
from ddax.errors import StorageError
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.protocol import FORGOTTEN, RecallQuery
from ddax.memory.share.busy_thread import Lane
from ddax.memory.store.migrations import Connection, gathered, open_database, transaction
from ddax.memory.store.namespace import ChromaMemory, open_memory
from ddax.types import Document, Record
from tests.unit.test_memory_fresh import settled


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Connection]:
    opened = open_database(tmp_path / "x.sqlite", (lambda new: new.execute("CREATE TABLE t (n)"),))  # type: ignore[arg-type,return-value]
    yield opened
    opened.close()


def numbers(path: Path) -> list[int]:
    """Return what another process would find."""
    with sqlite3.connect(path) as other:
        found = [row[0] for row in other.execute("SELECT n FROM t ORDER BY n")]
    other.close()
    return found


def write(db: Connection, n: int) -> None:
    with transaction(db):
        db.execute("INSERT INTO t VALUES (?)", (n,))


def test_nothing_is_there_before_the_end_and_all_of_it_after(db: Connection, tmp_path: Path) -> None:
    said: list[str] = []
    db.set_trace_callback(said.append)
    with gathered(db):
        for n in range(5):
            write(db, n)
        assert numbers(tmp_path / "x.sqlite") == []
    assert numbers(tmp_path / "x.sqlite") == [0, 1, 2, 3, 4]
    assert said.count("COMMIT") == 1
    write(db, 5)
    assert numbers(tmp_path / "x.sqlite")[-1] == 5


def test_a_part_that_fails_leaves_the_others(db: Connection, tmp_path: Path) -> None:
    with gathered(db):
        write(db, 1)
        with pytest.raises(ZeroDivisionError), transaction(db):
            db.execute("INSERT INTO t VALUES (2)")
            _ = 1 / 0
        write(db, 3)
    assert numbers(tmp_path / "x.sqlite") == [1, 3]


def test_where_sqlite_gives_up_what_was_gathered_the_whole_block_has_failed(
    db: Connection, tmp_path: Path
) -> None:
    with pytest.raises(sqlite3.OperationalError, match="disk is full"), gathered(db):
        write(db, 1)
        with pytest.raises(sqlite3.OperationalError), transaction(db):
            db.execute("ROLLBACK")  # as SQLite does by itself where the disk is full
            raise sqlite3.OperationalError("database or disk is full")
        write(db, 3)
    assert numbers(tmp_path / "x.sqlite") == []


def test_reading_alone_begins_nothing(db: Connection) -> None:
    said: list[str] = []
    db.set_trace_callback(said.append)
    with gathered(db):
        assert db.execute("SELECT count(*) FROM t").fetchone() == (0,)
    assert said == ["SELECT count(*) FROM t"]


async def test_where_the_trip_fails_at_its_end_everybody_is_told() -> None:
    @contextmanager
    def fails() -> Iterator[None]:
        yield
        raise OSError("no room")

    def broken() -> int:
        raise ValueError("my own")

    lane = Lane("test", around=fails)
    found = await asyncio.gather(lane.run(lambda: 1), lane.run(broken), return_exceptions=True)
    lane.shutdown()
    assert isinstance(found[0], OSError)
    assert isinstance(found[1], ValueError)


async def a_memory(path: Path) -> ChromaMemory:
    return await open_memory(
        path, namespace="test", embedder=HashEmbedder(), clock=lambda: 1000.0, recall=Recall()
    )


async def test_where_the_disk_is_full_every_writer_is_told_and_the_index_hears_of_nothing(
    tmp_path: Path,
) -> None:
    memory = await a_memory(tmp_path)
    await memory.put([Record("observation", "the first", task="t")])
    record = memory._shared.record
    record._db.execute("PRAGMA query_only = 1")
    failed = await asyncio.gather(
        *(memory.put([Record("observation", f"row {n}", task="t")]) for n in range(5)),
        memory.log("notes", {"task": "t"}, key="k"),
        return_exceptions=True,
    )
    assert all(isinstance(error, StorageError) for error in failed), failed
    record._db.execute("PRAGMA query_only = 0")
    await memory.put([Record("observation", "the last", task="t")])
    assert await memory.count("observation") == 2
    assert await memory.rows("notes") == []
    await memory.close()
    again = await a_memory(tmp_path)
    assert await again.rebuild() == 2
    asked = RecallQuery("the first row, the last", "u", before_step=9, now=2000.0, m_observations=9)
    hits = await again.recall(asked)
    assert sorted(hit.record.text for hit in hits) == ["the first", "the last"]
    await again.close()


async def test_where_the_disk_fills_up_what_was_to_be_buried_stays_in_the_index(tmp_path: Path) -> None:
    memory = await a_memory(tmp_path)
    asked = RecallQuery("the harbour", "u", before_step=9, now=2000.0)
    await memory.put([Record("observation", f"the harbour number {n}", task="t") for n in range(30)])
    [hit] = (await memory.similar(["the harbour number 7"], asked, k=1))[0]
    record = memory._shared.record
    pages = record._db.execute("PRAGMA page_count").fetchone()[0]
    record._db.execute(f"PRAGMA max_page_count = {pages}")
    free = threading.Event()
    memory._shared.on_record(free.wait)  # what is asked for now goes in one trip
    trip = asyncio.gather(
        memory.upkeep.bury([hit.record.id], FORGOTTEN),
        memory.put_page(Document("d", "s", "t", "x" * 1_000_000)),
        return_exceptions=True,
    )
    await asyncio.sleep(0)
    free.set()
    assert all(isinstance(error, StorageError) for error in await trip)
    assert [one.record.id for [one] in await memory.similar(["the harbour number 7"], asked, k=1)] == [
        hit.record.id
    ]
    await memory.close()
    assert settled(tmp_path) == {"observation": 30}


async def test_what_leaves_put_together_is_found_in_the_index(tmp_path: Path) -> None:
    memory = await a_memory(tmp_path)
    await asyncio.gather(
        *(memory.put([Record("observation", f"the harbour number {n}", task="t")]) for n in range(40))
    )
    for n in (0, 17, 39):
        text = f"the harbour number {n}"
        near = await memory.similar([text], RecallQuery(text, "u", before_step=9, now=2000.0), k=1)
        assert [hit.record.text for hit in near[0]] == [text]
    await memory.close()
    assert settled(tmp_path) == {"observation": 40}
    assert not (tmp_path / "index.dirty").exists()


async def test_what_leaves_log_together_is_kept_once_and_in_the_order_asked_for(tmp_path: Path) -> None:
    memory = await a_memory(tmp_path)
    rows = [{"task": "t", "n": n} for n in range(300)]
    await asyncio.gather(*(memory.log("notes", row, key=f"{row['n'] // 2}") for row in rows))
    assert await memory.rows("notes", task="t") == rows[::2]
    await memory.log("notes", {"task": "t", "n": -1}, key="0")
    assert await memory.rows("notes") == rows[::2]
    await memory.close()

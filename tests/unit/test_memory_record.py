"""The record of a memory on disk: its versions, its backups, and what a disk refuses."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from ddax.errors import StateError, StorageError
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.records import namespace_key
from ddax.memory.store.migrations import open_database, sqlite_errors
from ddax.memory.store.sqlite_schema import STEPS
from ddax.types import Record
from tests.unit.store_files import NOW, filled, found, opened


async def test_a_record_of_the_first_version_is_migrated_after_a_backup(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    ns, vector = namespace_key("n"), embedder.embed(["the river"])[0].tobytes()
    db = open_database(tmp_path / "record.sqlite", STEPS[:1])
    made_with = (embedder.name, embedder.fingerprint, embedder.dim)
    db.execute("INSERT INTO namespace VALUES (?, 'n', ?, ?, ?)", (ns, *made_with))
    row = {
        "id": "a" * 64, "ns": ns, "type": "observation", "near": "key", "text": "the river", "source": "",
        "title": "", "start": 0, "stop": 0, "task": "o", "idea": "", "step": 1, "writer": "agent",
        "epsilon": 0.0, "created": NOW - 5, "meta": "{}", "vector": vector,
    }  # fmt: skip
    marks = ", ".join("?" * len(row))
    db.execute(f"INSERT INTO memory ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))
    db.close()
    memory = await opened(tmp_path)
    (kept,) = await memory.upkeep.scan()
    assert kept.committed == kept.record.created == NOW - 5 and kept.record.valid_from == 0.0
    assert await found(memory, "the river") == "the river"
    await memory.close()
    assert (tmp_path / "record.sqlite.backup-v1").is_file()


async def test_a_newer_record_is_refused_and_released(tmp_path: Path) -> None:
    await filled(tmp_path, 1)
    db = sqlite3.connect(tmp_path / "record.sqlite")
    db.execute("PRAGMA user_version=99")
    db.close()
    for _ in range(2):
        with pytest.raises(StateError, match="version 99") as caught:
            await opened(tmp_path)
        assert caught.value.exit_code == 4


async def test_a_record_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "record.sqlite").write_bytes(b"nonsense" * 4096)
    with pytest.raises(StateError, match="damaged"):
        await opened(tmp_path)


async def test_a_folder_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError) as caught:
        await opened(tmp_path / "file" / "memory")
    assert caught.value.exit_code == 7


async def test_a_full_disk_is_a_storage_error_and_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    memory = await opened(tmp_path)
    ids = await memory.put([Record("observation", "the river")])
    database = memory._shared.record._db
    pages = database.execute("PRAGMA page_count").fetchone()[0]
    database.execute(f"PRAGMA max_page_count={pages}")
    with pytest.raises(StorageError, match="full"):
        await memory.put([Record("observation", "x" * 200_000)])
    assert [row.id for row in await memory.get(ids)] == ids
    assert await memory.count("observation") == 1
    await memory.close()


def test_steps_of_a_schema_commit_one_by_one_after_a_backup(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    steps = [lambda db: db.execute("CREATE TABLE a (v)"), lambda db: db.execute("ALTER TABLE a ADD COLUMN w")]
    db = open_database(path, steps[:1])
    db.execute("INSERT INTO a VALUES (7)")
    db.close()

    def failing(db: sqlite3.Connection) -> None:
        db.execute("CREATE TABLE half (v)")
        raise sqlite3.OperationalError("no such thing")

    with pytest.raises(StateError):
        open_database(path, [*steps, failing])
    db = open_database(path, steps)
    assert db.execute("SELECT v, w FROM a").fetchall() == [(7, None)]
    assert db.execute("PRAGMA user_version").fetchone() == (2,)
    assert db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half'").fetchone() == (0,)
    db.close()
    backup = sqlite3.connect(tmp_path / "x.sqlite.backup-v1")
    assert backup.execute("SELECT * FROM a").fetchall() == [(7,)]
    backup.close()


@pytest.mark.parametrize(
    ("raised", "mapped"),
    [
        (sqlite3.OperationalError("database or disk is full"), StorageError),
        (sqlite3.OperationalError("attempt to write a readonly database"), StorageError),
        (sqlite3.OperationalError("unable to open database file"), StorageError),
        (sqlite3.OperationalError("database is locked"), StorageError),
        (sqlite3.DatabaseError("database disk image is malformed"), StateError),
    ],
)
def test_what_sqlite_raises_is_named(raised: Exception, mapped: type[Exception], tmp_path: Path) -> None:
    with pytest.raises(mapped, match=str(raised)), sqlite_errors(tmp_path):
        raise raised

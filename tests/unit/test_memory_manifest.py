"""The manifest of a record: it names every loss of what was acknowledged, and no kill makes it cry wolf."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from ddax.errors import StateError
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.protocol import Relation
from ddax.memory.records import namespace_key, rows_of
from ddax.memory.store import manifest
from ddax.memory.store.manifest import noted
from ddax.memory.store.mending import begun_anew, rebuilt, restored
from ddax.memory.store.migrations import Connection, open_database
from ddax.memory.store.record_check import check_record, held_now
from ddax.memory.store.sqlite import Logged, RecordStore
from ddax.memory.store.sqlite_schema import STEPS
from ddax.types import Document, Record

NS = namespace_key("n")
EMBEDDER = HashEmbedder()
RECORD = "record.sqlite"


def put(store: RecordStore, *numbers: int) -> list[str]:
    store.open_namespace(NS, "n", EMBEDDER)
    records = [Record("observation", f"river {n} of the map", start=n, task="t") for n in numbers]
    rows = rows_of(records, namespace="n", now=1.0)
    vectors = {row.near: EMBEDDER.embed([row.record.text])[0] for row in rows}
    ids = store.insert(NS, rows, vectors, committed=2.0).ids
    store.log(NS, [Logged("ledger", f"k{n}", f'{{"n": {n}}}', "t", None) for n in numbers], committed=2.0)
    store.put_page(NS, f"h{numbers[0]}", Document("d", "s", "t", "a long page " * 600, ()))
    return ids


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """A record of a process that closed it."""
    folder = tmp_path / "closed"
    folder.mkdir()
    store = RecordStore(folder / RECORD)
    put(store, *range(60))
    store.close()
    return folder / RECORD


@pytest.fixture
def killed(tmp_path: Path, closed: Path) -> Path:
    """A record whose process was killed with rows in its write-ahead log."""
    folder = shutil.copytree(closed.parent, tmp_path / "running")
    store = RecordStore(folder / RECORD)
    put(store, *range(60, 80))
    shutil.copytree(folder, tmp_path / "killed")
    store.close()
    return tmp_path / "killed" / RECORD


def wal(record: Path) -> Path:
    return record.with_name(f"{record.name}-wal")


def flipped(file: Path, place: float) -> None:
    data = bytearray(file.read_bytes())
    data[int(place * (len(data) - 1))] ^= 4
    file.write_bytes(data)


def zeroed(file: Path) -> None:
    size = file.stat().st_size
    file.write_bytes(file.read_bytes()[: size // 3] + bytes(size // 3) + file.read_bytes()[2 * size // 3 :])


def sql(record: Path, script: str) -> None:
    with closing(sqlite3.connect(record)) as db:
        db.executescript(script)


def older(record: Path) -> None:
    record.unlink()
    open_database(record, STEPS[:3]).close()


def other(folder: Path) -> Path:
    """Another home's record, with rows of its own."""
    folder.mkdir()
    store = RecordStore(folder / RECORD)
    put(store, *range(500, 530))
    store.close()
    return folder / RECORD


OF_CLOSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "empty": (lambda r: r.write_bytes(b""), "is gone. The file is empty. It held 60 memories, 1 page, 60"),
    "missing": (lambda r: r.unlink(), "is gone. The file is missing. It held 60 memories"),
    "cut": (lambda r: os.truncate(r, r.stat().st_size // 2), "damaged"),
    "the middle zeroed": (zeroed, "damaged"),
    "no database": (lambda r: r.write_bytes(b"nonsense" * 4096), "damaged"),
    "another home's": (lambda r: shutil.copy(other(r.parent / "x"), r), "is another one's"),
    "without its tables": (lambda r: sql(r, "DROP TABLE log"), "damaged"),
    "a row changed": (
        lambda r: sql(r, "UPDATE log SET row = '{}' WHERE key < 'b'"),
        "log rows in it cannot be found or are not as they were written",
    ),
    "rows deleted by hand": (
        lambda r: sql(r, "DROP TRIGGER memory_delete; DELETE FROM memory WHERE seq < 4"),
        "3 memories in it cannot be found",
    ),
    "made by an older release": (
        lambda r: older(r),
        "is an older copy",
    ),
}  # fmt: skip
OF_KILLED: dict[str, tuple[Callable[[Path], object], str]] = {
    "log missing": (lambda r: wal(r).unlink(), "at commit 5 and had come to 8"),
    "log empty": (lambda r: wal(r).write_bytes(b""), "It held 80 memories"),
    "log zeroed": (lambda r: wal(r).write_bytes(bytes(wal(r).stat().st_size)), "There is 60 memories"),
    "log flipped": (lambda r: flipped(wal(r), 0.5), "has lost what was written last"),
    "log cut": (lambda r: os.truncate(wal(r), wal(r).stat().st_size - 100), "lost what was written last"),
    "another home's log": (lambda r: _foreign_log(r), "is another one's"),
    "file empty": (lambda r: r.write_bytes(b""), "is gone"),
}  # fmt: skip


def _foreign_log(record: Path) -> None:
    folder = record.parent / "y"
    folder.mkdir()
    store = RecordStore(folder / RECORD)
    put(store, 900)
    shutil.copy(wal(folder / RECORD), wal(record))
    store.close()


@pytest.mark.parametrize("kind", OF_CLOSED)
@pytest.mark.parametrize("reading", [False, True], ids=["to write", "to look"])
def test_a_record_that_lost_something_is_named_at_every_opening(
    closed: Path, kind: str, reading: bool
) -> None:
    damage, said = OF_CLOSED[kind]
    damage(closed)
    for _ in range(2):
        with pytest.raises(StateError, match=said) as caught:
            RecordStore(closed, reading=reading)
        assert caught.value.exit_code == 4
    for choice in ("ddax memory rebuild", "ddax memory restore FILE", "ddax memory reset"):
        assert choice in caught.value.mend


@pytest.mark.parametrize("kind", OF_KILLED)
@pytest.mark.parametrize("reading", [False, True], ids=["to write", "to look"])
def test_a_log_that_lost_rows_is_named_and_stays_as_it_is(killed: Path, kind: str, reading: bool) -> None:
    damage, said = OF_KILLED[kind]
    damage(killed)
    left = wal(killed).read_bytes() if wal(killed).exists() else b""
    for _ in range(2):
        with pytest.raises(StateError, match=said):
            RecordStore(killed, reading=reading)
    assert (wal(killed).read_bytes() if wal(killed).exists() else b"") == left


def test_a_killed_record_is_whole_and_its_older_copy_is_not(killed: Path, closed: Path) -> None:
    store = RecordStore(killed)
    assert store.total() == 80
    store.close()
    shutil.copy(closed, killed)
    with pytest.raises(StateError, match="at commit 5 and had come to 8"):
        RecordStore(killed)


@pytest.mark.parametrize(
    "left", [b"", None, b"nonsense", bytes(1024)], ids=["empty", "none", "cut", "zeroed"]
)
def test_a_lost_manifest_of_a_whole_record_is_made_anew(closed: Path, left: bytes | None) -> None:
    note = manifest.manifest_of(closed)
    before = noted(closed).held
    note.unlink()
    if left is not None:
        note.write_bytes(left)
    RecordStore(closed, reading=True).close()
    store = RecordStore(closed)
    assert store.total() == 60
    store.close()
    assert noted(closed).held == before


def test_a_lost_manifest_and_a_lost_record_are_not_a_new_home(closed: Path) -> None:
    manifest.manifest_of(closed).write_bytes(b"")
    closed.write_bytes(b"")
    with pytest.raises(StateError, match="is gone"):
        RecordStore(closed)
    manifest.manifest_of(closed).unlink()
    (closed.parent / "index" / "1").mkdir(parents=True)
    with pytest.raises(StateError, match="is gone"):
        RecordStore(closed)


def test_an_older_manifest_does_no_harm_and_another_homes_is_named(closed: Path, killed: Path) -> None:
    shutil.copy(manifest.manifest_of(closed), manifest.manifest_of(killed))
    store = RecordStore(killed)
    assert store.total() == 80
    store.close()
    shutil.copy(manifest.manifest_of(other(killed.parent / "z")), manifest.manifest_of(killed))
    with pytest.raises(StateError, match="another one's"):
        RecordStore(killed)


def test_no_flip_of_a_bit_in_a_record_is_silent(killed: Path, tmp_path: Path) -> None:
    """Each flip is named, or every row is as it was written."""

    def rows(record: Path) -> list[tuple[object, ...]]:
        with closing(RecordStore(record, reading=True)) as store:
            tables = ("memory", "log", "page", "sighting", "namespace")
            return [row for table in tables for row in store._db.execute(f"SELECT * FROM {table}")]

    whole, named = rows(killed), 0
    for number in range(60):
        copy = shutil.copytree(killed.parent, tmp_path / f"copy{number}") / RECORD
        flipped(copy, number / 60)
        try:
            assert rows(copy) == whole, number
        except StateError:
            named += 1
    assert named > 10


MOMENTS = ("before the commit", "behind the commit", "behind the note")


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("commits", [1, 2, 3])
def test_a_kill_at_any_point_of_a_commit_never_cries_wolf(
    closed: Path, moment: str, commits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = os.fork()
    if not child:
        _die(closed, moment, commits)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    acknowledged = 60 + commits - 1
    store = RecordStore(closed)
    assert store.total() == acknowledged + (moment != MOMENTS[0])
    store.close()
    check_record(closed, deep=True)


def _die(record: Path, moment: str, commits: int) -> None:
    """Commit so often, and die at a moment of the last one."""
    store = RecordStore(record)
    db, held = store._db, store._held
    assert isinstance(db, Connection) and db.counting is not None and held is not None
    counting, left = db.counting, commits

    def dying() -> Callable[[], None]:
        nonlocal left
        left -= 1
        noting = counting()
        if left:
            return noting
        if moment == MOMENTS[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        return last

    def last() -> None:
        if moment == MOMENTS[2]:
            held._note(held_now(db))
        os.kill(os.getpid(), signal.SIGKILL)

    db.counting = dying
    for number in range(commits):
        rows = rows_of([Record("observation", f"a late river {number}")], namespace="n", now=1.0)
        vectors = {row.near: EMBEDDER.embed([row.record.text])[0] for row in rows}
        store.insert(NS, rows, vectors, committed=3.0)
    os._exit(1)


def test_gathered_writes_are_counted_once_and_noted_behind_their_commit(closed: Path) -> None:
    store = RecordStore(closed)
    before = noted(closed).held
    assert before is not None
    with store.together():
        put(store, 100)
        put(store, 101)
        assert noted(closed).held == before
    after = noted(closed).held
    assert after is not None and after.commits == before.commits + 1 and after.rows["memory"] == 62
    with store.together():
        assert store.total() == 62
    assert noted(closed).held == after, "who only reads commits nothing"
    store.close()


def test_a_commit_waits_for_the_disk_no_more_often_than_before(
    closed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = RecordStore(closed)
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    monkeypatch.setattr(manifest, "write_atomic", lambda *_: pytest.fail("the file is written in place"))
    size = manifest.manifest_of(closed).stat().st_size
    for number in range(200, 220):
        put(store, number)
    store.close()
    assert synced == [] and manifest.manifest_of(closed).stat().st_size == size


def test_a_record_of_an_older_release_is_counted_once_without_a_word(tmp_path: Path) -> None:
    record = tmp_path / RECORD
    db = open_database(record, STEPS[:3])
    page = (NS, "h", "d", "s", "t", "text", "[]")
    db.execute("INSERT INTO page VALUES (?, ?, ?, ?, ?, ?, ?)", page)
    db.close()
    with closing(RecordStore(record, reading=True)) as looking:
        assert looking.page(NS, "h") is not None
    assert not manifest.manifest_of(record).exists(), "who looks changes nothing"
    for _ in range(2):
        store = RecordStore(record)
        assert store.page(NS, "h") is not None
        store.close()
        held = noted(record).held
        assert held is not None and held.rows["page"] == 1 and held.generation == 1
    check_record(record, deep=True)


def test_a_damaged_record_of_an_older_release_is_not_taken_for_whole(tmp_path: Path) -> None:
    record = tmp_path / RECORD
    db = open_database(record, STEPS[:3])
    for number in range(50):
        page = (NS, f"h{number}", "d", "s", "t", "text " * 800, "[]")
        db.execute("INSERT INTO page VALUES (?, ?, ?, ?, ?, ?, ?)", page)
    db.close()
    data = bytearray(record.read_bytes())
    data[-8 * 4096 : -4 * 4096] = bytes(4 * 4096)
    record.write_bytes(data)
    with pytest.raises(StateError, match="damaged"):
        RecordStore(record)
    assert not manifest.manifest_of(record).exists()


def test_every_way_of_writing_keeps_the_sums(closed: Path) -> None:
    store = RecordStore(closed)
    a, b, c = put(store, 1, 2, 3)
    store.upkeep.relate(NS, [Relation("supersedes", b, a, 1, "t", 1, 2, 3)], committed=4)
    store.upkeep.bury(NS, [c], "merged", a, now=5)
    store.upkeep.branch(NS, "t", "u", step=9, before=9.0)
    rows = rows_of(
        [Record("observation", "river 1 of the map", start=1, task="t", step=-1)], namespace="n", now=1
    )
    store.insert(NS, rows, {}, committed=9)
    store.log(NS, [Logged("rules", "r", "{}", "t", EMBEDDER.embed(["a"])[0])], committed=7)
    vector = EMBEDDER.embed(["anew"])[0]
    store.replace_vectors(NS, EMBEDDER, [(1, vector)], [(1, vector)])
    store.close()
    check_record(closed, deep=True)


def test_a_rebuild_takes_what_is_there_and_says_what_is_lost(killed: Path) -> None:
    zeroed(killed)
    mended = rebuilt(killed, clock=time.time)
    assert mended is not None and mended.aside is not None
    assert mended.rows["memory"] + mended.lost.get("memory", 0) == 80
    assert mended.lost
    store = RecordStore(killed)
    assert store.total() == mended.rows["memory"]
    store.close()
    assert (mended.aside / wal(killed).name).stat().st_size
    assert rebuilt(killed, clock=time.time) is None


def test_a_rebuild_needs_no_file_where_the_log_has_it_all(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    store = RecordStore(tmp_path / "a" / RECORD)
    put(store, *range(5))
    record = shutil.copytree(tmp_path / "a", tmp_path / "b") / RECORD
    store.close()
    record.unlink()
    mended = rebuilt(record, clock=time.time)
    assert mended is not None and mended.rows["memory"] == 5 and not mended.lost


def test_a_rebuild_leaves_out_a_log_that_is_not_of_this_record(closed: Path) -> None:
    _foreign_log(closed)
    mended = rebuilt(closed, clock=time.time)
    assert mended is not None and mended.rows["memory"] == 60 and not mended.lost


def test_a_copy_is_put_back_whatever_was_there_and_a_damaged_one_is_not(closed: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy(closed, tmp_path / "copy.sqlite"))
    closed.write_bytes(b"")
    assert restored(closed, copy, clock=time.time).rows["memory"] == 60
    store = RecordStore(closed)
    put(store, 70)
    assert store.total() == 61
    store.close()
    zeroed(copy)
    with pytest.raises(StateError, match=r"Nothing was changed\. Name another copy"):
        restored(closed, copy, clock=time.time)
    with closing(RecordStore(closed, reading=True)) as looking:
        assert looking.total() == 61


def test_a_kill_while_a_record_is_mended_is_named_or_done(
    closed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def dies(*_: object, **__: object) -> None:
        raise Killed

    kept = {"done": 0, "before the new one is there": 60, "before it is noted": 0}
    dying = {
        "before the new one is there": (Path, "replace"),
        "before it is noted": (manifest.Manifest, "make"),
    }
    for name, rows in kept.items():
        record = shutil.copytree(closed.parent, tmp_path / name) / RECORD
        with monkeypatch.context() as patched:
            if name in dying:
                patched.setattr(*dying[name], dies)
                with pytest.raises(Killed):
                    begun_anew(record, clock=time.time)
            else:
                begun_anew(record, clock=time.time)
        store = RecordStore(record)
        assert store.total() == rows, name
        store.close()

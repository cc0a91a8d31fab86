"""What a look costs does not grow with what a thread has left behind, and finds what a walk finds."""

from __future__ import annotations

import json
import math
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ddax.memory.protocol import Blots, LogRow, Relation
from ddax.memory.records import REFLECTIONS, Row, digest, matches
from ddax.memory.store import kept_rows, sqlite
from ddax.memory.store.manifest import noted, whole_file
from ddax.memory.store.record_check import check_record
from ddax.memory.store.sqlite import Asked, Logged, RecordStore
from ddax.memory.store.sqlite_schema import STEPS, sum_up
from ddax.memory.store.sums import TABLES
from ddax.types import Record

NS, TASK = "n", "t"
KINDS = ("policy", "value")


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with closing(RecordStore(tmp_path / "record.sqlite")) as opened:
        yield opened


def vector(seed: int) -> Any:
    return np.random.default_rng(seed).standard_normal(4).astype(np.float32)


def learned(store: RecordStore, *numbers: int) -> None:
    """Log a lesson under each number, committed then, beside rows of another log."""
    for n in numbers:
        said = {"kind": KINDS[n % 2], "text": f"lesson {n}", "about": n}
        store.log(NS, [Logged(REFLECTIONS, str(n), json.dumps(said), TASK, vector(n))], committed=n)
        store.log(
            NS, [Logged("ledger", str(n), json.dumps({"text": f"lesson {n}"}), TASK, None)], committed=n
        )


def remembered(store: RecordStore, *numbers: int, task: str = TASK) -> list[str]:
    rows = [
        Row(Record("observation", f"row {n}", task=task, id=f"{n:064x}", step=n), str(n)) for n in numbers
    ]
    return store.insert(NS, rows, {str(n): vector(n) for n in numbers}, committed=5.0).ids


def steps(store: RecordStore, look: Callable[[], object]) -> int:
    """Count what SQLite's machine does in a look."""
    taken = [0]

    def step() -> int:
        taken[0] += 1
        return 0

    store._db.set_progress_handler(step, 1)
    look()
    store._db.set_progress_handler(None, 0)
    return taken[0]


LOOKS: dict[str, Callable[[RecordStore], object]] = {
    "what is found by meaning": lambda s: s.findable(NS, REFLECTIONS, math.inf, "policy"),
    "what has a text": lambda s: s.rows(NS, REFLECTIONS, {"text": "lesson 3"}, 1000, math.inf),
    "the log of one task": lambda s: s.rows(NS, REFLECTIONS, {"task": "new"}, 1000, math.inf),
}


@pytest.mark.parametrize("look", LOOKS)
def test_a_look_into_a_long_log_does_what_one_into_a_short_one_does(store: RecordStore, look: str) -> None:
    taken = []
    for first in (0, 1000):
        with store.together():
            learned(store, *range(first, first + 50))
        LOOKS[look](store)
        learned(store, first + 50)
        taken.append(steps(store, lambda: LOOKS[look](store)))
        with store.together():
            learned(store, *range(first + 51, first + 1000))
    assert taken[1] <= 1.2 * taken[0]


def test_what_is_found_is_what_a_walk_finds_whatever_was_done(store: RecordStore, tmp_path: Path) -> None:
    rng, number = random.Random(3), iter(range(10**6))

    def undone() -> None:
        with suppress(RuntimeError), store.together():
            learned(store, next(number), next(number))
            store.findable(NS, REFLECTIONS, math.inf)
            raise RuntimeError

    def blotted() -> None:
        rows = [row for row in store.upkeep.logs(NS, 0, 10**6) if row.table == REFLECTIONS]
        if len(rows) > 3:
            changed, gone = rng.sample(rows, 2)
            said = {"kind": rng.choice(KINDS), "text": "changed"}
            blots = Blots([LogRow(changed.seq, REFLECTIONS, said)], [gone.seq], [], [])
            store.upkeep.blot(NS, blots)

    def elsewhere() -> None:
        with closing(sqlite3.connect(tmp_path / "record.sqlite")) as db, db:
            db.execute("DELETE FROM log WHERE seq = (SELECT max(seq) FROM log)")
            db.execute(
                "UPDATE log SET row = json_set(row, '$.kind', 'value'), sum = sum + 1 "
                "WHERE seq = (SELECT min(seq) FROM log WHERE vector IS NOT NULL)"
            )

    for _ in range(300):
        rng.choice([lambda: learned(store, next(number)), undone, blotted, elsewhere])()
        now, kind = rng.choice([math.inf, float(rng.randrange(50))]), rng.choice([None, *KINDS])
        found = store.findable(NS, REFLECTIONS, now, kind)
        walked = store._db.execute(
            "SELECT key, row, vector FROM log WHERE ns = ? AND name = ? AND created < ? ORDER BY seq",
            (NS, REFLECTIONS, now),
        ).fetchall()
        there = [(key, json.loads(row), blob) for key, row, blob in walked]
        there = [one for one in there if kind is None or one[1]["kind"] == kind]
        assert found.rows == [(key, row) for key, row, _ in there]
        assert found.vectors.tobytes() == b"".join(blob for *_, blob in there)


def test_rows_of_a_text_are_those_that_a_walk_finds(store: RecordStore) -> None:
    rng = random.Random(5)
    texts: list[Any] = ["a", "ä'\"\\", "b\0", "", 7, True, None]
    rows = [{"kind": "policy", "text": rng.choice(texts), "n": n} for n in range(200)]
    with store.together():
        for n, row in enumerate(rows):
            store.log(NS, [Logged(REFLECTIONS, str(n), json.dumps(row), "", vector(n))], committed=n)
    for text in texts:
        for limit, before in ((1000, math.inf), (3, math.inf), (1000, 90.0)):
            found = store.answers(NS, [Asked(REFLECTIONS, {"text": text}, limit, before)])[0]
            walked = [row for n, row in enumerate(rows) if n < before and matches(row, {"text": text})]
            assert found == walked[:limit]


def test_candidates_are_what_is_stored_now_and_are_read_once(
    store: RecordStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    fresh = kept_rows.KeptRows._fresh

    def counted(rows: Any, ns: str, ids: Any) -> Any:
        read.extend(ids)
        return fresh(rows, ns, ids)

    monkeypatch.setattr(kept_rows.KeptRows, "_fresh", counted)
    ids = remembered(store, *range(20))
    first = store.candidates(NS, ids, TASK)
    assert [c.seen_step for c in first] == list(range(20)) and len(read) == 20
    remembered(store, 3, task="other")
    store.upkeep.relate(NS, [Relation("supersedes", ids[1], ids[0], 1, TASK, 1, 2, 3)], committed=4)
    seen = {c.record.id: c for c in store.candidates(NS, ids, "other")}
    assert len(read) == 20, "who has seen a row is asked; the row is not read again"
    assert [seen[i].seen_step for i in ids[2:5]] == [None, 3, None]
    assert len(seen[ids[0]].superseded) == 1 and seen[ids[5]].vector.tolist() == vector(5).tolist()
    store._db.execute("UPDATE memory SET title = 'new', sum = sum + 1 WHERE id = ?", (ids[7],))
    store.upkeep.bury(NS, [ids[8]], "forgotten", "", now=9.0)
    after = {c.record.id: c for c in store.candidates(NS, ids, TASK)}
    assert read[20:] == [ids[7]] and after[ids[7]].record.title == "new" and ids[8] not in after


def test_more_rows_than_are_kept_are_read_each_time(store: RecordStore) -> None:
    store._kept._most = 3
    ids = remembered(store, *range(9))
    for _ in range(2):
        assert [c.record.id for c in store.candidates(NS, ids, TASK)] == ids
        assert len(store._kept._kept) <= 3


def test_a_record_of_the_version_before_is_brought_up_and_answers_as_it_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "record.sqlite"
    question = Asked(REFLECTIONS, {"text": "lesson 3"}, 1000, math.inf)
    with monkeypatch.context() as patch, closing(_older(path, patch)) as older:
        learned(older, *range(8), 3 + 1000)
        answered = older.answers(NS, [question])
        found = older.findable(NS, REFLECTIONS, math.inf, "value")
    for _ in range(2):
        with closing(RecordStore(path)) as store:
            assert store.answers(NS, [question]) == answered and answered[0]
            again = store.findable(NS, REFLECTIONS, math.inf, "value")
            assert again.rows == found.rows and again.vectors.tobytes() == found.vectors.tobytes()
            assert store._db.execute("PRAGMA user_version").fetchone() == (5,)
        said = noted(path)
        assert said.whole is not None and said.whole == whole_file(path), "it is known again by its bytes"
    check_record(path, deep=True)
    assert path.with_name("record.sqlite.backup-v4").is_file()


def test_a_row_that_is_no_json_hinders_no_bringing_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "record.sqlite"
    with monkeypatch.context() as patch, closing(_older(path, patch)) as older:
        learned(older, 1, 2)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE log SET row = 'no' WHERE key = ?", (digest("1"),))
        for table in TABLES:
            sum_up(db, table)
    with closing(RecordStore(path)) as store:
        assert len(store.rows(NS, REFLECTIONS, {"text": "lesson 2"}, 9, math.inf)) == 1


def _older(path: Path, patch: pytest.MonkeyPatch) -> RecordStore:
    """Open a record as the release of the version before did."""
    patch.setattr(sqlite, "STEPS", STEPS[:4])
    return RecordStore(path)

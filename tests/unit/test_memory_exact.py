"""A recall without an index finds what looking at every row finds, and reads a vector once."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ddax.memory.embeddings import HashEmbedder
from ddax.memory.protocol import RecallQuery, Relation
from ddax.memory.records import Row
from ddax.memory.scoring import Candidate, is_visible
from ddax.memory.store import exact_search
from ddax.memory.store.sqlite import RecordStore
from ddax.types import MemoryType, Record

NS, KIND = "n", "observation"
TASKS = ("t", "u", "")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RecordStore]:
    with closing(RecordStore(tmp_path / "record.sqlite")) as opened:
        yield opened


def vector(seed: int) -> Any:
    """Return a unit vector; every tenth is that of another seed, so that there are ties."""
    made = np.random.default_rng(seed - seed % 10 if seed % 10 == 1 else seed).standard_normal(384)
    return (made / np.linalg.norm(made)).astype(np.float32)


def put(store: RecordStore, *numbers: int, task: str = "u", step: int = 1, kind: MemoryType = KIND) -> None:
    rows = [
        Row(Record(kind, f"row {n}", task=task, step=step, id=f"{n:064x}", created=n), f"{kind} {n}")
        for n in numbers
    ]
    with store.together():
        vectors = {row.near: vector(n) for row, n in zip(rows, numbers, strict=True)}
        store.insert(NS, rows, vectors, committed=float(max(numbers)))


def looked_at(store: RecordStore, asked: RecallQuery, vectors: list[Any], k: int) -> list[list[str]]:
    """Do it row by row, with what was read just now."""
    ids = store.ids(NS, KIND)
    there = {c.record.id: c for c in store.candidates(NS, ids, asked.task)}
    seen: list[Candidate] = [there[one] for one in ids if is_visible(there[one], asked)]
    if not seen:
        return [[] for _ in vectors]
    fresh = dict(store.vectors(NS, ids))
    rows = np.stack([fresh[c.record.id] for c in seen])
    pairs = [
        sorted(zip((-(rows @ one)).tolist(), [c.record.id for c in seen], strict=True)) for one in vectors
    ]
    return [[row_id for _, row_id in found[:k]] for found in pairs]


def test_the_nearest_are_those_of_all_rows_whatever_was_done(store: RecordStore, tmp_path: Path) -> None:
    rng, number, found = random.Random(11), iter(range(10**6)), 0
    store.open_namespace(NS, NS, HashEmbedder())

    def grown() -> None:
        numbers = [next(number) for _ in range(rng.randint(1, 9))]
        put(store, *numbers, task=rng.choice(TASKS), step=rng.randint(0, 3))
        put(store, *(n + 10**6 for n in numbers), kind="internal_thought")

    def outdated() -> None:
        newer, older = rng.sample(store.ids(NS, KIND), 2)
        at = float(rng.randrange(100))
        store.upkeep.relate(NS, [Relation("supersedes", newer, older, 1, "t", 1, at, at)], committed=at)

    def buried() -> None:
        store.upkeep.bury(NS, [rng.choice(store.ids(NS, KIND))], "merged", "", now=1.0)

    def embedded_anew() -> None:
        rows, _ = store.texts(NS, every=True)
        pairs = [(seq, vector(rng.randrange(10**6))) for seq, _ in rng.sample(rows, 3)]
        store.replace_vectors(NS, HashEmbedder(), pairs, [])

    def elsewhere() -> None:
        with closing(sqlite3.connect(tmp_path / "record.sqlite")) as db, db:
            changed = (vector(rng.randrange(10**6)).tobytes(), rng.choice(store.ids(NS, KIND)))
            db.execute("UPDATE memory SET vector = ?, vector_sum = vector_sum + 1 WHERE id = ?", changed)

    put(store, *(next(number) for _ in range(60)))
    for _ in range(200):
        rng.choice([grown, grown, outdated, buried, embedded_anew, elsewhere])()
        now, step = float(rng.choice([30, 200, 10**9])), rng.randint(0, 3)
        as_of = rng.choice([None, 50.0])
        asked = RecallQuery("", rng.choice(TASKS), before_step=step, now=now, as_of=as_of)
        vectors, k = [vector(rng.randrange(300)) for _ in range(2)], rng.choice([1, 7, 50, 1000])
        nearest = store.nearest(NS, KIND, vectors, asked, k=k)
        assert nearest == looked_at(store, asked, vectors, k)
        found += len(nearest[0])
    assert found > 1000


def test_a_vector_is_read_once_and_anew_where_it_has_changed(
    store: RecordStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    added: list[int] = []
    add = exact_search.Vectors.add

    def counted(vectors: Any, found: Any) -> None:
        added.append(len(found))
        add(vectors, found)

    monkeypatch.setattr(exact_search.Vectors, "add", counted)
    asked = RecallQuery("", "t", before_step=1, now=1e9)
    put(store, *range(40))
    for _ in range(3):
        store.nearest(NS, KIND, [vector(3)], asked, k=5)
    put(store, 40, 41)
    store._db.execute("UPDATE memory SET vector = ?, vector_sum = 7 WHERE id = ?", (vector(9), f"{3:064x}"))
    store.nearest(NS, KIND, [vector(3)], asked, k=5)
    assert added == [40, 3]


def test_many_rows_are_looked_at_block_by_block_and_not_kept(
    store: RecordStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = RecallQuery("", "t", before_step=1, now=1e9)
    put(store, *(n for n in range(100) if n % 10 != 1))  # blocks of other sizes may round ties apart
    kept = store.nearest(NS, KIND, [vector(3), vector(5)], asked, k=20)
    monkeypatch.setattr(exact_search, "BLOCK", 30)
    assert store.nearest(NS, KIND, [vector(3), vector(5)], asked, k=20) == kept
    with closing(RecordStore(store.path, reading=True)) as reader:
        assert reader.nearest(NS, KIND, [vector(3), vector(5)], asked, k=20) == kept
        assert not reader._exact._kept

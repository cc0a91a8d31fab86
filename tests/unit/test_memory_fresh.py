"""Few rows wait for the index: they are found all the same, and are in it when it is closed."""

from __future__ import annotations

import asyncio
import logging
import time
from pathlib import Path

import numpy as np
import pytest

from ddax.configs.settings import Recall
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.protocol import RecallQuery
from ddax.memory.scoring import Floats
from ddax.memory.store import chroma
from ddax.memory.store.chroma import ChromaIndex, IndexFailure
from ddax.memory.store.namespace import ChromaMemory, open_memory
from ddax.memory.store.unindexed import FreshRows
from ddax.types import Record

PLACE = ("n" * 32, "words", "observation")


def units(count: int, seed: int = 0) -> list[tuple[str, Floats]]:
    drawn = np.random.default_rng(seed).normal(size=(count, 16)).astype(np.float32)
    rows = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return [(f"{seed}-{n}", row) for n, row in enumerate(rows)]


def settled(folder: Path) -> dict[str, int]:
    """Return by memory type how many rows Chroma itself holds in a closed index."""
    client = chroma._connect(folder / "index" / "1")
    found = {one.metadata["memory_type"]: one.count() for one in client.list_collections() if one.count()}
    client.close()
    return found


def opened(folder: Path, wanted: list[tuple[str, Floats]]) -> ChromaIndex:
    index = ChromaIndex(folder)
    index.open(len(wanted))
    index.reconcile(
        *PLACE[:2],
        lambda kind: [row_id for row_id, _ in wanted if kind == PLACE[2]],
        lambda _, ids: [pair for pair in wanted if pair[0] in ids],
    )
    return index


async def memory_at(folder: Path) -> ChromaMemory:
    memory = await open_memory(
        folder, namespace="n", embedder=HashEmbedder(), clock=lambda: 1000.0, recall=Recall()
    )
    deadline = time.monotonic() + 60
    while not memory.indexed:
        assert time.monotonic() < deadline, "The index did not open."
        await asyncio.sleep(0.01)
    return memory


async def found(memory: ChromaMemory, text: str) -> list[str]:
    asked = RecallQuery(text, "u", before_step=9, now=2000.0)
    return [hit.record.text for hit in (await memory.similar([text], asked, k=3))[0]]


def test_the_distances_are_those_of_every_row() -> None:
    rows, fresh = units(3), FreshRows()
    fresh.add(rows)
    asked = rows[0][1]
    assert fresh.distances([asked]) == [
        {row_id: pytest.approx(1 - row @ asked, abs=1e-6) for row_id, row in rows}
    ]
    fresh.remove(["0-1", "unknown"])
    assert [list(found) for found in fresh.distances([asked, asked])] == [["0-0", "0-2"]] * 2
    fresh.remove(["0-0", "0-2"])
    assert fresh.distances([asked]) == [{}]


@pytest.mark.parametrize("known", [0, 1, 30])
def test_rows_that_wait_are_ranked_among_those_of_chroma(tmp_path: Path, known: int) -> None:
    old, new = units(known, seed=1), units(40, seed=2)
    index = opened(tmp_path, old)
    index.add(*PLACE, new[:25])
    index.add(*PLACE, new[20:])
    for _, asked in units(5, seed=3):
        ranked = sorted([*old, *new], key=lambda pair: -float(pair[1] @ asked))
        assert index.nearest(*PLACE[:2], [("observation", asked, 12)]) == [[n for n, _ in ranked[:12]]]
    index.remove(*PLACE, [new[0][0]])
    assert new[0][0] not in index.nearest(*PLACE[:2], [("observation", new[0][1], 99)])[0]
    index.close()
    assert settled(tmp_path) == {"observation": known + 39}
    assert not (tmp_path / "index.dirty").exists()


def test_many_rows_do_not_wait(tmp_path: Path) -> None:
    index = opened(tmp_path, [])
    index.add(*PLACE, units(chroma.FRESH - 1))
    assert index._count(PLACE) == 0
    index.add(*PLACE, units(1, seed=4))
    assert index._count(PLACE) == chroma.FRESH
    index.close()


@pytest.mark.parametrize("seed", range(3))
def test_rows_that_chroma_has_already_are_not_put_in_again(tmp_path: Path, seed: int) -> None:
    # Its graph loses rows where one that is in it is put in once more, beside many others.
    texts = [f"river {i} part {j}" for i in range(20) for j in range(5)]
    rows = list(zip(texts, HashEmbedder().embed(texts), strict=True))
    np.random.default_rng(seed).shuffle(rows)  # type: ignore[arg-type]
    index = opened(tmp_path, rows[:30])
    put: list[str] = []
    insert = index._insert

    def noted(place: chroma.Place, pairs: list[tuple[str, Floats]]) -> None:
        put.extend(row_id for row_id, _ in pairs)
        insert(place, pairs)

    index._insert = noted  # type: ignore[method-assign, assignment]  # to see what Chroma is given
    for first in range(0, 100, 5):
        index.add(*PLACE, rows[first : first + 5])
    index.add(*PLACE, rows[:64])
    assert sorted(put) == sorted(row_id for row_id, _ in rows[30:])
    asked = [("observation", vector, 50) for _, vector in rows]
    assert [found[0] for found in index.nearest(*PLACE[:2], asked)] == [row_id for row_id, _ in rows]
    index.close()


def test_rows_that_chroma_does_not_take_at_the_end_are_added_at_the_next_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise IndexFailure("database or disk is full")

    rows = units(7)
    index = opened(tmp_path, [])
    index.add(*PLACE, rows)
    with monkeypatch.context() as patched, caplog.at_level(logging.WARNING):
        patched.setattr(ChromaIndex, "_insert", full)
        index.close()
    assert "the next start adds them: database or disk is full" in caplog.text
    assert (tmp_path / "index.dirty").exists()
    again = opened(tmp_path, rows)
    assert again._count(PLACE) == 7
    again.close()


async def test_a_second_opening_of_a_namespace_finds_what_waits(tmp_path: Path) -> None:
    first = await memory_at(tmp_path)
    await first.put([Record("observation", f"the river {n}", start=n) for n in range(5)])
    second = await memory_at(tmp_path)
    await second.put([Record("internal_thought", "a thought of a river")])
    for memory in (first, second):
        assert (await found(memory, "the river 3"))[0] == "the river 3"
    await first.close()
    assert (await found(second, "the river 4"))[0] == "the river 4"
    await second.close()
    assert settled(tmp_path) == {"observation": 5, "internal_thought": 1}

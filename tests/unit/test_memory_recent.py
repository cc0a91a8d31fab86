"""The vectors a memory has just asked for: those that leaves ask for at once are made at once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from threading import Event

import numpy as np
import pytest

from ddax.memory.embed.company import FEW
from ddax.memory.embed.recent import RECENT, RecentVectors
from ddax.memory.embed.rows import Rows
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.share.busy_thread import Lane


class Slow(HashEmbedder):
    """An embedder whose first call ends when it is told to, and that notes how many texts it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[int] = []
        self.begun, self.go = Event(), Event()

    def embed(self, texts: Sequence[str]) -> Rows:
        self.calls.append(len(texts))
        self.begun.set()
        if "fail" in texts:
            raise ValueError("no vector")
        assert self.go.wait(30)
        return super().embed(texts)


@pytest.fixture
def lane() -> Iterator[Lane]:
    opened = Lane("test")
    yield opened
    opened.shutdown()


async def test_texts_asked_for_while_the_embedder_is_busy_go_together(lane: Lane) -> None:
    embedder = Slow()
    vectors = RecentVectors(embedder, lane.ask)
    first = asyncio.create_task(vectors.of(["the first"]))
    await asyncio.to_thread(embedder.begun.wait, 30)
    asked = [[f"text {n}", "in common"] for n in range(30)]
    others = [asyncio.create_task(vectors.of(texts)) for texts in asked]
    await asyncio.sleep(0)
    embedder.go.set()
    found = await asyncio.gather(first, *others)
    assert embedder.calls == [1, 60]
    for texts, rows in zip([["the first"], *asked], found, strict=True):
        assert np.array_equal(rows, HashEmbedder().embed(texts))
    again = await asyncio.gather(*(vectors.of(texts) for texts in asked))
    assert embedder.calls == [1, 60] and np.array_equal(again, found[1:])


async def test_many_texts_do_not_hold_up_those_who_ask_for_one(lane: Lane) -> None:
    embedder = Slow()
    embedder.go.set()
    vectors = RecentVectors(embedder, lane.ask)
    busy = Event()
    held = asyncio.create_task(lane.run(lambda: busy.wait(30)))
    rows = await vectors.of([f"text {n}" for n in range(FEW + 1)])  # the lane is not free before this ends
    busy.set()
    assert await held and len(rows) == FEW + 1


async def test_what_fails_is_told_and_not_kept(lane: Lane) -> None:
    embedder = Slow()
    embedder.go.set()
    vectors = RecentVectors(embedder, lane.ask)
    with pytest.raises(ValueError, match="no vector"):
        await vectors.of(["fail"])
    with pytest.raises(ValueError, match="no vector"):
        await vectors.of(["fail"])
    await vectors.of([f"text {n}" for n in range(RECENT + 5)])
    await vectors.of(["text 0", f"text {RECENT}"])
    assert embedder.calls == [1, 1, RECENT + 5, 1]
    assert await vectors.of([]) == []

"""A memory that another owns: clocks that do not agree, words that are not its own, calls made twice."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ddax.configs.settings import Recall
from ddax.errors import ActionError, Blocked, DdaxError, StateError, StorageError, ThreadInUse, UsageError
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.protocol import Found, Kept, MemoryHit, RecallQuery, Relation, Tally, Tombstone
from ddax.memory.share.host import MemoryHost
from ddax.memory.share.messages import read, written
from ddax.memory.share.owner import acquire, release
from ddax.memory.share.remote import Answer, Call, Maker, RemoteMemory, Send
from ddax.types import Document, Record

OPENED = 1000.0


def caller(send: Send, now: float, **more: Any) -> RemoteMemory:
    asks = {"embedder": HashEmbedder(), "recall": Recall(), **more}
    return RemoteMemory(send, "n", clock=lambda: now, **asks)


@asynccontextmanager
async def hosting(folder: Path) -> AsyncIterator[MemoryHost]:
    store = acquire(folder, clock=lambda: OPENED, wait_seconds=0.0)
    try:
        yield MemoryHost(store)
    finally:
        await asyncio.to_thread(release, store)


def seen(text: str, task: str) -> Record:
    return Record("observation", text, task=task, step=1, created=OPENED)


async def recalled(memory: RemoteMemory) -> list[str]:
    query = RecallQuery("the river", "early", before_step=1, now=OPENED)
    return [hit.record.text for hit in await memory.recall(query)]


async def test_what_is_written_after_a_task_opened_is_hidden_from_it_whoever_clock_is_slow(
    tmp_path: Path,
) -> None:
    async with hosting(tmp_path) as host:
        slow, fast = caller(host.answer, OPENED - 500), caller(host.answer, OPENED)
        await slow.put([seen("the river before", "other")])
        assert await recalled(fast) == ["the river before"]
        await slow.put([seen("the river after", "other")])
        assert await recalled(fast) == ["the river before"]
        await fast.log("notes", {"n": 1}, key="k")
    async with hosting(tmp_path) as again:
        await caller(again.answer, OPENED - 500).put([seen("the river after a restart", "other")])
        assert await recalled(caller(again.answer, OPENED)) == ["the river before"]


async def test_what_others_write_is_stamped_by_the_owners_clock_where_that_is_later(tmp_path: Path) -> None:
    async with hosting(tmp_path) as host:
        host.own_clock = lambda: OPENED  # a session of the owner opened a task, and asks the store itself
        await caller(host.answer, OPENED - 500).put([seen("the river after", "other")])
        assert await recalled(caller(host.answer, OPENED)) == []


async def test_only_words_of_the_protocol_are_answered(tmp_path: Path) -> None:
    async with hosting(tmp_path) as host:
        for name in ("close", "rebuild", "_embed", "upkeep.newest", "upkeep.__init__", "namespace", ""):
            value, error = await host.answer(Call("n", Recall(), 1.0, Maker("hash", "h", 2), name))
            assert value is None
            assert isinstance(error, UsageError)


async def test_a_memory_is_closed_for_one_and_open_for_the_others(tmp_path: Path) -> None:
    async with hosting(tmp_path) as host:
        one, other = caller(host.answer, 1.0), caller(host.answer, 1.0)
        await one.put([seen("the river", "t")])
        await one.close()
        with pytest.raises(UsageError, match="closed"):
            await one.count("observation")
        assert await other.count("observation") == 1


async def test_settings_of_recall_are_the_callers_own(tmp_path: Path) -> None:
    async with hosting(tmp_path) as host:
        await caller(host.answer, 1.0).put([Record("observation", "the river", epsilon=1.0, created=1.0)])
        query = RecallQuery("the river", "t", before_step=1, now=OPENED)
        for factor in (0.0, 2.0):
            memory = caller(host.answer, OPENED, recall=Recall(lambda_epsilon=factor))
            assert [hit.salience for hit in await memory.recall(query)] == [1.0 + factor]


class Other(HashEmbedder):
    """An embedder that the owner does not have."""

    def __init__(self) -> None:
        super().__init__()
        self.fingerprint = "other"


async def test_each_caller_embeds_for_itself_and_vectors_of_another_embedder_are_refused(
    tmp_path: Path,
) -> None:
    async with hosting(tmp_path) as host:
        mine = caller(host.answer, 1.0, embedder=Other())
        assert await mine.fits()
        await mine.put([seen("the river", "t")])
        assert await recalled(caller(host.answer, 1.0, embedder=Other())) == ["the river"]
        with pytest.raises(StateError, match="another embedder"):
            await recalled(caller(host.answer, 1.0))
        assert not await caller(host.answer, 1.0).fits()
        with pytest.raises(ThreadInUse, match="vectors"), host.renewing("n"):
            pass


@pytest.mark.parametrize("times", [1, 2])
async def test_what_is_asked_twice_is_done_once_and_answered_alike(tmp_path: Path, times: int) -> None:
    """The way breaks after the owner has done what was asked, so it is asked again."""
    async with hosting(tmp_path) as host:

        async def send(call: Call) -> Answer:
            for _ in range(times - 1):
                await host.answer(call)
            return await host.answer(call)

        memory = caller(send, 1.0)
        first, second = await memory.put([seen("the river", "t"), seen("the lake", "t")])
        assert await memory.put([seen("the river", "t")]) == [first]
        page = Document("d", "s", "t", "x")
        assert await memory.get_page(await memory.put_page(page)) == page
        await memory.log("notes", {"n": 1, "task": "t"}, key="k")
        assert await memory.upkeep.branch("t", "fork", step=5, before=OPENED) == 1
        await memory.upkeep.relate([Relation("contradicts", first, second)])
        assert await memory.upkeep.bury([first, "none"], "merged", into=second) == 1
        stones = [Tombstone("gone", "merged"), Tombstone(second, "merged"), Tombstone(first, "merged")]
        assert await memory.upkeep.restore(stones) == 1
        assert await memory.rebuild() == 1
        tally = await memory.upkeep.tally()
        assert (tally.rows, tally.logs, tally.relations) == (
            {"observation": 1},
            {"notes": 2},
            {"contradicts": 1},
        )
        assert (tally.tombstones, tally.pages) == ({"merged": 2}, 1)


async def test_a_fault_that_is_not_ours_is_an_answer(tmp_path: Path) -> None:
    async with hosting(tmp_path) as host:
        value, error = await host.answer(
            Call("n", Recall(), 1.0, Maker("hash", "h", 2), "count", ("x", "y", "z"))
        )
        assert value is None
        assert isinstance(error, StorageError)
        assert f"Pid {os.getpid()}" in str(error)


KEPT = Kept(7, seen("a\ud800b", "t"), 2.5, np.arange(6, dtype=np.float32).reshape(2, 3))


@pytest.mark.parametrize(
    "value",
    [
        None, True, 1, -0.5, float("inf"), "\ud800\x00", [], ["list", ["dict"]], (1, [2, ("tuple",)]), {},
        {"error": ["UsageError"], "Record": {"x": 1}}, Recall(min_score=0.3), seen("x", "t"),
        RecallQuery("x", "t", 1, 2.0, as_of=3.0, trust={"critic": 0.5}), Found({"text": "x"}, 0.25),
        MemoryHit(seen("x", "t"), 1.0, 0.5, 0.25, 1.5, 1.0), Relation("supersedes", "a", "b"),
        Tombstone("a", "merged", into="b"), Tally({"observation": 1}, {}, {}, {}, {}, 2),
        Document("d", "s", "t", "x", links=("http://a",)),
        Call("n", Recall(), 1.0, Maker("hash", "h", 64), "rows", ("ledger",), {"task": "t"}),
    ],
)  # fmt: skip
def test_what_goes_to_a_memory_comes_back_as_it_was(value: Any) -> None:
    assert read(written(value)) == value
    assert type(read(written(value))) is type(value)


def test_a_kept_row_comes_back_with_its_vector() -> None:
    back = read(written([KEPT]))[0]
    assert (back.seq, back.record, back.committed) == KEPT[:3]
    assert back.vector.dtype == np.float32
    assert np.array_equal(back.vector, KEPT.vector)


@pytest.mark.parametrize(
    "error",
    [
        UsageError("x", why="y", mend="z"), ThreadInUse("the memory is in use.", why="By pid 1."),
        Blocked("no", cooldown=7.0), ActionError("late", kind="timeout", retriable=True),
    ],
)  # fmt: skip
def test_an_error_comes_back_as_it_was(error: DdaxError) -> None:
    value, back = read(written((None, error)))
    assert value is None
    assert type(back) is type(error)
    assert (str(back), vars(back)) == (str(error), vars(error))


def test_what_is_no_plain_value_is_refused_before_it_is_sent() -> None:
    for value in (object(), {"a": {1, 2}}, [b"x"]):
        with pytest.raises(UsageError, match="cannot be remembered"):
            written(value)
    with pytest.raises(KeyError):
        read(b'["os.system", "ls"]')


async def test_the_record_is_wiped_beside_what_others_write_at_the_same_moment(tmp_path: Path) -> None:
    async with hosting(tmp_path) as host:
        memory = caller(host.answer, 1.0)
        await memory.enter()
        written_beside = [memory.log("notes", {"n": n}, key=f"k{n}") for n in range(8)]
        await asyncio.gather(*written_beside, memory.upkeep.wipe())
        assert len(await memory.rows("notes")) == 8

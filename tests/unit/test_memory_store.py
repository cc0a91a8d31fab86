"""What only the memory on disk has: reopening, its index, its embedder, its owner, its versions."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from ddax.configs.settings import Recall
from ddax.errors import StateError, StorageError, ThreadInUse, UsageError
from ddax.memory.embed.checked import CheckedEmbedder
from ddax.memory.embed.rows import Rows
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.fake import DictMemory
from ddax.memory.lock import lock_owner
from ddax.memory.protocol import Embedder, Memory, RecallQuery
from ddax.memory.share import owner, seats
from ddax.memory.share.owner import SharedStore, acquire, release
from ddax.memory.share.reaching import held
from ddax.types import Record
from tests.unit.store_files import NOW, edited, filled, found, opened, until


async def test_everything_is_there_after_a_reopening(tmp_path: Path) -> None:
    ids = await filled(tmp_path)
    memory = await opened(tmp_path)
    assert [row.id for row in await memory.get(ids)] == ids
    assert await found(memory, "the river 17") == "the river 17"
    await until(lambda: memory.indexed)
    assert await found(memory, "the river 17") == "the river 17"
    await memory.close()
    assert not (tmp_path / "index.dirty").exists()


async def test_unicode_forms_of_a_namespace_are_one(tmp_path: Path) -> None:
    ids = await filled(tmp_path, namespace="\u00fc")
    memory = await opened(tmp_path, "u\u0308")
    assert len(await memory.get(ids)) == 60
    await memory.close()


@pytest.mark.parametrize("damage", ["gone", "emptied", "garbage", "unclean"])
async def test_a_missing_or_damaged_index_is_made_anew(tmp_path: Path, damage: str) -> None:
    ids = await filled(tmp_path)
    index = tmp_path / "index" / "1"
    if damage == "gone":
        shutil.rmtree(index.parent)
    elif damage == "emptied":
        (index / "chroma.sqlite3").unlink()
    elif damage == "garbage":
        (index / "chroma.sqlite3").write_bytes(b"not a database" * 1000)
    else:
        (tmp_path / "index.dirty").touch()
    memory = await opened(tmp_path)
    await until(lambda: memory.indexed)
    assert await found(memory, "the river 33") == "the river 33"
    assert await memory.count("observation") == len(ids)
    await memory.close()


async def test_rows_that_the_index_lacks_are_added_and_strange_ones_removed(tmp_path: Path) -> None:
    await filled(tmp_path, 5)
    edited(
        tmp_path / "record.sqlite",
        "DELETE FROM memory WHERE text = 'the river 1'",
        "UPDATE memory SET id = 'changed' WHERE text = 'the river 2'",
    )
    memory = await opened(tmp_path)
    assert await memory.rebuild() == 4
    hits = await memory.recall(RecallQuery("the river 2", "new", 1, NOW + 1))
    assert hits[0].record.id == "changed" and len(hits) == 4
    await memory.close()


async def test_recall_goes_on_without_an_index(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    await filled(tmp_path)
    shutil.rmtree(tmp_path / "index")
    (tmp_path / "index").write_text("a file in its place")
    memory = await opened(tmp_path)
    await until(lambda: "without the index" in caplog.text)
    assert await found(memory, "the river 8") == "the river 8"
    await memory.put([Record("observation", "the river delta")])
    assert await found(memory, "river delta") == "the river delta"
    await memory.close()


async def test_a_fault_of_ours_on_the_index_thread_is_told_and_no_row_is_missed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(*_: object) -> None:
        raise TypeError("a fault of ours")

    await filled(tmp_path)
    memory = await opened(tmp_path)
    await until(lambda: memory.indexed)
    monkeypatch.setattr("ddax.memory.store.chroma.ChromaIndex.add", faulty)  # no real index has such a fault
    await memory.put([Record("observation", "the river delta")])
    await until(lambda: "a fault of ours" in caplog.text)
    assert "in faulty" in caplog.text  # with its place
    assert await found(memory, "river delta") == "the river delta"
    await memory.close()


async def test_another_embedder_is_refused_until_a_rebuild(tmp_path: Path) -> None:
    ids = await filled(tmp_path)
    other = HashEmbedder(dim=64)
    with pytest.raises(StateError, match="ddax memory rebuild") as caught:
        await opened(tmp_path, embedder=other)
    assert caught.value.exit_code == 4
    memory = await opened(tmp_path, embedder=other, rebuild=True)
    assert await found(memory, "the river 44") == "the river 44"
    assert [row.id for row in await memory.get(ids)] == ids
    await memory.close()
    memory = await opened(tmp_path, embedder=other)
    assert await found(memory, "the river 44") == "the river 44"
    await memory.close()
    with pytest.raises(StateError):
        await opened(tmp_path)


async def test_lessons_outlive_a_change_of_embedder(tmp_path: Path) -> None:
    memory = await opened(tmp_path)
    row = {"kind": "policy", "text": "Ask the map.", "about": "find a river", "created": 1.0}
    await memory.log("reflections", row, key="a")
    await memory.close()
    memory = await opened(tmp_path, embedder=HashEmbedder(dim=64), rebuild=True)
    assert await memory.lessons("find a river", kind="policy", now=NOW + 1) == ["Ask the map."]
    await memory.close()


class Failing(HashEmbedder):
    """An embedder that is down, until it is said to be up."""

    up = False

    def embed(self, texts: Sequence[str]) -> Rows:
        if not self.up:
            raise OSError("down")
        return super().embed(texts)


RIVER = Record("observation", "the river is wide")


async def test_a_rebuild_embeds_what_came_while_the_embedder_was_down(tmp_path: Path) -> None:
    failing = Failing()
    memory = await opened(tmp_path, embedder=CheckedEmbedder(failing))
    await memory.put([RIVER])
    await memory.log("reflections", {"kind": "policy", "text": "Ask the map."}, key="a")
    failing.up = True
    assert await memory.recall(RecallQuery("a wide river", "new", 1, NOW + 1)) == []
    await memory.close()
    memory = await opened(tmp_path, embedder=failing, rebuild=True)
    assert await found(memory, "a wide river") == "the river is wide"
    assert await memory.lessons("ask a map", kind="policy", now=NOW + 1) == ["Ask the map."]
    await memory.close()


async def test_a_rebuild_embeds_what_lost_its_vector_and_nothing_else(tmp_path: Path) -> None:
    await filled(tmp_path, 3)
    edited(tmp_path / "record.sqlite", "UPDATE memory SET vector = x'' WHERE text = 'the river 1'")
    embedded: list[str] = []

    class Noting(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> Rows:
            embedded.extend(texts)
            return super().embed(texts)

    memory = await opened(tmp_path, embedder=Noting(), rebuild=True)
    assert embedded == ["the river 1"]
    assert await found(memory, "the river 1") == "the river 1"
    await memory.close()


@pytest.fixture(params=["dict", "chroma"])
async def opening(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Callable[..., Any]]:
    memories: list[Memory] = []

    async def opening(embedder: Embedder) -> Memory:
        if request.param == "dict":
            memories.append(DictMemory("n", embedder, lambda: NOW, Recall()))
        else:
            memories.append(await opened(tmp_path, embedder=embedder, rebuild=True))
        return memories[-1]

    yield opening
    for memory in memories:
        await memory.close()


async def test_a_row_put_again_is_embedded_where_it_could_not_be(opening: Callable[..., Any]) -> None:
    failing = Failing()
    memory = await opening(CheckedEmbedder(failing))
    ids = await memory.put([RIVER])
    failing.up = True
    assert await memory.put([RIVER, RIVER]) == [*ids, *ids]
    (hit,) = await memory.recall(RecallQuery("a wide river", "new", 1, NOW + 1))
    assert hit.record.id == ids[0]


class Halting(HashEmbedder):
    """An embedder that waits where it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.go = Event(), Event()
        self.go.set()

    def embed(self, texts: Sequence[str]) -> Rows:
        self.begun.set()
        assert self.go.wait(30)
        return super().embed(texts)


async def test_a_row_may_be_buried_while_it_is_put_again(opening: Callable[..., Any]) -> None:
    halting = Halting()
    memory = await opening(halting)
    (old,) = await memory.put([RIVER])
    halting.begun.clear()
    halting.go.clear()
    putting = asyncio.create_task(memory.put([RIVER, Record("observation", "the river is deep")]))
    await asyncio.to_thread(halting.begun.wait, 30)
    await memory.upkeep.bury([old], "merged")
    halting.go.set()
    ids = await putting
    assert ids[0] == old
    assert [row.text for row in await memory.get(ids)] == ["the river is wide", "the river is deep"]
    assert await memory.upkeep.tombstones([old])


async def test_namespaces_of_one_process_share_the_folder_until_the_last_closes(tmp_path: Path) -> None:
    first, second = await asyncio.gather(opened(tmp_path, "a"), opened(tmp_path, "b"))
    await first.put([Record("observation", "the river a")])
    await second.put([Record("observation", "the river b")])
    await first.close()
    await first.close()
    assert await found(second, "the river") == "the river b"
    with pytest.raises(UsageError, match="closed"):
        await first.count("observation")
    await second.close()
    await filled(tmp_path, 1, namespace="c")


def test_who_waits_for_a_folder_holds_up_nobody_with_another(tmp_path: Path) -> None:
    def clock() -> float:
        return NOW

    other = acquire(tmp_path / "other", clock=clock, wait_seconds=0.0)
    begun, go = Event(), Event()

    class Waiting(SharedStore):
        def __init__(self, *args: Any, **more: Any) -> None:
            begun.set()
            assert go.wait(30)
            raise ThreadInUse("the memory is in use.")

    def refused() -> bool:
        with pytest.raises(ThreadInUse):
            acquire(tmp_path / "mine", clock=clock, wait_seconds=5.0)
        return True

    with ThreadPoolExecutor(2) as pool, pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, "SharedStore", Waiting)
        waiting = pool.submit(refused)
        assert begun.wait(30)
        try:
            pool.submit(release, other).result(30)
            assert not waiting.done()
        finally:
            go.set()
        assert waiting.result(30)


async def test_opening_and_work_leave_the_event_loop_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beaten, waited, longest, running = threading.Event(), 0, 0.0, True

    def wait_for_a_beat() -> None:
        nonlocal waited
        beaten.clear()
        assert beaten.wait(30), "what blocks runs on the event loop"
        waited += 1

    class SlowEmbedder(HashEmbedder):
        def embed(self, texts: Any) -> Any:
            wait_for_a_beat()
            return super().embed(texts)

    def acquired(*args: Any, **more: Any) -> Any:
        wait_for_a_beat()
        return acquire(*args, **more)

    async def heartbeat() -> None:
        nonlocal longest
        while running:
            # The time this thread computes: how busy the machine is does not count.
            before = time.thread_time()
            await asyncio.sleep(0.005)
            longest = max(longest, time.thread_time() - before)
            beaten.set()

    monkeypatch.setattr(owner, "acquire", acquired)
    beat = asyncio.create_task(heartbeat())
    memory = await opened(tmp_path, embedder=SlowEmbedder())
    await memory.put([Record("observation", "the river")])
    await memory.recall(RecallQuery("river", "t", 1, NOW))
    await memory.close()
    running = False
    await beat
    assert waited == 3 and longest < 0.35


async def held_once(path: Path) -> None:
    async with held(path, clock=lambda: NOW):
        pass


@pytest.mark.parametrize("opening", [opened, held_once])
async def test_who_gives_up_an_opening_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opening: Callable[..., Any]
) -> None:
    begun, go = Event(), Event()

    def slow(*args: Any, **more: Any) -> Any:
        begun.set()
        assert go.wait(30)
        return acquire(*args, **more)

    with monkeypatch.context() as patch:
        for module in (owner, seats):
            patch.setattr(module, "acquire", slow)
        wait = asyncio.create_task(opening(tmp_path))
        assert await asyncio.to_thread(begun.wait, 30)
        wait.cancel()
        with pytest.raises(asyncio.CancelledError):
            await wait
    # Nobody may have it in between, so the lock shows that it was taken and given back.
    go.set()
    await until(lambda: (tmp_path / "record.sqlite").exists() and lock_owner(tmp_path) is None)
    assert tmp_path.resolve() not in owner._OPEN
    await (await opened(tmp_path)).close()


async def test_an_index_that_does_not_close_keeps_nothing_else_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = await opened(tmp_path)
    store = owner._OPEN[tmp_path.resolve()]

    def fail() -> None:
        raise StorageError("The disk is gone.")

    monkeypatch.setattr(store.index, "close", fail)
    with pytest.raises(StorageError):
        await memory.close()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        store.record.total()
    assert lock_owner(tmp_path) is None


async def test_a_second_owner_of_the_folder_is_told_who_has_it(tmp_path: Path) -> None:
    from ddax.memory.share.owner import SharedStore

    memory = await opened(tmp_path)
    with pytest.raises(ThreadInUse, match="the memory is in use by this process since") as caught:
        SharedStore(tmp_path, clock=lambda: NOW, wait_seconds=0)
    assert caught.value.exit_code == 5
    await memory.close()

"""Kill the owner of a memory while it writes: nothing that was acknowledged may be lost."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ddax.configs.settings import Recall
from ddax.errors import ThreadInUse
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.protocol import RecallQuery
from ddax.memory.store import chroma
from ddax.memory.store.namespace import ChromaMemory, open_memory
from ddax.types import Record

ROOT = Path(__file__).resolve().parents[2]
KILLS = 10
WRITE = """
import asyncio, sys, time
from pathlib import Path
from ddax.configs.settings import Recall
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.store.namespace import open_memory
from ddax.types import Record

async def main(path, first):
    memory = await open_memory(path, namespace="n", embedder=HashEmbedder(), clock=time.time, recall=Recall())
    for number in range(first, first + 100_000, 5):
        rows = [Record("observation", f"river {i} of the map", start=i) for i in range(number, number + 5)]
        print(*await memory.put(rows), flush=True)

asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
"""
WAIT = """
import asyncio, sys, time
from pathlib import Path
from ddax.configs.settings import Recall
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.store.namespace import open_memory
from ddax.types import Record

async def main(path):
    memory = await open_memory(path, namespace="n", embedder=HashEmbedder(), clock=time.time, recall=Recall())
    while not memory.indexed:
        await asyncio.sleep(0.01)
    ids = await memory.put([Record("observation", f"river {i} of the map", start=i) for i in range(5)])
    asked = [("observation", HashEmbedder().embed(["river"])[0], 5)]
    assert set(memory._shared.on_index(lambda: memory._indexing._near(asked)).result()[0]) == set(ids)
    print(*ids, flush=True)
    await asyncio.sleep(60)

asyncio.run(main(Path(sys.argv[1])))
"""

pytestmark = pytest.mark.integration


async def opened(path: Path, **more: float) -> ChromaMemory:
    return await open_memory(
        path, namespace="n", embedder=HashEmbedder(), clock=time.time, recall=Recall(), **more
    )


def writer(path: Path, first: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITE, str(path), str(first)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )


async def checked(path: Path, acknowledged: list[str]) -> None:
    memory = await opened(path)
    assert [row.id for row in await memory.get(acknowledged)] == acknowledged
    assert await memory.rebuild() == await memory.count("observation") >= len(acknowledged)
    for row in await memory.get(random.Random(len(acknowledged)).sample(acknowledged, 5)):
        hits = await memory.recall(RecallQuery(row.text, "", 1, time.time(), m_observations=1))
        assert [hit.record.id for hit in hits] == [row.id]
    await memory.close()


@pytest.mark.long
async def test_no_acknowledged_row_is_lost_by_kills(tmp_path: Path) -> None:
    acknowledged: list[str] = []
    moments = random.Random(5)
    for kill in range(KILLS):
        process = writer(tmp_path, kill * 100_000)
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        # The first half is killed while the index still opens, the second while it takes rows.
        time.sleep(moments.uniform(0, 0.3) + (1.2 if kill >= KILLS // 2 else 0))
        process.kill()
        rest, _ = process.communicate(timeout=60)
        complete = [line for line in (lines[0] + rest).splitlines(keepends=True) if line.endswith("\n")]
        acknowledged += [row_id for line in complete for row_id in line.split()]
    assert len(acknowledged) > 5 * KILLS
    await checked(tmp_path, acknowledged)


@pytest.mark.parametrize("small", [chroma.SMALL, 0], ids=["made anew", "probed and kept"])
async def test_rows_that_waited_for_the_index_are_in_it_after_a_kill(
    tmp_path: Path, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chroma, "SMALL", small)
    process = subprocess.Popen(
        [sys.executable, "-c", WAIT, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout is not None
    acknowledged = process.stdout.readline().split()
    process.kill()
    process.communicate(timeout=60)
    assert len(acknowledged) == 5
    memory = await opened(tmp_path)
    asked = RecallQuery("river 3 of the map", "", 1, time.time() + 1, m_observations=5)
    assert {hit.record.id for hit in await memory.recall(asked)} == set(acknowledged)
    await until_indexed(memory)
    assert {hit.record.id for hit in await memory.recall(asked)} == set(acknowledged)
    await memory.close()
    client = chroma._connect(tmp_path / "index" / ("2" if small else "1"))
    assert {row_id for one in client.list_collections() for row_id in one.get()["ids"]} == set(acknowledged)
    client.close()


async def until_indexed(memory: ChromaMemory) -> None:
    deadline = time.monotonic() + 60
    while not memory.indexed:
        assert time.monotonic() < deadline, "The index did not open."
        await asyncio.sleep(0.01)


async def test_the_owner_is_named_and_a_killed_one_is_taken_over(tmp_path: Path) -> None:
    process = writer(tmp_path, 0)
    assert process.stdout is not None
    assert process.stdout.readline()
    with pytest.raises(ThreadInUse, match=f"the memory is in use by pid {process.pid} since"):
        await opened(tmp_path)
    process.kill()
    memory = await opened(tmp_path, wait_seconds=20)
    process.communicate(timeout=60)
    assert await memory.count("observation") >= 5
    await memory.close()


async def test_a_large_index_is_probed_after_a_kill_and_kept_where_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(chroma, "SMALL", 10)
    memory = await opened(tmp_path)
    await memory.put([Record("observation", f"river {i}", start=i) for i in range(50)])
    await memory.rebuild()
    await memory.close()
    for damage in (False, True):
        (tmp_path / "index.dirty").touch()
        if damage:
            for file in (tmp_path / "index" / "1").rglob("*.*"):
                file.write_bytes(b"\0" * file.stat().st_size)
        memory = await opened(tmp_path)
        assert await memory.recall(RecallQuery("river 7", "", 1, time.time() + 1, m_observations=1))
        await memory.close()
        folders = {path.name for path in (tmp_path / "index").iterdir()}
        assert folders == ({"2", "bad"} if damage else {"1"})
        assert ("is damaged" in caplog.text) is damage

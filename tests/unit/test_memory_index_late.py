"""The index is made when it begins to pay, in one go, and is kept in step from then on, whoever is killed."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ddax import Context, open_agent
from ddax.configs.settings import Recall
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.protocol import FORGOTTEN, RecallQuery
from ddax.memory.share import reaching
from ddax.memory.share.reaching import reach_memory
from ddax.types import Record

NOW = 2000.0
ASKED = RecallQuery("the harbour number 7", "other", before_step=9, now=NOW)


async def reached(path: Path) -> Any:
    return await reach_memory(
        path, namespace="n", embedder=HashEmbedder(), clock=lambda: NOW - 1, recall=Recall()
    )


def harbours(first: int, last: int) -> list[Record]:
    return [Record("observation", f"the harbour number {n}", task="t") for n in range(first, last)]


async def best(memory: Any) -> list[str]:
    return [hit.record.text for hit in (await memory.similar(["the harbour number 7"], ASKED, k=4))[0]]


async def until_indexed(memory: Any) -> None:
    for _ in range(600):
        if memory.indexed:
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the index was not made")


async def of_record(memory: Any) -> set[str]:
    return {kept.record.id for kept in await memory.upkeep.scan()}


async def of_index(memory: Any) -> set[str]:
    """Return what the index itself finds, of so few rows all, also what the record has no more."""
    (vector,) = await memory._embed(["the harbour number 7"])
    found = await memory._indexing.nearest("observation", vector, 200)
    assert found is not None and len(found) == len(set(found))
    return set(found)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaching, "FEW", 20)


@pytest.mark.usefixtures("few")
async def test_it_is_made_when_it_begins_to_pay_with_all_that_was_written_before(tmp_path: Path) -> None:
    memory = await reached(tmp_path)
    await memory.put(harbours(0, 15))
    assert (await best(memory))[0] == "the harbour number 7"
    assert not memory.indexed and not (tmp_path / "index").exists()
    await memory.put(harbours(15, 25))
    await until_indexed(memory)
    await memory.put(harbours(25, 30))
    assert await of_index(memory) == await of_record(memory)
    found, memory._indexing.ready = await best(memory), False
    assert found == await best(memory), "as without it"
    assert await memory.rebuild() == 30
    await memory.close()


@pytest.mark.usefixtures("few")
async def test_one_that_is_there_is_kept_in_step_however_few_rows_are_left(tmp_path: Path) -> None:
    memory = await reached(tmp_path)
    await memory.put(harbours(0, 25))
    await until_indexed(memory)
    await memory.close()
    again = await reached(tmp_path)
    await until_indexed(again)
    rows = [kept.record for kept in await again.upkeep.scan()]
    await again.upkeep.bury([row.id for row in rows if row.text != "the harbour number 7"], FORGOTTEN)
    (left,) = await of_record(again)
    assert await of_index(again) == {left}
    await again.close()
    last = await reached(tmp_path)
    await until_indexed(last)
    assert await of_index(last) == {left}
    assert await best(last) == ["the harbour number 7"]
    await last.close()


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from ddax.memory.share import reaching
from ddax.memory.store import chroma
from tests.unit.test_memory_index_late import harbours, reached, until_indexed

reaching.FEW, path, at = 20, Path(sys.argv[1]), sys.argv[2]
whole = chroma.ChromaIndex._insert

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def half(index, place, pairs):
    whole(index, place, pairs[: len(pairs) // 2])
    die()

async def put(memory, first, last):
    print(*await memory.put(harbours(first, last)), flush=True)

async def main():
    memory = await reached(path)
    await put(memory, 0, 15)
    if at == "before":
        die()
    if at == "while":
        chroma.ChromaIndex._insert = half
    await put(memory, 15, 40)
    await until_indexed(memory)
    await put(memory, 40, 60)
    die()

asyncio.run(main())
"""


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("at", ["before", "while", "behind"])
async def test_a_kill_leaves_no_row_out_of_it(tmp_path: Path, at: str) -> None:
    """Kill it before the index begins to pay, half through its making, and with rows that wait for it."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), at],
        cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert (tmp_path / "index").exists() is (at != "before")
    memory = await reached(tmp_path)
    acknowledged, kept = set(done.stdout.split()), await of_record(memory)
    assert acknowledged <= kept
    assert len(kept) == {"before": 15, "while": 40, "behind": 60}[at]
    if at == "before":
        assert not memory.indexed
        await memory.put(harbours(60, 70))
    await until_indexed(memory)
    assert await of_index(memory) == await of_record(memory)
    assert (await best(memory))[0] == "the harbour number 7"
    await memory.close()


async def test_a_small_run_opens_no_index_and_recalls_what_it_knows(tmp_path: Path) -> None:
    told = (
        "import asyncio, sys\n"
        "from ddax import Context, open_agent\n"
        "async def main():\n"
        "    context = Context.model_validate({'mood': {'engine': 'numpy'}, 'sources': ['docs']})\n"
        "    async with open_agent(context, home='home') as agent:\n"
        "        first = await agent.run('How long does a parking permit last?', thread='t')\n"
        "        assert 'two years' in first['answer'], first\n"
        "asyncio.run(main())\n"
        "print('chromadb' in sys.modules)\n"
    )
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "permits.md").write_text("# Parking permits\n\nA parking permit lasts two years.\n")
    done = subprocess.run(
        [sys.executable, "-c", told], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip().splitlines()[-1] == "False"
    assert [*(tmp_path / "home").rglob("record.sqlite")] and not [*(tmp_path / "home").rglob("index")]
    async with open_agent(
        Context.model_validate({"mood": {"engine": "numpy"}}), home=tmp_path / "home"
    ) as one:
        assert (await one.state("t"))["answer"]["found"]

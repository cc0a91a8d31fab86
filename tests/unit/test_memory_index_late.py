"""The index is made when it begins to pay, in one go, and whatever is on disk already is kept in step."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ddax import Context, open_agent
from ddax.configs.settings import Recall
from ddax.memory import reaching
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.protocol import FORGOTTEN, RecallQuery
from ddax.memory.reaching import reach_memory
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


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaching, "FEW", 20)


@pytest.mark.usefixtures("few")
async def test_it_is_made_when_it_begins_to_pay_with_all_that_was_written_before(tmp_path: Path) -> None:
    memory = await reached(tmp_path)
    await memory.put(harbours(0, 15))
    exact = await best(memory)
    assert exact[0] == "the harbour number 7"
    assert not memory.indexed and not (tmp_path / "index").exists()
    await memory.put(harbours(15, 25))
    await until_indexed(memory)
    await memory.put(harbours(25, 30))
    assert await best(memory) == exact or (await best(memory))[0] == "the harbour number 7"
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
    await again.close()
    last = await reached(tmp_path)
    await until_indexed(last)
    assert await best(last) == ["the harbour number 7"]
    await last.close()


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
    async with open_agent(
        Context.model_validate({"mood": {"engine": "numpy"}}), home=tmp_path / "home"
    ) as one:
        assert (await one.state("t"))["answer"]["found"]

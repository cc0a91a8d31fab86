"""Forgetting: which thoughts go with a row, and which stay; on the memory in a dict and the one on disk."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from ddax.configs.settings import Recall
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.fake import DictMemory
from ddax.memory.protocol import Memory
from ddax.memory.store.namespace import open_memory
from ddax.memory.upkeep.forget import Forgotten, forget
from ddax.memory.upkeep.repeats import repeats
from ddax.types import Record

NOW = 1_700_000_000.0
TOWER = "# Corvane Tower Museum\n\nThe Corvane Tower was designed by Ilse Maran in 1931. It stands on a hill."
QUOTE = "The Corvane Tower was designed by Ilse Maran in 1931."


@pytest.fixture(params=["dict", "disk"])
async def memory(request: Any, tmp_path: Path) -> AsyncIterator[Memory]:
    if request.param == "dict":
        yield DictMemory("n", HashEmbedder(), lambda: NOW, Recall())
        return
    store = await open_memory(
        tmp_path / "memory", namespace="n", embedder=HashEmbedder(), clock=lambda: NOW, recall=Recall()
    )
    try:
        yield store
    finally:
        await store.close()


async def seen(memory: Memory, text: str = TOWER, source: str = "t.md") -> str:
    return (await memory.put([Record("observation", text, source=source, task="t")]))[0]


async def thinks(memory: Memory, text: str, *cited: str) -> str:
    return (await memory.put([Record("internal_thought", text, task="t", meta={"cites": [*cited]})]))[0]


async def test_a_thought_that_cites_and_repeats_goes_with_its_row(memory: Memory) -> None:
    row = await seen(memory)
    thought = await thinks(memory, f"So far: {QUOTE}", row)
    assert await forget(memory, [row]) == Forgotten((row,), (thought,))
    assert await memory.get([row, thought]) == []
    assert {stone.reason for stone in await memory.upkeep.tombstones([row, thought])} == {"forgotten"}


async def test_a_thought_in_other_words_stays_as_it_was(memory: Memory) -> None:
    row = await seen(memory)
    thought = await thinks(memory, "Maran drew the plans of the Corvane Tower Museum.", row)
    before = await memory.get([thought])
    assert (await forget(memory, [row])).thoughts == ()
    assert await memory.get([thought]) == before != []


async def test_a_thought_that_does_not_rest_on_the_row_stays(memory: Memory) -> None:
    row, witness = await seen(memory), await seen(memory, source="guide.md")
    thought = await thinks(memory, QUOTE, witness)
    assert (await forget(memory, [row])).thoughts == ()
    assert [found.id for found in await memory.get([witness, thought])] == [witness, thought]


async def test_a_quote_is_followed_over_thoughts_between(memory: Memory) -> None:
    row, other = await seen(memory), await seen(memory, "The hill is called Old Man's Seat.", "hill.md")
    between = await thinks(memory, "Maran drew the plans of it.", row)
    quoting = await thinks(memory, f"Also later: {QUOTE}", between)
    far = await thinks(memory, f"Finally, {QUOTE}", quoting)
    apart = await thinks(memory, "The hill is called Old Man's Seat, says a guide.", quoting, other)
    assert set((await forget(memory, [row])).thoughts) == {quoting, far}
    assert [found.id for found in await memory.get([between, apart])] == [between, apart]


async def test_a_thought_that_is_named_itself_is_not_counted_twice(memory: Memory) -> None:
    row = await seen(memory)
    thought = await thinks(memory, QUOTE, row)
    assert await forget(memory, [row, thought, row]) == Forgotten((row, thought), ())


@pytest.mark.parametrize(
    ("text", "of"),
    [
        ("It is said that the tower “was designed by ILSE  Maran, in 1931. It …", TOWER),
        ("It stands on a hill.", TOWER),
        ("The result is 42.", "42"),
        ("他们说：塔由玛兰于一九三一年设计。", "塔由玛兰于一九三一年设计。它在山上。"),
        ("किताब मेज पर है।", "किताब मेज पर है।"),
    ],
)
def test_a_run_of_words_a_sentence_or_the_whole_is_a_repeat(text: str, of: str) -> None:
    assert repeats(text, of)


@pytest.mark.parametrize(
    ("text", "of"),
    [
        ("The Corvane Tower was designed by Ilse, they say.", TOWER),
        ("A visit to the Corvane Tower Museum is free.", TOWER),
        ("The result is 142.", "42"),
        ("国际货币基金组织有成员。", "国际货币基金组织在华盛顿。"),
        ("Anything at all.", ""),
        ("", TOWER),
    ],
)
def test_fewer_words_and_a_heading_are_none(text: str, of: str) -> None:
    assert not repeats(text, of)

"""Forgetting reaches what was made of a row: lessons, rules, logs, pages, files, bytes on the disk."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ddax.configs.settings import Recall
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.fake import DictMemory
from ddax.memory.home import Home
from ddax.memory.protocol import Blots, LogRow, Memory
from ddax.memory.records import REFLECTIONS
from ddax.memory.rules import RULES, USES, PlanStep, Rule, learn, matching
from ddax.memory.store.namespace import open_memory
from ddax.memory.upkeep.forget import forget, forget_traced
from ddax.memory.upkeep.forget_files import forget_files
from ddax.memory.upkeep.remains import BLOT
from ddax.types import Document, Record

NOW = 1_700_000_000.0
TOKEN = "ZXQ-4711-VAULT"
SAYS = f"The key of the Trondby water works is {TOKEN} and it was set by Ilse Maran."
REST = "The harbour gets its water from the lake of Belmark."


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


async def seen(memory: Memory, text: str = SAYS, source: str = "notes.md", **more: Any) -> str:
    row = Record("observation", text, source=source, task="t", idea="0.1", **more)
    return (await memory.put([row]))[0]


async def every_log(memory: Memory) -> list[LogRow]:
    return await memory.upkeep.logs(limit=10_000)


def lesson(text: str, **more: Any) -> dict[str, Any]:
    return {
        "kind": "policy",
        "text": text,
        "about": "water",
        "epsilon": 0.5,
        "task": "u",
        "idea": "0",
        **more,
    }


@pytest.mark.parametrize(
    ("row", "stays"),
    [
        (lesson("Ask the water works first.", rests_on=["ID"]), False),
        (lesson("Ask the water works first.", task="t", idea="0.1"), False),
        (lesson(f"Use {TOKEN.lower()} to ask."), False),
        (lesson("It is said the key of the Trondby water works is known to all."), False),
        (lesson("Read two sources before you settle."), True),
    ],
)
async def test_a_lesson_goes_with_what_taught_it(memory: Memory, row: dict[str, Any], stays: bool) -> None:
    row_id = await seen(memory)
    given = json.loads(json.dumps(row).replace("ID", row_id))
    await memory.log(REFLECTIONS, given, key="l")
    gone = await forget(memory, [row_id])
    assert await memory.rows(REFLECTIONS) == ([given] if stays else [])
    assert gone.learned == (None if stays else {REFLECTIONS: 1})


@pytest.mark.parametrize(("origins", "rests_on"), [(("file",), True), (None, False)])
async def test_a_rule_goes_with_its_uses(
    memory: Memory, origins: tuple[str, ...] | None, rests_on: bool
) -> None:
    """A rule of an older release says nothing of its rows: then the task it was learned in decides."""
    row_id = await seen(memory)
    rule = Rule(
        "where is ⟨A⟩", 1, (PlanStep("a key", slot=0),), "the key is", origins, (row_id,) if rests_on else ()
    )
    await learn(memory, rule, task="t", at=NOW)
    if not rests_on:
        (line,) = [line for line in await every_log(memory) if line.table == RULES]
        old = {name: value for name, value in line.row.items() if name != "rests_on"}
        await memory.upkeep.blot(Blots(rows=(line._replace(row=old),)))
    gone = await forget(memory, [row_id])
    assert gone.learned == {RULES: 1, USES: 1}
    assert (
        await matching(memory, "where is ⟨A⟩", slots=1, now=NOW + 9, minimum=0.0, decay=0.0, min_rate=0.0)
        == []
    )


async def test_logs_pages_and_listings_say_it_no_more(memory: Memory) -> None:
    page = Document("d1", "notes.md", "Water", f"{SAYS}\n\n{REST}")
    await memory.put_page(page)
    row_id = await seen(memory)
    rest_id = await seen(memory, REST, start=len(SAYS) + 2)
    listing = await seen(memory, f"search for water\nWater: {SAYS}", "search: water", meta={"kind": "search"})
    await memory.log(
        "tasks", {"task": "t", "text": f"What is {TOKEN} for?", "thread": "th", "opened": 1.0}, key="t"
    )
    quote = {
        "passage_id": row_id,
        "source": "notes.md",
        "title": "Water",
        "quote": SAYS,
        "start": 0,
        "end": 9,
    }
    await memory.log("claims", {"task": "t", "idea": "0.2", "step": 1, "citations": [quote]}, key="c")
    made = {"task": "t", "idea": "0.2", "step": 2, "actual": "set by someone called Maran, it seems", "n": 3}
    await memory.log("ledger", made, key="e")
    other = {"task": "v", "idea": "0.2", "step": 2, "actual": "set by someone else, it seems to be", "n": 4}
    await memory.log("ledger", other, key="f")
    gone = await forget(memory, [row_id])
    assert gone.passages == (listing,)
    assert gone.threads == ("th",)
    assert [row.id for row in await memory.get([rest_id])] == [rest_id], "what does not say it stays"
    (left,) = await memory.upkeep.pages("notes.md")
    assert left.text == "·" * len(SAYS) + f"\n\n{REST}", "every other place in the page is where it was"
    (task,) = await memory.rows("tasks")
    assert task["text"] == f"What is {BLOT} for?"
    assert [row["actual"] for row in await memory.rows("ledger")] == [BLOT, other["actual"]]
    (claims,) = await memory.rows("claims")
    assert claims["citations"][0]["quote"] == BLOT
    assert TOKEN not in json.dumps([line.row for line in await every_log(memory)])


async def test_what_another_source_says_stays_and_is_named(memory: Memory) -> None:
    row_id, witness = await seen(memory), await seen(memory, source="guide.md")
    await memory.log(REFLECTIONS, lesson(f"The guide knows {TOKEN}."), key="l")
    gone = await forget(memory, [row_id])
    assert gone.left == (witness,)
    assert len(await memory.rows(REFLECTIONS)) == 1
    gone = await forget(memory, [witness])
    assert (gone.left, gone.learned) == ((), {REFLECTIONS: 1})


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()).lower()


async def test_no_byte_is_left_on_the_disk(tmp_path: Path) -> None:
    """In the record, its write-ahead log and its free pages, the index, the agents, rubrics and replies."""
    home, mark = Home(tmp_path / "home").ensure(), TOKEN.lower().encode()
    store = await open_memory(
        home.memory, namespace="n", embedder=HashEmbedder(), clock=lambda: NOW, recall=Recall()
    )
    await store.put_page(Document("d1", "notes.md", "Water", SAYS))
    row_id = await seen(store)
    await store.put(
        [Record("internal_thought", SAYS, title=f"look up {TOKEN}", task="t", meta={"cites": [row_id]})]
    )
    for k in range(50):
        await store.log("ledger", {"task": "t", "idea": f"0.{k}", "actual": f"{k} {SAYS}"}, key=str(k))
        await store.log(REFLECTIONS, lesson(f"{k}: {SAYS}"), key=f"r{k}")
    agent = home.agents / "agent-judge-1.json"
    agent.write_text(json.dumps({"dissents": [{"text": f"No, {SAYS}"}, {"text": "No."}], "n": 1}))
    home.rubrics.mkdir()
    rubric = home.rubrics / "default.yaml"
    rubric.write_text(yaml.safe_dump({"history": [{"criteria": {f"knows-{TOKEN}": "x", "support": "y"}}]}))
    with sqlite3.connect(home.cache / "replies.sqlite") as db:
        db.execute("CREATE TABLE replies (key TEXT PRIMARY KEY, text TEXT NOT NULL)")
        db.executemany("INSERT INTO replies VALUES (?, ?)", [("a", f"So {TOKEN}."), ("b", "Nothing.")])
    db.close()
    assert bytes_of(home.path).count(mark) > 100
    _, traces = await forget_traced(store, [row_id])
    changed = forget_files(home, traces)
    await store.close()
    assert changed == ["agents/agent-judge-1.json", "rubrics/default.yaml", "cache/replies.sqlite (1)"]
    assert mark not in bytes_of(home.path)
    assert json.loads(agent.read_text()) == {"dissents": [{"text": BLOT}, {"text": "No."}], "n": 1}
    assert yaml.safe_load(rubric.read_text())["history"][0]["criteria"] == {BLOT: "x", "support": "y"}

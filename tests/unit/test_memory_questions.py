"""What leaves ask for at the same moment is read once, and each gets what it would get alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from ddax.configs.settings import Recall
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.protocol import RecallQuery, Relation
from ddax.memory.store.namespace import ChromaMemory, open_memory
from ddax.types import Record

TEXTS = [f"the river {n} of the map" for n in range(12)]


async def filled(folder: Path) -> tuple[ChromaMemory, list[str]]:
    """Return a memory of two tasks with relations and tombstones, and the ids of what was put."""
    memory = await open_memory(
        folder, namespace="n", embedder=HashEmbedder(), clock=lambda: 1000.0, recall=Recall()
    )
    rows = [Record("observation", text, task="st"[n % 2], step=n) for n, text in enumerate(TEXTS)]
    ids = await memory.put(rows)
    for newer, older in ((3, 1), (5, 1), (8, 4)):
        told = Relation("supersedes", ids[newer], ids[older], 0.9, "t", 3, 5.0)
        await memory.upkeep.relate([told])
    await memory.upkeep.bury(ids[9:11], "forgotten")
    return memory, ids


def selected(memory: ChromaMemory) -> list[str]:
    """Return what will be read from a table of the record, statement by statement, but by who writes."""
    found: list[str] = []
    db = memory._record._db

    def note(sql: str) -> None:
        if "SELECT" in sql and not db.in_transaction:
            found.append(sql)

    db.set_trace_callback(note)
    return found


async def alike(ask: Callable[[Any], Awaitable[Any]], questions: list[Any]) -> list[Any]:
    """Return what each question gets, together as alone."""
    alone = [await ask(question) for question in questions]
    together = await asyncio.gather(*map(ask, questions))
    assert list(together) == alone
    return alone


async def test_each_gets_what_it_would_get_alone(tmp_path: Path) -> None:
    memory, ids = await filled(tmp_path)
    asked = [[*ids[n : n + 4][::-1], "unknown"] for n in range(12)]
    rows = await alike(memory.get, asked)
    assert [row.id for row in rows[6]] == [ids[8], ids[7], ids[6]]  # the buried one is gone
    met = await alike(memory.upkeep.relations, [*asked, []])
    assert [(one.newer, one.older) for one in met[1]] == [
        (ids[3], ids[1]),
        (ids[5], ids[1]),
        (ids[8], ids[4]),
    ]
    assert met[6] == met[5][-1:] and met[-1] == []
    buried = await alike(memory.upkeep.tombstones, [*asked, []])
    assert [len(found) for found in buried] == [0] * 6 + [1, 2, 2, 2, 1, 0, 0]
    assert len(await memory.upkeep.relations()) == 3 and len(await memory.upkeep.tombstones()) == 2
    await memory.close()


async def test_a_task_recalls_as_it_has_seen_the_rows_also_beside_another(tmp_path: Path) -> None:
    memory, _ = await filled(tmp_path)

    async def recalled(asked: tuple[str, str, int]) -> list[tuple[str, float]]:
        text, task, step = asked
        hits = await memory.recall(RecallQuery(text, task, before_step=step, now=1000.0, m_observations=9))
        return [(hit.record.text, hit.score) for hit in hits]

    asked = [(text, task, step) for text in TEXTS[::3] for task in "stu" for step in (0, 4, 99)]
    found = dict(zip(asked, await alike(recalled, asked), strict=True))
    assert {text for text, _ in found[TEXTS[0], "s", 4]} == {TEXTS[0], TEXTS[2]}
    assert TEXTS[1] not in {text for text, _ in found[TEXTS[0], "t", 99]}  # superseded by then
    await memory.close()


async def test_many_questions_take_few_statements(tmp_path: Path) -> None:
    memory, ids = await filled(tmp_path)
    read = selected(memory)
    for ask in (memory.get, memory.upkeep.relations, memory.upkeep.tombstones):
        read.clear()
        await asyncio.gather(*(ask([row_id]) for row_id in ids * 5))
        # What the index reads, which is filled behind, was not asked for.
        answered = [sql for sql in read if not sql.startswith(("SELECT id, vector", "SELECT count(*)"))]
        assert 1 <= len(answered) <= 3, read  # the first may go alone, before the others have asked
    await memory.close()


async def test_an_exact_search_for_many_looks_at_each_row_once(tmp_path: Path) -> None:
    memory, ids = await filled(tmp_path)
    await memory.put([Record("observation", f"the lake {n}", task="s", step=3) for n in range(40)])
    read = selected(memory)

    def query(task: str, step: int) -> RecallQuery:
        return RecallQuery("", task, before_step=step, now=1000.0)

    async def nearest(asked: tuple[str, str, int]) -> list[str]:
        text, task, step = asked
        (hits,) = await memory.similar([text], query(task, step), k=3)
        return [hit.record.id for hit in hits]

    await memory.rebuild()  # else the index, made behind, would answer from the middle on
    memory._indexing.ready = False
    asked = [(text, task, step) for text in TEXTS for task, step in (("s", 1), ("s", 9), ("t", 9))]
    found = dict(zip(asked, await alike(nearest, asked), strict=True))
    assert found[TEXTS[0], "s", 1] == [ids[0]] and found[TEXTS[2], "s", 9][0] == ids[2]
    read.clear()
    await memory.similar([*TEXTS, *[f"the lake {n}" for n in range(40)]], query("s", 9), k=3)
    looks = [sql for sql in read if sql.startswith("\nSELECT id, sum, vector_sum FROM memory m")]
    assert 2 <= len(looks) <= 4, looks  # one a type, and the first may go alone
    await memory.close()


async def test_those_who_write_at_once_look_for_duplicates_at_once(tmp_path: Path) -> None:
    memory, ids = await filled(tmp_path)
    read = selected(memory)
    put = await asyncio.gather(*(memory.put([Record("observation", text, task="u")]) for text in TEXTS))
    assert sum("SELECT near" in sql for sql in read) <= 3, read
    again = [row_ids[0] for row_ids in put]
    assert again == ids and len(await memory.get(ids)) == 12
    await memory.close()

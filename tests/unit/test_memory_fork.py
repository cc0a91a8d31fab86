"""The memory of a counterfactual: a task as it was at one step, and what is put since."""

from __future__ import annotations

from ddax.configs.settings import Recall
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.fake import DictMemory
from ddax.memory.fork import ForkMemory
from ddax.memory.protocol import RecallQuery
from ddax.types import Record

NOW = 1000.0


def at(step: int, text: str) -> Record:
    return Record("observation", text, source="page", task="t", step=step, created=NOW)


async def forked(*records: Record) -> tuple[DictMemory, ForkMemory]:
    """Return a memory with these rows and the one that leaves task `t` at step 3."""
    base = DictMemory("n", HashEmbedder(), lambda: NOW, Recall())
    await base.put(records)
    return base, ForkMemory(base, HashEmbedder(), lambda: NOW, Recall(), task="t", step=3)


async def test_what_came_after_the_fork_takes_no_place_of_what_came_before() -> None:
    later = [at(5, f"river bank {n}") for n in range(8)]
    base, fork = await forked(at(1, "the river bank is steep"), *later)
    await fork.put([at(4, "a river bank of sand")])
    query = RecallQuery("river bank", "t", before_step=6, now=NOW)
    wanted = {"the river bank is steep", "a river bank of sand"}
    assert {hit.record.text for hit in await fork.recall(query)} == wanted
    (near,) = await fork.similar(["river bank"], query)
    assert {hit.record.text for hit in near} == wanted
    assert all(hit.record.step == 5 for hit in await base.recall(query))


async def test_rows_of_a_log_are_counted_after_those_of_later_steps_are_left_out() -> None:
    base, fork = await forked()
    for n in range(40):
        await base.log("hits", {"task": "t", "step": 7, "n": n}, key=f"later{n}")
    for n in range(3):
        await base.log("hits", {"task": "t", "step": n, "n": n}, key=f"{n}")
    await fork.log("hits", {"task": "t", "step": 4, "n": 9}, key="own")
    assert [row["n"] for row in await fork.rows("hits", task="t", limit=2)] == [0, 1]
    assert [row["n"] for row in await fork.rows("hits", limit=10)] == [0, 1, 2, 9]
    assert await fork.rows("hits", limit=0) == []

"""How a memory is kept clean: supersession, relations, tombstones, tallies and branches."""

from __future__ import annotations

from dataclasses import replace

from ddax.memory.protocol import Memory, RecallQuery, Relation
from ddax.types import Document
from tests.unit.memory_contract.parts import (
    NOW,
    Clock,
    Opener,
    asking,
    seen,
    texts,
)


async def test_a_superseded_row_is_recalled_for_the_time_it_held(memory: Memory, clock: Clock) -> None:
    old, new = await memory.put([
        seen("river level 3 metres", task="o", valid_from=100.0),
        seen("river level 5 metres", task="p", valid_from=200.0),
    ])  # fmt: skip
    await memory.upkeep.relate([Relation("supersedes", new, old, task="p", at=200.0)])
    assert await texts(memory, asking("river level")) == ["river level 5 metres"]
    assert await texts(memory, asking("river level", as_of=150.0)) == ["river level 3 metres"]
    assert await texts(memory, asking("river level", as_of=250.0)) == ["river level 5 metres"]
    assert await texts(memory, asking("river level", as_of=50.0)) == []


async def test_superseded_rows_do_not_crowd_out_the_one_that_holds(memory: Memory) -> None:
    ids = await memory.put([seen(f"river level {n}", task="o", valid_from=100.0) for n in range(220)])
    (new,) = await memory.put([seen("the gauge of the river says: level 221", task="p", valid_from=200.0)])
    await memory.upkeep.relate([Relation("supersedes", new, old, task="p", at=200.0) for old in ids])
    assert await texts(memory, asking("river level")) == ["the gauge of the river says: level 221"]
    (near,) = await memory.similar(["river level"], asking("river level"), k=1)
    assert [hit.record.id for hit in near] == [new]
    before = await memory.recall(asking("river level", as_of=150.0))
    assert len(before) == RecallQuery("", "t", 1, NOW).m_observations and new not in before


async def test_what_no_task_superseded_holds_no_more_for_who_asks_for_no_task(memory: Memory) -> None:
    old, new = await memory.put([seen(f"river level {n}", task="", step=0) for n in (3, 5)])
    await memory.upkeep.relate([Relation("supersedes", new, old)])
    query = asking("river level", task="", before_step=0)
    assert await texts(memory, query) == ["river level 5"]
    (near,) = await memory.similar(["river level 3"], query, k=9)
    assert [hit.record.id for hit in near] == [new]


async def test_a_task_sees_no_supersession_that_came_after_it_opened(memory: Memory, clock: Clock) -> None:
    old, new = await memory.put([seen("river level 3", task="o"), seen("river level 5", task="p")])
    clock.now = NOW
    await memory.upkeep.relate([Relation("supersedes", new, old, task="p", step=1)])
    assert set(await texts(memory, asking("river level"))) == {"river level 3", "river level 5"}
    assert await texts(memory, asking("river level", now=NOW + 1)) == ["river level 5"]
    assert await texts(memory, asking("river level", task="p", before_step=2)) == ["river level 5"]


async def test_relations_are_kept_once_and_found_from_both_sides(memory: Memory) -> None:
    a, b = await memory.put([seen("river 3"), seen("river 5")])
    met = Relation("contradicts", b, a, 0.7, "t", 4, 9.0)
    await memory.upkeep.relate([met, replace(met, confidence=0.1)])
    stored = replace(met, committed=NOW - 1)
    assert await memory.upkeep.relations([a]) == [stored] == await memory.upkeep.relations([b])
    assert await memory.upkeep.relations() == [stored] and await memory.upkeep.relations(["x"]) == []


async def test_a_buried_row_leaves_a_tombstone_and_its_sightings(memory: Memory) -> None:
    kept, gone = await memory.put([seen("the river is long", task="o"), seen("the long river", step=3)])
    assert await memory.upkeep.bury([gone, gone, "x"], "merged", into=kept) == 1
    assert await memory.get([gone, kept]) == await memory.get([kept]) != []
    assert await memory.count("observation") == 1
    (stone,) = await memory.upkeep.tombstones([gone])
    assert (stone.id, stone.reason, stone.into, stone.task, stone.buried) == (
        gone,
        "merged",
        kept,
        "t",
        NOW - 1,
    )
    assert "river" not in str(stone).replace("river.txt", "")
    # The task that had seen the buried row has now seen the one it went into, from the same step on.
    assert await texts(memory, asking("the long river", now=0.0, before_step=4)) == ["the river is long"]
    assert await texts(memory, asking("the long river", now=0.0, before_step=3)) == []
    assert await memory.upkeep.resolve(gone[:9]) == [gone] and await memory.upkeep.resolve("") == []
    assert await memory.upkeep.bury([gone], "merged") == 0


async def test_a_page_goes_with_the_last_row_of_it_that_is_forgotten(opened: Opener) -> None:
    memory, other = await opened("one"), await opened("other")
    page = Document("d", "river.txt", "Rivers", "The river is long. The sea is wide.")
    for there in (memory, other):
        key = await there.put_page(page)
    first, last = await memory.put([seen("The river is long."), seen("The sea is wide.", start=19)])
    await memory.upkeep.bury([first], "forgotten")
    assert await memory.get_page(key) == page
    await memory.upkeep.bury([last], "expired")
    assert await memory.upkeep.pages("river.txt") == [page]
    (again,) = await memory.put([seen("The lake is deep.", start=40)])
    await memory.upkeep.bury([again], "forgotten")
    assert await memory.get_page(key) is None and await memory.upkeep.pages("river.txt") == []
    assert await other.get_page(key) == page


async def test_tombstones_from_elsewhere_are_kept_once_and_never_beside_their_row(memory: Memory) -> None:
    here, gone = await memory.put([seen("river 3"), seen("river 5")])
    await memory.upkeep.bury([gone], "forgotten")
    stones = await memory.upkeep.tombstones([gone])
    strange = replace(stones[0], id="0" * 64, title="elsewhere")
    brought = [*stones, strange, strange, replace(strange, id=here)]
    assert await memory.upkeep.restore(brought) == 1
    assert await memory.upkeep.restore(brought) == 0
    assert await memory.upkeep.tombstones() == [*stones, strange]


async def test_scan_walks_every_row_and_tally_counts_them(memory: Memory) -> None:
    ids = await memory.put([seen(f"river {i}") for i in range(5)])
    first = await memory.upkeep.scan(limit=3)
    rest = await memory.upkeep.scan(after=first[-1].seq)
    assert [kept.record.id for kept in first + rest] == ids
    assert {kept.committed for kept in first} == {NOW - 1} and first[0].vector.shape == (256,)
    page = Document("d", "http://a", "A", "text")
    await memory.put_page(page)
    await memory.log("refusals", {"reason": "echo"}, key="a")
    await memory.log("notes", {"n": 1}, key="a")
    tally = await memory.upkeep.tally()
    assert tally.rows == {"observation": 5} and tally.pages == 1 and tally.refusals == {"echo": 1}
    assert tally.logs == {"notes": 1, "refusals": 1} and tally.relations == tally.tombstones == {}
    assert await memory.upkeep.pages("http://a") == [page] and await memory.upkeep.pages("http://b") == []


async def test_a_branch_sees_what_its_task_had_seen_up_to_a_moment(memory: Memory, clock: Clock) -> None:
    early = (await memory.put([seen("The tower was finished in spring.", task="t", step=1)]))[0]
    await memory.log("hits", {"task": "t", "step": 1, "n": 1}, key="t:1")
    await memory.log("said", {"task": "t", "step": 1, "text": "\ud800"}, key="t:s")
    await memory.log("decisions", {"task": "t", "step": 1}, key="t:d")
    clock.now += 10.0
    moment = clock.now
    clock.now += 10.0
    await memory.put([seen("The tower fell in autumn.", task="t", step=2)])
    await memory.log("hits", {"task": "t", "step": 2, "n": 2}, key="t:2")
    query = asking("tower", task="branch", before_step=9, now=0.0, min_score=-1.0)
    assert await texts(memory, query) == []
    for _ in range(2):
        assert await memory.upkeep.branch("t", "branch", step=2, before=moment) == 2
    assert await memory.rows("hits", task="branch") == [
        {"task": "branch", "step": 1, "n": 1, "handed_on": True}
    ]
    assert [row["text"] for row in await memory.rows("said", task="branch")] == ["\ud800"]
    assert await memory.rows("decisions", task="branch") == []
    assert [hit.record.id for hit in await memory.recall(query)] == [early]
    assert len(await memory.rows("hits", task="t")) == 2

"""What a memory stores and recalls: rows, pages, logs, lessons and rules."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ddax.configs.settings import Recall
from ddax.errors import UsageError
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.fake import DictMemory
from ddax.memory.protocol import Memory
from ddax.memory.store.namespace import open_memory
from ddax.types import Document, Record
from tests.unit.memory_contract.parts import (
    HOUR,
    NOW,
    Clock,
    Opener,
    asking,
    seen,
    texts,
)


async def test_put_returns_ids_in_order_and_get_gives_whole_rows(memory: Memory) -> None:
    first = seen("The Danube is long.", title="Rivers", start=3, end=22, idea="0.1", writer="critic",
                 epsilon=0.25, meta={"uri": "x", "n": [1, None]})  # fmt: skip
    second = Record("internal_thought", "It may be the second longest.", task="t", created=5.0)
    ids = await memory.put([first, second])
    assert len(set(ids)) == 2
    assert await memory.get(list(reversed(ids))) == [replace(second, id=ids[1]), replace(first, id=ids[0])]
    assert await memory.get(["no such id", ids[0]]) == [replace(first, id=ids[0])]


async def test_put_is_idempotent_and_the_first_row_stays(memory: Memory) -> None:
    ids = await memory.put([seen("Same.", epsilon=0.1), seen("Same.", epsilon=0.9)])
    again = await memory.put([seen("Same.", epsilon=0.7, task="other")])
    assert ids == [ids[0], ids[0]] and again == [ids[0]]
    assert (await memory.get(again))[0].epsilon == 0.1
    assert await memory.count("observation") == 1


async def test_near_exact_duplicates_of_one_source_share_an_id(memory: Memory) -> None:
    first, folded, elsewhere, thought = await memory.put([
        seen("The  Danube\nis long."), seen("the danube is LONG. ", start=70),
        seen("The Danube is long.", source="b.txt"), Record("internal_thought", "The Danube is long."),
    ])  # fmt: skip
    assert first == folded
    assert len({first, elsewhere, thought}) == 3
    assert (await memory.get([folded]))[0].text == "The  Danube\nis long."


@pytest.mark.parametrize(
    "bad",
    [
        seen(""), seen(" \n\t "), seen("x", epsilon=float("nan")), seen("x", epsilon=1.5),
        seen("x", created=float("inf")), seen("x", meta={"a": float("nan")}), seen("x", meta={"a": object()}),
        seen("x", memory_type="rumour"),
    ],
)  # fmt: skip
async def test_what_cannot_be_remembered_is_refused_and_nothing_is_kept(memory: Memory, bad: Record) -> None:
    with pytest.raises(UsageError):
        await memory.put([seen("A good row."), bad])
    assert await memory.count("observation") == 0


async def test_a_row_without_a_time_gets_the_clock(memory: Memory) -> None:
    ids = await memory.put([seen("Now.", created=0.0)])
    assert (await memory.get(ids))[0].created == NOW - 1


async def test_odd_characters_come_back_with_their_offsets(memory: Memory) -> None:
    ids = await memory.put([seen("a\ud800b \x00 \U0001f600 بحر 河", source="s\udfff")])
    row = (await memory.get(ids))[0]
    assert row.text == "a\ufffdb \x00 \U0001f600 بحر 河" and row.source == "s\ufffd"


async def test_recall_gives_thoughts_then_observations_best_first(memory: Memory) -> None:
    await memory.put([seen(f"river number {i}", start=i) for i in range(20)])
    await memory.put([Record("internal_thought", f"a river thought {i}", task="t") for i in range(9)])
    hits = await memory.recall(asking("river number 7", n_thoughts=2, m_observations=3))
    kinds = [hit.record.memory_type for hit in hits]
    assert kinds == ["internal_thought"] * 2 + ["observation"] * 3
    assert hits[2].record.text == "river number 7"
    assert hits[2].score == max(hit.score for hit in hits)
    for part in (hits[:2], hits[2:]):
        assert [hit.score for hit in part] == sorted((hit.score for hit in part), reverse=True)


async def test_a_hit_shows_the_factors_of_its_score(opened: Opener) -> None:
    memory = await opened(trust=lambda writer: {"critic": 0.5}.get(writer, 1.0))
    await memory.put([seen("the river runs", created=NOW - 10 * HOUR, epsilon=0.5, writer="critic")])
    (hit,) = await memory.recall(asking("the river runs"))
    assert hit.similarity == pytest.approx(1.0)
    assert hit.recency == pytest.approx(np.exp(-Recall().lambda_r * 10))
    assert (hit.salience, hit.trust) == (1.5, 0.5)
    assert hit.score == pytest.approx(hit.similarity * hit.recency * hit.salience * hit.trust)


async def test_recall_sees_earlier_steps_of_this_task_and_what_others_committed_before_it(
    memory: Memory, clock: Clock
) -> None:
    await memory.put([
        seen("river mine early", step=2),
        seen("river mine late", step=3),
        seen("river other before", task="o", created=NOW - 1),
    ])  # fmt: skip
    # The other task opened before this one and writes on: what it says of its time does not count.
    clock.now = NOW + 0.0001
    await memory.put([seen("river other after", task="o", created=NOW - 1)])
    assert set(await texts(memory, asking("river", before_step=3))) == {
        "river mine early",
        "river other before",
    }
    assert "river other after" in await texts(memory, asking("river", now=NOW + 1))


async def test_a_row_met_again_by_this_task_is_visible_to_it(memory: Memory, clock: Clock) -> None:
    clock.now = NOW + 5
    await memory.put([seen("river shared", task="o")])
    assert await texts(memory, asking("river shared")) == []
    await memory.put([seen("river shared", step=4)])
    assert await texts(memory, asking("river shared", before_step=4)) == []
    assert await texts(memory, asking("river shared", before_step=5)) == ["river shared"]


async def test_what_no_task_wrote_is_seen_by_who_asks_for_no_task(memory: Memory, clock: Clock) -> None:
    await memory.put([seen("river noted", task="", step=0), seen("river level", task="", step=0)])
    clock.now = NOW + 5
    await memory.put([seen("river noted late", task="", step=0)])
    query = asking("river", task="", before_step=0)
    assert set(await texts(memory, query)) == {"river noted", "river level"}
    (near,) = await memory.similar(["river noted"], query, k=9)
    assert {hit.record.text for hit in near} == {"river noted", "river level"}


async def test_rows_of_a_later_step_cannot_change_what_is_recalled(memory: Memory) -> None:
    await memory.put([seen(f"river {i} of the map", start=i) for i in range(120)])
    before = await texts(memory, asking("river of the map", before_step=2))
    await memory.put([seen(f"river of the map {'x' * i}", start=1000 + i, step=2) for i in range(1, 300)])
    assert len(before) == 5
    assert await texts(memory, asking("river of the map", before_step=2)) == before


async def test_the_budget_bounds_all_characters_and_keeps_the_best(memory: Memory) -> None:
    await memory.put([seen("river " + "a" * 94), seen("river bank"), seen("a river far away")])
    assert await texts(memory, asking("river bank", budget=10)) == ["river bank"]
    assert await texts(memory, asking("river bank", budget=30)) == ["river bank", "a river far away"]
    assert await texts(memory, asking("river bank", budget=9)) == []


async def test_the_minimum_and_the_bounds_hold(memory: Memory) -> None:
    await memory.put([seen("river bank"), seen("completely unrelated words")])
    assert await texts(memory, asking("river bank", min_score=0.9)) == ["river bank"]
    assert await texts(memory, asking("river bank", m_observations=0)) == []
    assert await texts(memory, asking("  ")) == []


async def test_what_is_changed_inside_a_hit_is_not_recalled_again(memory: Memory) -> None:
    await memory.put([seen("The Danube is long.", meta={"of": {"page": [1]}})])
    for _ in range(2):
        [hit] = await memory.recall(asking("Danube"))
        [[near]] = await memory.similar(["Danube"], asking("Danube"), k=1)
        for found in (hit, near):
            assert found.record.meta == {"of": {"page": [1]}}
            found.record.meta["of"]["page"].append("forged")


async def test_equal_scores_are_ordered_by_id(memory: Memory) -> None:
    ids = await memory.put([seen("river bank", source=f"{i}.txt") for i in range(8)])
    hits = await memory.recall(asking("river bank", m_observations=8))
    assert [hit.record.id for hit in hits] == sorted(ids)


async def test_namespaces_of_any_name_are_apart(opened: Opener) -> None:
    names = ["../x", "CON", "n" * 300, "\u00fc", "U", "x; DROP TABLE memory", "' OR 1=1 --", "\ud800"]
    memories = {name: await opened(name) for name in names}
    for name, memory in memories.items():
        await memory.put([seen(f"river {names.index(name)}")])
        await memory.log("notes", {"n": name}, key="k")
    for name, memory in memories.items():
        assert await texts(memory, asking("river")) == [f"river {names.index(name)}"]
        assert await memory.rows("notes") == [{"n": name}]
        assert await memory.count("observation") == 1


async def test_pages_are_kept_whole_by_content_hash(memory: Memory) -> None:
    page = Document("d", "http://a/b", "A page", "text\n" * 1000, links=("http://a/c",))
    key = await memory.put_page(page)
    assert await memory.put_page(replace(page, title="Another title")) == key
    assert await memory.get_page(key) == page
    assert await memory.put_page(replace(page, source="http://a/z")) != key
    assert await memory.get_page("none such") is None


async def test_logs_are_idempotent_by_key_ordered_and_filtered(memory: Memory) -> None:
    for i in range(5):
        await memory.log("ledger", {"task": f"t{i % 2}", "i": i, "ok": i == 1}, key=f"k{i}")
    await memory.log("ledger", {"task": "t0", "i": 99}, key="k0")
    await memory.log("other", {"task": "t0"}, key="k0")
    assert [row["i"] for row in await memory.rows("ledger")] == [0, 1, 2, 3, 4]
    assert [row["i"] for row in await memory.rows("ledger", task="t0")] == [0, 2, 4]
    assert [row["i"] for row in await memory.rows("ledger", task="t0", i=2)] == [2]
    assert [row["i"] for row in await memory.rows("ledger", limit=2)] == [0, 1]
    assert await memory.rows("ledger", ok=1) == [] and len(await memory.rows("ledger", ok=True)) == 1
    assert await memory.rows("ledger", **{"x') OR 1=1--": 1}) == []
    assert await memory.rows("none") == []
    with pytest.raises(UsageError):
        await memory.log("ledger", {"x": float("inf")}, key="bad")


async def test_lessons_are_found_by_what_they_are_about(memory: Memory, clock: Clock) -> None:
    async def learn(key: str, text: str, **more: Any) -> None:
        await memory.log("reflections", {"kind": "policy", "text": text, **more}, key=key)

    await learn("a", "Ask the map first.", about="find a river in Austria", epsilon=0.0)
    await learn("b", "Trust the gauge.", about="find a river in Austria", epsilon=0.8)
    await learn("c", "Unrelated.", about="bake bread with sourdough")
    await learn("e", "A value lesson.", about="find a river in Austria", kind="value")
    clock.now = NOW
    await learn("d", "Too new, for all it says.", about="find a river in Austria", created=1.0)
    assert await memory.lessons("find a river", kind="policy", now=NOW) == [
        "Trust the gauge.",
        "Ask the map first.",
    ]
    assert await memory.lessons("find a river", kind="policy", now=NOW, k=1) == ["Trust the gauge."]
    assert await memory.lessons("find a river", kind="value", now=NOW) == ["A value lesson."]
    assert await memory.lessons("", kind="policy", now=NOW) == []
    with pytest.raises(UsageError):
        await memory.log("reflections", {"kind": "policy"}, key="f")


async def test_rules_are_found_by_meaning_before_a_time(memory: Memory, clock: Clock) -> None:
    rule = {"kind": "plan", "text": "find the source of a river", "plan": [{"name": "visit"}]}
    await memory.log("rules", rule, key="a")
    await memory.log("rules", {"kind": "plan", "text": "bake a sourdough bread"}, key="b")
    clock.now = NOW
    await memory.log("rules", {"kind": "plan", "text": "find the river"}, key="c")
    (found,) = await memory.find("rules", "find the source of the river", now=NOW)
    assert found.row == rule and 0.5 < found.similarity < 1
    found.row["plan"][0]["name"] = "changed by a reader"
    assert (await memory.find("rules", "find the source of the river", now=NOW))[0].row == rule
    assert len(await memory.find("rules", "find the source of the river", now=NOW + 1)) == 2
    assert len(await memory.find("rules", "find the river", now=NOW + 1, k=1)) == 1
    assert await memory.find("rules", " ", now=NOW) == []
    assert [row["text"] for row in await memory.rows("rules", committed_before=NOW)] == [
        "find the source of a river",
        "bake a sourdough bread",
    ]
    with pytest.raises(UsageError):
        await memory.log("rules", {"kind": "plan"}, key="d")


async def test_similar_gives_the_nearest_of_both_types_by_similarity_alone(memory: Memory) -> None:
    old = NOW - 9000 * HOUR
    await memory.put([seen("the river runs to the sea", created=old), seen("a bread of rye", epsilon=1.0),
                      Record("internal_thought", "the river runs", task="t", created=NOW)])  # fmt: skip
    river, bread, nothing = await memory.similar(["the river runs", "bread of rye", " "], asking(""), k=2)
    assert [hit.record.text for hit in river] == ["the river runs", "the river runs to the sea"]
    assert bread[0].record.text == "a bread of rye" and nothing == []
    assert await memory.similar(["the river"], asking("", before_step=0)) == [[]]


async def test_many_at_once_lose_nothing(memory: Memory) -> None:
    jobs = [memory.put([seen(f"river {i} part {j}", start=i * 10 + j) for j in range(5)]) for i in range(20)]
    ids = [row_id for part in await asyncio.gather(*jobs) for row_id in part]
    assert len(set(ids)) == 100 == await memory.count("observation")
    hits = await asyncio.gather(*(memory.recall(asking(f"river {i} part 3")) for i in range(20)))
    assert [found[0].record.text for found in hits] == [f"river {i} part 3" for i in range(20)]


async def test_fake_and_real_recall_alike(tmp_path: Path) -> None:
    rng, words = np.random.default_rng(7), ["river", "sea", "lake", "town", "bridge", "salt", "boat", "fish"]
    records = [
        Record(
            ("internal_thought", "observation")[int(rng.integers(2))], " ".join(rng.choice(words, 6)),
            source=f"{rng.integers(9)}", task=("t", "o")[int(rng.integers(2))], step=int(rng.integers(9)),
            writer=("agent", "critic")[int(rng.integers(2))], epsilon=float(rng.random()),
            created=NOW - float(rng.random()) * 400 * HOUR + 20 * HOUR,
        )
        for _ in range(1500)
    ]  # fmt: skip
    trust, clock = {"agent": 1.0, "critic": 0.6}.__getitem__, Clock()
    fake = DictMemory("alike", HashEmbedder(), clock, Recall(), trust=trust)
    real = await open_memory(tmp_path, namespace="alike", embedder=HashEmbedder(), clock=clock,
                             recall=Recall(), trust=trust, rebuild=True)  # fmt: skip
    for part, clock.now in ((records[:1000], NOW - 9), (records[1000:], NOW + 9)):
        assert await fake.put(part) == await real.put(part)
    for _ in range(40):
        query = asking(" ".join(rng.choice(words, 3)), before_step=int(rng.integers(9)), m_observations=8)
        wanted, found = await fake.recall(query), await real.recall(query)
        assert [hit.record for hit in found] == [hit.record for hit in wanted]
        assert [hit.score for hit in found] == pytest.approx([hit.score for hit in wanted])
    await real.close()

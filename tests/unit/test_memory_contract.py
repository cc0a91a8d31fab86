"""One contract for every store: the fakes in a dict and the real ones on disk keep it alike.

The real memory is SQLite with Chroma as its index, also where another owns it: one of this process, one
behind a socket, an actor of Ray. The real agents are a file each.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ddax.batch import cluster_memory
from ddax.configs.settings import Recall
from ddax.errors import UsageError
from ddax.memory.agent_file import RAW_EVENTS, tally_of
from ddax.memory.agents import Agents, AgentStore
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.fake import DictMemory
from ddax.memory.fake_agents import DictAgents
from ddax.memory.host import MemoryHost
from ddax.memory.overrides import Overrides
from ddax.memory.protocol import Memory, RecallQuery, Relation
from ddax.memory.remote import RemoteMemory, Send
from ddax.memory.sockets import send_to, serving
from ddax.memory.store import open_memory
from ddax.types import Document, JsonDict, Record

NOW = 1_000_000.0
HOUR, DAY = 3600.0, 86400.0
ROUNDS = count()
Opener = Callable[..., Awaitable[Memory]]


@dataclass
class Clock:
    """A clock that stands a second before the task opens, unless it is moved."""

    now: float = NOW - 1

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


ON_RAY = pytest.param("ray", marks=[pytest.mark.long, pytest.mark.filterwarnings("default")])


@pytest.fixture(params=["dict", "chroma", "called", "socket", ON_RAY])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def actor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Send]:
    """Start Ray with an actor that owns a memory; it serves all tests, which have namespaces of their own."""
    ray = pytest.importorskip("ray", reason="needs the extra ray: pip install 'ddax[ray]'")
    environ = {"PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        owner = cluster_memory.start(ray, tmp_path_factory.mktemp("actor"), HashEmbedder, environ)
        yield cluster_memory.send_to(ray, owner)
    finally:
        ray.shutdown()


@pytest.fixture
async def opened(
    request: pytest.FixtureRequest, kind: str, tmp_path: Path, clock: Clock
) -> AsyncIterator[Opener]:
    memories: list[Memory] = []
    held = contextlib.AsyncExitStack()
    send = None
    if kind == "ray":
        send = request.getfixturevalue("actor")
    elif kind in ("called", "socket"):
        send = await held.enter_async_context(owned(kind, tmp_path))

    async def opening(namespace: str = request.node.name, **more: Any) -> Memory:
        embedder, recall = HashEmbedder(), Recall()
        if kind == "dict":
            memory: Memory = DictMemory(namespace, embedder, clock, recall, trust=more.get("trust"))
        elif send is not None:
            memory = RemoteMemory(send, namespace, clock=clock, recall=recall, trust=more.get("trust"))
        else:
            # With `rebuild` the index is waited for, so that it answers and not the exact search.
            memory = await open_memory(
                tmp_path,
                namespace=namespace,
                embedder=embedder,
                clock=clock,
                recall=recall,
                rebuild=True,
                **more,
            )
        memories.append(memory)
        return memory

    yield opening
    for memory in memories:
        await memory.close()
    await held.aclose()


@contextlib.asynccontextmanager
async def owned(kind: str, folder: Path) -> AsyncIterator[Send]:
    """Own a memory for callers of this process, or for those that come by a socket."""
    host = MemoryHost(folder, HashEmbedder)
    try:
        if kind == "called":
            yield host.answer
        else:
            async with serving(host.answer) as address:
                yield send_to(address)
    finally:
        await host.close()


@pytest.fixture
async def memory(opened: Opener) -> Memory:
    return await opened()


@pytest.fixture(params=["dict", "files"])
def agents(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Agents:
    if request.param == "dict":
        return DictAgents(clock=clock, embedder=HashEmbedder())
    return AgentStore(tmp_path / "agents", clock=clock, embedder=HashEmbedder())


def seen(text: str, **more: Any) -> Record:
    return replace(Record("observation", text, source="river.txt", task="t", step=1, created=NOW), **more)


def asking(text: str, **more: Any) -> RecallQuery:
    return replace(RecallQuery(text, "t", before_step=9, now=NOW), **more)


async def texts(memory: Memory, query: RecallQuery) -> list[str]:
    return [hit.record.text for hit in await memory.recall(query)]


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


def dissenting(agents: Agents, name: str, text: str = "The quote says otherwise.", **more: Any) -> JsonDict:
    marks = {
        "round_id": f"r/{next(ROUNDS)}", "impact": True, "supported": True, "verified_better": True, **more,
    }  # fmt: skip
    return agents.log_dissent(name, text, context={}, citations=["Accuracy"], **marks)


async def test_the_trust_of_a_writer_weighs_what_it_wrote(opened: Opener, agents: Agents) -> None:
    for _ in range(9):
        dissenting(agents, "Gamer", supported=False, impact=False, verified_better=False)
        dissenting(agents, "Critic", f"The quote says otherwise on page {next(ROUNDS)}.")
    memory = await opened(trust=agents.trust)
    await memory.put([seen(f"the river runs {w}", source=w, writer=w) for w in ("Gamer", "Critic", "New")])
    hits = await memory.recall(asking("the river runs"))
    assert {hit.record.writer: hit.trust for hit in hits} == {
        name: pytest.approx(agents.trust(name)) for name in ("Gamer", "Critic", "New")
    }
    assert agents.trust("Gamer") < agents.trust("New") == 0.6 < agents.trust("Critic")


def test_an_agent_nothing_is_known_of_has_the_schema_and_is_not_kept(agents: Agents) -> None:
    new = agents.load("Critic")
    assert new.keys() >= {
        "agent_name", "model", "primary_role", "dissent_history", "override_history", "trust_score",
        "trust_score_history", "long_term_stats", "rounds_participated", "probation_until",
    }  # fmt: skip
    assert (new["trust_score"], new["trust_score_history"][0]["reason"]) == (0.6, "initial")
    assert agents.all() == [] and agents.standing(NOW) == {}


def test_an_agent_that_is_loaded_is_a_copy_and_all_are_by_name(agents: Agents) -> None:
    for name in ("b", "C", "a"):
        agents.describe(name, model="m", primary_role="critic")
    agents.load("a")["model"] = "other"
    agents.all()[1]["model"] = "other"
    assert [(a["agent_name"], a["model"]) for a in agents.all()] == [("C", "m"), ("a", "m"), ("b", "m")]


def test_a_change_that_raises_keeps_nothing(agents: Agents) -> None:
    agents.log_round("A")
    with pytest.raises(ZeroDivisionError), agents.changing("A", "broken") as agent:
        agent["rounds_participated"] = 1 // 0
    with pytest.raises(ZeroDivisionError), agents.changing("B", "broken") as agent:
        agent["model"] = str(1 // 0)
    assert [agent["agent_name"] for agent in agents.all()] == ["A"]
    assert agents.log_round("A")["rounds_participated"] == 2


def test_agents_of_any_name_are_apart_and_one_in_their_unicode_forms(agents: Agents) -> None:
    names = ["../x", "x", "CON", "con", "\u00dc", "U", "n" * 300, "n" * 301, " x", "a/b", "\U0001f600"]
    for name in names:
        agents.describe(name, model=name, primary_role="critic")
    agents.describe("U\u0308", model="again", primary_role="critic")
    models = {agent["agent_name"]: agent["model"] for agent in agents.all()}
    assert models == {name: name for name in names} | {"\u00dc": "again"}
    with pytest.raises(UsageError):
        agents.load(" ")
    with pytest.raises(UsageError), agents.changing("", "no name"):
        pass


def test_a_dissent_moves_the_trust_of_its_agent_and_is_kept(agents: Agents) -> None:
    entry = dissenting(agents, "Critic")
    again = dissenting(agents, "Critic")
    other = dissenting(agents, "Critic", "A wholly different matter, namely bread.")
    assert again["depth_score"] < entry["depth_score"] < other["depth_score"]
    stored = agents.load("Critic")
    assert stored["dissent_history"] == [entry, again, other]
    assert stored["trust_score"] == stored["trust_by_formula"]["corrected"] == agents.trust("Critic") > 0.6
    assert stored["trust_score_history"][-1]["reason"] == "dissent_impact_true"
    assert stored["long_term_stats"]["dissent_impact_ratio_last_90d"] == 1.0


def test_a_dissent_without_support_or_verification_earns_nothing(agents: Agents) -> None:
    for _ in range(20):
        dissenting(agents, "Gamer", "padding " * 500, supported=False, verified_better=False)
    assert agents.trust("Gamer") < 0.55
    for number in range(20):
        agents.log_agreement("Gamer", round_id=f"r/{number}", right=False)
    assert agents.trust("Gamer") < 0.45


def test_an_override_counts_when_it_stood_and_regret_takes_it_back(agents: Agents, clock: Clock) -> None:
    ids = []
    for number in range(2):
        row = Overrides(agents).log(
            "A", round_id=f"r/{number}", context={}, agent_output="x", human_decision="y"
        )
        ids.append(row["id"])
    assert agents.trust("A") == pytest.approx(0.6)
    clock.now += 1.5 * DAY
    assert Overrides(agents).check_reverts(clock.now) == []
    fallen, praised = agents.trust("A"), agents.trust("human")
    assert fallen < 0.6 < praised
    Overrides(agents).revert(ids[0], by="human")
    assert fallen < agents.trust("A") < 0.6
    assert agents.trust("human") < praised
    first = agents.load("A")["override_history"][0]
    assert (first["regret"], first["reverted_by"]) == (True, "human")
    assert agents.load("A")["trust_score_history"][-1]["reason"] == "override_regretted"


def test_only_the_last_90_days_of_an_agent_count_while_there_are_any(agents: Agents, clock: Clock) -> None:
    for _ in range(5):
        dissenting(agents, "A", impact=False, verified_better=False)
    clock.now += 91 * DAY
    assert tally_of(agents.load("A"), clock.now).dissents == 5
    dissenting(agents, "A")
    assert tally_of(agents.load("A"), clock.now).dissents == 1


def test_the_window_counts_what_is_no_longer_raw_of_its_days(agents: Agents, clock: Clock) -> None:
    for number in range(150):
        dissenting(agents, "A", round_id=f"r/{number}", verified_better=number >= 50)
    assert tally_of(agents.load("A"), clock.now).wrong == 50
    assert tally_of(agents.load("A"), clock.now).dissents == 150
    clock.now += 80 * DAY
    for number in range(110):
        dissenting(agents, "A", round_id=f"late/{number}")
    assert tally_of(agents.load("A"), clock.now).dissents == 260
    clock.now += 20 * DAY
    dissenting(agents, "A", round_id="last")
    tally = tally_of(agents.load("A"), clock.now)
    assert (tally.dissents, tally.wrong) == (111, 0)
    stats = agents.load("A")["long_term_stats"]
    assert stats["archived"]["dissents"] == 161 and len(stats["archived_days"]) == 1


def test_the_last_100_events_of_an_agent_stay_raw_and_none_is_lost(agents: Agents, clock: Clock) -> None:
    for number in range(RAW_EVENTS + 20):
        clock.now += 1
        dissenting(agents, "A", f"number {number}", impact=number % 2 == 0)
    agent = agents.load("A")
    assert len(agent["dissent_history"]) == RAW_EVENTS
    assert agent["dissent_history"][0]["dissent_text"] == "number 20"
    archived = agent["long_term_stats"]["archived"]
    assert (archived["dissents"], archived["impactful"]) == (20, 10)
    clock.now += 91 * DAY
    assert tally_of(agent, clock.now).dissents == RAW_EVENTS + 20


def test_probation_ends_with_the_fifth_round(agents: Agents) -> None:
    for number in range(1, 6):
        agent = agents.log_round("A")
        assert (agent["rounds_participated"], agent["probation_ended"] is not None) == (number, number == 5)


def test_agents_changed_at_the_same_time_lose_nothing(agents: Agents) -> None:
    workers = [threading.Thread(target=lambda: [agents.log_round("A") for _ in range(10)]) for _ in range(5)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert agents.load("A")["rounds_participated"] == 50


def test_what_an_agent_did_is_taken_in_once(agents: Agents) -> None:
    for _ in range(2):
        dissenting(agents, "A", round_id="r/1")
        agents.log_round("A", "r/1")
        agents.log_agreement("A", round_id="r/2", right=True)
        Overrides(agents).log("A", round_id="r/3", context={}, agent_output="x", human_decision="y")
    agent = agents.load("A")
    assert [len(agent[k]) for k in ("dissent_history", "agreement_history", "override_history")] == [1, 1, 1]
    assert agent["rounds_participated"] == 1
    dissenting(agents, "A", round_id="r/1")
    assert agents.load("A") == agent


def test_the_standing_of_agents_is_as_of_a_time(agents: Agents, clock: Clock) -> None:
    Overrides(agents).log("A", round_id="r", context={}, agent_output="x", human_decision="y")
    now, later = agents.standing(clock.now), agents.standing(clock.now + 2 * DAY)
    assert now["A"]["trust"] == pytest.approx(0.6)
    assert later["A"]["trust"] < 0.6 < later["human"]["trust"]
    assert later["human"]["role"] == "human"


def test_fake_and_real_agents_come_to_the_same(tmp_path: Path, clock: Clock) -> None:
    fake = DictAgents(clock=clock, embedder=HashEmbedder())
    real = AgentStore(tmp_path, clock=clock, embedder=HashEmbedder())
    rng, words = np.random.default_rng(3), ["quote", "date", "name", "page", "wrong", "old", "other"]
    for number in range(60):
        clock.now += float(rng.random()) * 3 * DAY
        name, round_id = ("A", "B", "\u00fc")[int(rng.integers(3))], f"r/{int(rng.integers(20))}"
        text, kind, luck = " ".join(rng.choice(words, 4)), int(rng.integers(4)), bool(rng.integers(2))
        for agents in (fake, real):
            if kind == 0:
                dissenting(agents, name, text, round_id=round_id, impact=luck, verified_better=None)
            elif kind == 1:
                agents.log_agreement(name, round_id=round_id, right=luck)
            elif kind == 2:
                agents.log_round(name, round_id)
            else:
                Overrides(agents).log(
                    name, round_id=round_id, context={}, agent_output="own", human_decision=text
                )
            if number % 7 == 0:
                Overrides(agents).decide(round_id, "own", by="Ann")
                Overrides(agents).check_reverts(clock.now)
    assert fake.all() == real.all() and len(fake.all()) >= 4
    assert fake.standing(clock.now) == real.standing(clock.now)

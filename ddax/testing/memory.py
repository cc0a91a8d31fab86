"""The contract of a memory store: what is put comes back, once, to whom it may, and best first.

Left out: consolidation, branches, copies of tombstones, and what a memory does with odd characters.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from ddax.memory.protocol import Memory, RecallQuery, Relation
from ddax.testing.contract import Contract, expect
from ddax.types import Document, Record

NOW = 1_000_000.0
Clock = Callable[[], float]


def seen(text: str, *, source: str = "a page", step: int = 1, epsilon: float = 0.0, start: int = 0) -> Record:
    """Return an observation of the task `t`, a second before now."""
    return Record(
        "observation", text, source=source, task="t", step=step, epsilon=epsilon, start=start, created=NOW - 1
    )


def asking(text: str, *, before_step: int = 9, m: int = 5, budget: int = 6000) -> RecallQuery:
    """Return a query of the task `t`."""
    return RecallQuery(text, task="t", before_step=before_step, now=NOW, m_observations=m, budget=budget)


class MemoryContract(Contract):
    """What a run asks of every memory. `make` opens an empty one of a namespace.

    Its clock is a second before NOW, and its embedder one that sees shared words
    (`ddax.memory.embeddings.HashEmbedder` does).
    """

    def make(self, namespace: str, clock: Clock) -> Awaitable[Memory]:
        """Open an empty memory."""
        raise NotImplementedError

    async def opened(self, namespace: str = "contract") -> Memory:
        """Return an empty memory whose clock stands a second before NOW."""
        return await self.make(namespace, lambda: NOW - 1)

    async def texts(self, memory: Memory, query: RecallQuery) -> list[str]:
        """Return the texts that a query recalls."""
        return [hit.record.text for hit in await memory.recall(query)]

    async def rule_what_is_put_comes_back_with_an_id_of_its_content(self) -> None:
        memory = await self.opened()
        first = await memory.put([seen("river bank"), seen("salt lake")])
        again = await memory.put([seen("river bank")])
        expect(again == first[:1], "the same content got another id")
        expect(await memory.count("observation") == 2, "the same content is stored twice")
        found = [row.text for row in await memory.get([first[1], "none", first[0]])]
        expect(found == ["salt lake", "river bank"], "get() gives the rows there are, in the order asked for")
        await self.close(memory)

    async def rule_recall_gives_the_nearest_first_within_its_bounds(self) -> None:
        memory = await self.opened()
        await memory.put([seen("river bank"), seen("a river far away"), seen("completely other words")])
        found = await self.texts(memory, asking("river bank"))
        expect(found[:1] == ["river bank"], f"the nearest row comes first, not {found[:1]}")
        expect(await self.texts(memory, asking("river bank", m=1)) == ["river bank"], "m bounds the hits")
        expect(
            await self.texts(memory, asking("river bank", budget=10)) == ["river bank"], "so does the budget"
        )
        expect(await self.texts(memory, asking("  ")) == [], "an empty query recalls nothing")
        await self.close(memory)

    async def rule_a_later_step_of_the_same_task_is_not_seen(self) -> None:
        memory = await self.opened()
        await memory.put([seen("river in step one", step=1), seen("river in step four", step=4)])
        found = await self.texts(memory, asking("river", before_step=4))
        expect(found == ["river in step one"], f"a resumed run would recall what came later: {found}")
        await self.close(memory)

    async def rule_a_row_of_another_task_is_seen_where_it_was_there_before(self) -> None:
        memory = await self.opened()
        await memory.put([seen("river bank")])
        other = replace(asking("river bank"), task="another")
        expect(await self.texts(memory, other) == ["river bank"], "what others stored before is recalled")
        early = replace(other, now=NOW - 1)
        expect(await self.texts(memory, early) == [], "a row is not there before it was committed")
        await self.close(memory)

    async def rule_similar_gives_the_nearest_of_each_text(self) -> None:
        memory = await self.opened()
        await memory.put([seen("river bank"), seen("a bread of rye")])
        found = await memory.similar(["rye bread", "river bank", " "], asking(""), k=1)
        texts = [[hit.record.text for hit in hits] for hits in found]
        expect(texts == [["a bread of rye"], ["river bank"], []], f"similar() answers each text: {texts}")
        await self.close(memory)

    async def rule_a_superseded_row_is_recalled_for_the_time_it_held(self) -> None:
        memory = await self.opened()
        old, new = await memory.put([
            replace(seen("river level 3"), valid_from=100.0),
            replace(seen("river level 5"), valid_from=200.0),
        ])  # fmt: skip
        await memory.upkeep.relate([Relation("supersedes", new, old, task="t", step=1, at=200.0)])
        query = asking("river level")
        expect(await self.texts(memory, query) == ["river level 5"], "an outdated row was recalled")
        then = await self.texts(memory, replace(query, as_of=150.0))
        expect(then == ["river level 3"], f"as of a time the row that held then is recalled, not {then}")
        await self.close(memory)

    async def rule_a_buried_row_leaves_a_tombstone(self) -> None:
        memory = await self.opened()
        (gone,) = await memory.put([seen("river bank")])
        expect(await memory.upkeep.bury([gone], "forgotten") == 1, "bury() counts the rows that were there")
        expect(await memory.get([gone]) == [], "a buried row is still there")
        expect(await self.texts(memory, asking("river bank")) == [], "a buried row was recalled")
        reasons = [stone.reason for stone in await memory.upkeep.tombstones([gone])]
        expect(reasons == ["forgotten"], f"a tombstone says why a row went, not {reasons}")
        await self.close(memory)

    async def rule_lessons_and_rules_are_found_by_what_they_are_about(self) -> None:
        memory = await self.opened()
        lesson = {"kind": "policy", "text": "Ask the map.", "about": "find a river"}
        await memory.log("reflections", lesson, key="a")
        await memory.log("rules", {"kind": "plan", "text": "find a river"}, key="b")
        told = await memory.lessons("find a river", kind="policy", now=NOW)
        expect(told == ["Ask the map."], f"a lesson is found by what it is about: {told}")
        expect(await memory.lessons("find a river", kind="value", now=NOW) == [], "its kind counts")
        expect(
            await memory.lessons("find a river", kind="policy", now=NOW - 1) == [],
            "so does when it was learned",
        )
        found = [hit.row["text"] for hit in await memory.find("rules", "find a river", now=NOW)]
        expect(found == ["find a river"], f"a rule is found by its situation: {found}")
        await self.close(memory)

    async def rule_surprise_raises_a_score_and_the_factors_multiply(self) -> None:
        memory = await self.opened()
        await memory.put([seen("river bank", source="a"), seen("river bank", source="b", epsilon=0.9)])
        hits = await memory.recall(asking("river bank"))
        expect([hit.record.source for hit in hits] == ["b", "a"], "what surprised is recalled first")
        for hit in hits:
            product = hit.similarity * hit.recency * hit.salience * hit.trust
            expect(abs(hit.score - product) < 1e-9, f"{hit.explain()} is not the product of its factors")
        await self.close(memory)

    async def rule_equal_scores_have_one_order(self) -> None:
        memory = await self.opened()
        ids = await memory.put([seen("river bank", source=f"{i}.txt") for i in range(8)])
        hits = await memory.recall(asking("river bank", m=8))
        expect([hit.record.id for hit in hits] == sorted(ids), "equal scores are ordered by id")
        await self.close(memory)

    async def rule_namespaces_are_apart(self) -> None:
        one, other = await self.opened("one"), await self.opened("../other")
        await one.put([seen("river of one")])
        await other.put([seen("river of the other")])
        expect(
            await self.texts(one, asking("river")) == ["river of one"], "a row of another namespace was seen"
        )
        await self.close(one)
        await self.close(other)

    async def rule_pages_come_back_whole(self) -> None:
        memory = await self.opened()
        page = Document("d", "http://a/b", "A page", "text\n" * 1000, links=("http://a/c",))
        key = await memory.put_page(page)
        expect(await memory.get_page(key) == page, "the page came back changed")
        expect(await memory.get_page("none such") is None, "a page that is not there is None")
        await self.close(memory)

    async def rule_logs_are_written_once_by_key_and_read_in_order(self) -> None:
        memory = await self.opened()
        for i in range(5):
            await memory.log("ledger", {"task": f"t{i % 2}", "i": i}, key=f"k{i}")
        await memory.log("ledger", {"task": "t0", "i": 99}, key="k0")
        rows = await memory.rows("ledger")
        expect(
            [row["i"] for row in rows] == [0, 1, 2, 3, 4],
            f"a key was written twice, or the order is lost: {rows}",
        )
        expect(
            [row["i"] for row in await memory.rows("ledger", task="t0")] == [0, 2, 4], "rows() must filter"
        )
        early = await memory.rows("ledger", committed_before=NOW - 1)
        expect(early == [], f"rows of a later time are left out: {early}")
        await self.close(memory)

    async def rule_many_at_once_lose_nothing(self) -> None:
        memory = await self.opened()
        jobs = [memory.put([seen(f"river {i}", start=i)]) for i in range(20)]
        ids = {row_id for part in await asyncio.gather(*jobs) for row_id in part}
        expect(len(ids) == 20 == await memory.count("observation"), "rows were lost when written at once")
        await self.close(memory)

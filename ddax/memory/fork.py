"""A memory for trying something out: it sees a task as it was at one step, and keeps what it is given.

Reads go through to the memory behind it, without what the task wrote from that step on; writes stay
here and are gone with it. Nothing reaches the memory behind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ddax.configs.settings import Recall
from ddax.memory.fake import DictMemory
from ddax.memory.protocol import Embedder, Found, Memory, MemoryHit, RecallQuery
from ddax.memory.records import MEMORY_TYPES, REFLECTIONS
from ddax.memory.scoring import within_budget
from ddax.types import Document, JsonDict, MemoryType, Record

_AFTERWARDS = frozenset({REFLECTIONS, "rules", "notes"})
"""Logs whose rows of a task are written at its end and name no step."""

_WIDER = 4


class ForkMemory(DictMemory):
    """The memory of a run that leaves `task` at `step` by another way."""

    def __init__(
        self,
        base: Memory,
        embedder: Embedder,
        clock: Callable[[], float],
        recall: Recall,
        *,
        task: str,
        step: int,
    ) -> None:
        super().__init__(base.namespace, embedder, clock, recall)
        self._base, self._task, self._step = base, task, step

    async def get(self, ids: Sequence[str]) -> list[Record]:
        """Return the rows that exist, in the order asked for."""
        known = {record.id: record for record in await self._base.get(ids)}
        known |= {record.id: record for record in await super().get(ids)}
        return [known[row_id] for row_id in ids if row_id in known]

    async def recall(self, query: RecallQuery) -> list[MemoryHit]:
        """Return the best visible rows of both, thoughts then observations, each best first."""
        before = await self._base.recall(self._at_the_fork(query))
        hits = self._joined(before, await super().recall(query))
        hits.sort(key=lambda hit: (-hit.score, hit.record.id))
        best: list[MemoryHit] = []
        for kind, k in zip(MEMORY_TYPES, (query.n_thoughts, query.m_observations), strict=True):
            best += [hit for hit in hits if hit.record.memory_type == kind][:k]
        return within_budget(best, query.budget)

    async def similar(self, texts: Sequence[str], query: RecallQuery, *, k: int = 5) -> list[list[MemoryHit]]:
        """Return for each text the k visible rows of both that are nearest to it."""
        before = await self._base.similar(texts, self._at_the_fork(query), k=k)
        own = await super().similar(texts, query, k=k)
        both = [self._joined(a, b) for a, b in zip(before, own, strict=True)]
        return [sorted(hits, key=lambda hit: (-hit.similarity, hit.record.id))[:k] for hits in both]

    async def get_page(self, page_hash: str) -> Document | None:
        """Return a stored page."""
        return await super().get_page(page_hash) or await self._base.get_page(page_hash)

    async def rows(
        self, table: str, *, limit: int = 1000, committed_before: float = float("inf"), **equals: Any
    ) -> list[JsonDict]:
        """Return rows of a log of both, oldest first."""
        wide, seen = limit, list[JsonDict]()
        while len(seen) < limit:  # what is left out must not take the place of what is asked for
            before = await self._base.rows(table, limit=wide, committed_before=committed_before, **equals)
            seen = [row for row in before if not self._later(table, row)]
            if len(before) < wide:
                break
            wide *= _WIDER
        own = await super().rows(table, limit=limit, committed_before=committed_before, **equals)
        return [*seen, *own][: max(0, limit)]

    async def find(
        self, table: str, text: str, *, now: float, k: int = 5, minimum: float = 0.25
    ) -> list[Found]:
        """Return what the memory behind finds: what the fork itself learns is for later tasks."""
        return await self._base.find(table, text, now=now, k=k, minimum=minimum)

    async def lessons(
        self, text: str, *, kind: str, now: float, k: int = 2, minimum: float = 0.25
    ) -> list[str]:
        """Return the lessons of the memory behind."""
        return await self._base.lessons(text, kind=kind, now=now, k=k, minimum=minimum)

    async def count(self, memory_type: MemoryType) -> int:
        """Count the rows of one type in both."""
        return await self._base.count(memory_type) + await super().count(memory_type)

    def _at_the_fork(self, query: RecallQuery) -> RecallQuery:
        """Return a query that sees no later step of the task: its rows would take the place of its past."""
        return replace(query, before_step=min(query.before_step, self._step))

    def _joined(self, before: Sequence[MemoryHit], own: Sequence[MemoryHit]) -> list[MemoryHit]:
        """Return the hits of both without repeats; what the task wrote after the fork is not seen."""
        known = {
            hit.record.id: hit
            for hit in before
            if not (hit.record.task == self._task and hit.record.step >= self._step)
        }
        return list((known | {hit.record.id: hit for hit in own}).values())

    def _later(self, table: str, row: JsonDict) -> bool:
        if row.get("task") != self._task:
            return False
        return table in _AFTERWARDS or int(row.get("step", -1)) >= self._step

"""The fake that ships beside the real memory: the same behaviour in a dict, nothing on disk."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from ddax.configs.settings import Recall
from ddax.memory.fake_upkeep import DictUpkeep, Entry
from ddax.memory.protocol import Embedder, Found, MemoryHit, RecallQuery
from ddax.memory.records import (
    FOUND_BY_MEANING,
    MEMORY_TYPES,
    REFLECTIONS,
    Row,
    check_found,
    clean,
    digest,
    lesson_text,
    matches,
    moment,
    page_hash,
    rows_of,
    to_json,
)
from ddax.memory.scoring import (
    Candidate,
    Floats,
    Trust,
    best_found,
    best_hits,
    best_lessons,
    full_trust,
    nearest_hits,
    similarities,
    within_budget,
)
from ddax.types import Document, JsonDict, MemoryType, Record


class DictMemory:
    """Remember in this process only; exact search over every row."""

    def __init__(
        self,
        namespace: str,
        embedder: Embedder,
        clock: Callable[[], float],
        recall: Recall,
        *,
        trust: Trust | None = None,
    ) -> None:
        self.namespace = namespace
        self._embedder, self._clock, self._recall = embedder, clock, recall
        self._trust = trust or full_trust
        self._rows: dict[str, Entry] = {}
        self._seen: dict[tuple[str, str], int] = {}
        self._pages: dict[str, Document] = {}
        self._logs: dict[str, dict[str, tuple[str, float, Floats | None]]] = {}
        self._last = 0
        self.upkeep = DictUpkeep(self._rows, self._seen, self._pages, self._logs, clock=clock)

    async def put(self, records: Sequence[Record]) -> list[str]:
        """Store rows and return their ids, in order."""
        rows = rows_of(records, namespace=self.namespace, now=self._clock())
        vectors: dict[str, Floats] = {}
        while lacking := self._lacking(rows, vectors):  # a row may be buried while others are embedded
            vectors |= zip(lacking, await self._embed([*lacking.values()]), strict=True)
        near = {entry.near: row_id for row_id, entry in self._rows.items()}
        return [self._store(row, near, vectors.get(row.near)) for row in rows]

    async def get(self, ids: Sequence[str]) -> list[Record]:
        """Return the rows that exist, in the order asked for."""
        return [self._rows[row_id].record for row_id in ids if row_id in self._rows]

    async def recall(self, query: RecallQuery) -> list[MemoryHit]:
        """Return the best visible rows, thoughts then observations, each best first."""
        if not query.text.strip():
            return []
        vector = (await self._embed([clean(query.text)]))[0]
        hits: list[MemoryHit] = []
        for kind, k in zip(MEMORY_TYPES, (query.n_thoughts, query.m_observations), strict=True):
            found = self._candidates(kind, query.task)
            hits += best_hits(found, query, vector, k=k, recall=self._recall, trust=self._trust)
        return within_budget(hits, query.budget)

    async def similar(self, texts: Sequence[str], query: RecallQuery, *, k: int = 5) -> list[list[MemoryHit]]:
        """Return for each text the k visible rows nearest to it, of both types, by similarity alone."""
        every = [item for kind in MEMORY_TYPES for item in self._candidates(kind, query.task)]
        return [
            nearest_hits(every, query, vector, k=k, recall=self._recall, trust=self._trust)
            for vector in await self._embed([clean(text) for text in texts])
        ]

    async def put_page(self, document: Document) -> str:
        """Store a whole page by content hash and return the hash."""
        key = page_hash(document)
        page = replace(
            document, doc_id=clean(document.doc_id), source=clean(document.source),
            title=clean(document.title), text=clean(document.text),
            links=tuple(clean(link) for link in document.links),
        )  # fmt: skip
        self._pages.setdefault(key, page)
        return key

    async def get_page(self, page_hash: str) -> Document | None:
        """Return a stored page."""
        return self._pages.get(page_hash)

    async def log(self, table: str, row: JsonDict, *, key: str) -> None:
        """Append a row to a named log; idempotent by key."""
        text, vector = to_json(row, f"A row of the log {table!r}"), None
        if table in FOUND_BY_MEANING:
            check_found(table, row)
            vector = (await self._embed([lesson_text(row)]))[0]
        stored = (text, moment(self._clock()), vector)
        self._logs.setdefault(table, {}).setdefault(digest(key), stored)

    async def rows(
        self, table: str, *, limit: int = 1000, committed_before: float = math.inf, **equals: Any
    ) -> list[JsonDict]:
        """Return rows of a log, oldest first, filtered by top-level values of the row."""
        logged = self._logs.get(table, {}).values()
        # A row that has not even the words of what is asked needs no parsing.
        words = [json.dumps(value) for value in equals.values() if isinstance(value, str)]
        loaded = (
            json.loads(text)
            for text, committed, _ in logged
            if committed < committed_before and all(word in text for word in words)
        )
        return list(islice((row for row in loaded if matches(row, equals)), max(0, limit)))

    async def find(
        self, table: str, text: str, *, now: float, k: int = 5, minimum: float = 0.25
    ) -> list[Found]:
        """Return the k rows of the log `reflections` or `rules` nearest to a text, best first."""
        rows, cosines = await self._findable(table, text, now)
        return best_found(rows, cosines, k=k, minimum=minimum)

    async def lessons(
        self, text: str, *, kind: str, now: float, k: int = 2, minimum: float = 0.25
    ) -> list[str]:
        """Recall reflections of a kind committed before `now`, without recency."""
        rows, cosines = await self._findable(REFLECTIONS, text, now, kind=kind)
        found = [(key, str(row["text"]), float(row.get("epsilon", 0.0))) for key, row in rows]
        return best_lessons(found, cosines, k=k, minimum=minimum, lambda_epsilon=self._recall.lambda_epsilon)

    async def count(self, memory_type: MemoryType) -> int:
        """Count the rows of one type."""
        return sum(entry.record.memory_type == memory_type for entry in self._rows.values())

    async def close(self) -> None:
        """Do nothing: there is nothing to release."""

    async def _embed(self, texts: Sequence[str]) -> list[Floats]:
        return list(await asyncio.to_thread(self._embedder.embed, texts)) if texts else []

    async def _findable(
        self, table: str, text: str, now: float, **equals: Any
    ) -> tuple[list[tuple[str, JsonDict]], list[float]]:
        """Return the rows of a log that may be found, with their similarity to a text."""
        if not text.strip():
            return [], []
        query = (await self._embed([clean(text)]))[0]
        rows: list[tuple[str, JsonDict]] = []
        cosines: list[float] = []
        for key, (stored, committed, vector) in self._logs.get(table, {}).items():
            row = json.loads(stored)
            if committed < now and vector is not None and matches(row, equals):
                rows.append((key, row))
                cosines.append(float(similarities(vector[None, :], query)[0]))
        return rows, cosines

    def _lacking(self, rows: Sequence[Row], vectors: dict[str, Floats]) -> dict[str, str]:
        """Return by near-duplicate key the texts of rows that have no vector, here or in the memory."""
        known = {entry.near for entry in self._rows.values() if entry.vector.any()} | vectors.keys()
        return {row.near: row.record.text for row in reversed(rows) if row.near not in known}

    def _store(self, row: Row, near: dict[str, str], vector: Floats | None) -> str:
        row_id, task = near.setdefault(row.near, row.record.id), row.record.task
        known = self._rows.get(row_id)
        if known is None and vector is not None:
            self._last += 1
            self._rows[row_id] = Entry(self._last, row.record, vector, moment(self._clock()), row.near)
        elif known is not None and vector is not None and row_id == row.record.id:
            self._rows[row_id] = known._replace(vector=vector)
        self._seen[row_id, task] = min(row.record.step, self._seen.get((row_id, task), row.record.step))
        return row_id

    def _candidates(self, kind: MemoryType, task: str) -> list[Candidate]:
        return [
            Candidate(
                entry.record,
                entry.vector,
                self._seen.get((row_id, task)),
                entry.committed,
                self.upkeep.superseded(row_id),
            )
            for row_id, entry in self._rows.items()
            if entry.record.memory_type == kind
        ]

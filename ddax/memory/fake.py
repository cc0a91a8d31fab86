"""The fake that ships beside the real memory: the same behaviour in a dict, nothing on disk."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ddax.configs.settings import Recall
from ddax.memory.protocol import Embedder, MemoryHit, RecallQuery
from ddax.memory.records import (
    MEMORY_TYPES,
    Row,
    check_reflection,
    clean,
    digest,
    lesson_text,
    matches,
    page_hash,
    rows_of,
    to_json,
)
from ddax.memory.scoring import (
    Candidate,
    Floats,
    Trust,
    best_hits,
    best_lessons,
    full_trust,
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
        self._rows: dict[str, tuple[Record, Floats]] = {}
        self._near: dict[str, str] = {}
        self._seen: dict[tuple[str, str], int] = {}
        self._pages: dict[str, Document] = {}
        self._logs: dict[str, dict[str, tuple[str, float, Floats | None]]] = {}

    async def put(self, records: Sequence[Record]) -> list[str]:
        """Store rows and return their ids, in order."""
        rows = rows_of(records, namespace=self.namespace, now=self._clock())
        fresh = {row.near: row for row in reversed(rows) if row.near not in self._near}
        vectors = await self._embed([row.record.text for row in fresh.values()])
        found = dict(zip(fresh, vectors, strict=True))
        return [self._store(row, found.get(row.near)) for row in rows]

    async def get(self, ids: Sequence[str]) -> list[Record]:
        """Return the rows that exist, in the order asked for."""
        return [self._rows[row_id][0] for row_id in ids if row_id in self._rows]

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
        if table == "reflections":
            check_reflection(row)
            vector = (await self._embed([lesson_text(row)]))[0]
        created = float(row.get("created") or self._clock()) if table == "reflections" else self._clock()
        self._logs.setdefault(table, {}).setdefault(digest(key), (text, created, vector))

    async def rows(self, table: str, *, limit: int = 1000, **equals: Any) -> list[JsonDict]:
        """Return rows of a log, oldest first, filtered by top-level values of the row."""
        loaded = (json.loads(text) for text, _, _ in self._logs.get(table, {}).values())
        return [row for row in loaded if matches(row, equals)][: max(0, limit)]

    async def lessons(
        self, text: str, *, kind: str, now: float, k: int = 2, minimum: float = 0.25
    ) -> list[str]:
        """Recall reflections of a kind created before `now`, without recency."""
        if not text.strip():
            return []
        rows, vectors = [], []
        for key, (stored, created, vector) in self._logs.get("reflections", {}).items():
            row = json.loads(stored)
            if row["kind"] == kind and created < now and vector is not None:
                rows.append((key, str(row["text"]), float(row.get("epsilon", 0.0))))
                vectors.append(vector)
        query = (await self._embed([clean(text)]))[0]
        cosines = [float(similarities(vector[None, :], query)[0]) for vector in vectors]
        return best_lessons(rows, cosines, k=k, minimum=minimum, lambda_epsilon=self._recall.lambda_epsilon)

    async def count(self, memory_type: MemoryType) -> int:
        """Count the rows of one type."""
        return sum(record.memory_type == memory_type for record, _ in self._rows.values())

    async def close(self) -> None:
        """Do nothing: there is nothing to release."""

    async def _embed(self, texts: Sequence[str]) -> list[Floats]:
        return list(await asyncio.to_thread(self._embedder.embed, texts)) if texts else []

    def _store(self, row: Row, vector: Floats | None) -> str:
        if row.near not in self._near and vector is not None:
            self._near[row.near] = row.record.id
            self._rows[row.record.id] = (row.record, vector)
        row_id, task = self._near[row.near], row.record.task
        self._seen[row_id, task] = min(row.record.step, self._seen.get((row_id, task), row.record.step))
        return row_id

    def _candidates(self, kind: MemoryType, task: str) -> list[Candidate]:
        return [
            Candidate(record, vector, self._seen.get((record.id, task)))
            for record, vector in self._rows.values()
            if record.memory_type == kind
        ]

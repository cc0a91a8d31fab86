"""The memory of one namespace on disk: SQLite holds it, Chroma finds in it.

Nothing blocks the event loop: the record and the index have a thread each, embedding runs on others.
An acknowledged `put` is in SQLite; the index follows behind, and recall waits for what was queued
before it. While the index opens, or where it fails, recall searches the record exactly.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ddax.configs.settings import Recall
from ddax.errors import StateError, UsageError
from ddax.memory.embed.recent import RecentVectors
from ddax.memory.indexing import Indexing
from ddax.memory.protocol import Embedder, Found, MemoryHit, RecallQuery
from ddax.memory.records import (
    FOUND_BY_MEANING,
    LARGE,
    MEMORY_TYPES,
    REFLECTIONS,
    check_found,
    clean,
    lesson_text,
    moment,
    namespace_key,
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
    is_visible,
    nearest_hits,
    similarities,
    width,
    within_budget,
)
from ddax.memory.share.owner import SharedStore, acquired, release
from ddax.memory.store.chroma import IndexFailure
from ddax.memory.store.namespace_upkeep import StoreUpkeep
from ddax.memory.store.shared_trips import Near, Questions, Seen
from ddax.memory.store.sqlite import Asked, Logged, Put
from ddax.types import Document, JsonDict, MemoryType, Record

T = TypeVar("T")
Q = TypeVar("Q")
A = TypeVar("A")
_WIDER = 4
_EMBED_BATCH = 64


async def open_memory(
    path: Path,
    *,
    namespace: str,
    embedder: Embedder,
    clock: Callable[[], float],
    recall: Recall,
    trust: Trust | None = None,
    rebuild: bool = False,
    wait_seconds: float = 0.0,
) -> ChromaMemory:
    """Open a namespace of the memory in folder `path` as its owner; `reach_memory` opens it beside others.

    With `rebuild` the index is made anew, and the vectors that are missing, or come from another embedder.
    Raises `ThreadInUse` naming the process that owns the folder after `wait_seconds`, `StateError`
    for a damaged or newer record or another embedder, `StorageError` where the disk fails.
    """
    shared = await acquired(path, clock=clock, wait_seconds=wait_seconds)
    memory = ChromaMemory(shared, namespace, embedder, clock=clock, recall=recall, trust=trust or full_trust)
    try:
        await memory.enter(rebuild=rebuild)
    except BaseException:
        await asyncio.to_thread(release, shared)
        raise
    return memory


class ChromaMemory:
    """Remember on disk; made by `open_memory`."""

    def __init__(
        self,
        shared: SharedStore,
        namespace: str,
        embedder: Embedder,
        *,
        clock: Callable[[], float],
        recall: Recall,
        trust: Trust,
        few: int = 0,
    ) -> None:
        self.namespace = namespace
        self._shared, self._record = shared, shared.record
        self._ns, self._embedder, self._clock = namespace_key(namespace), embedder, clock
        self._recall, self._trust = recall, trust
        self._closed = False
        self._give_back = partial(release, shared)
        self._embed = RecentVectors(embedder, shared.ask_embedder).of
        self._indexing = Indexing(shared, self._ns, embedder.fingerprint, few=few)
        self._changed = partial(shared.once_committed, self._indexing.take)
        self._questions = Questions(shared.record, self._ns, clock=clock)
        self.upkeep = StoreUpkeep(
            self._ns, shared.record.upkeep, self._read, self._ask, self._changed, shared.alone, clock=clock
        )

    @property
    def indexed(self) -> bool:
        """Whether recall asks the index, which is in step."""
        return self._indexing.ready

    async def enter(self, *, rebuild: bool = False) -> None:
        """Check the embedder, and bring the index in step behind the scenes."""
        embedder = self._embedder
        fits = await self._read(lambda: self._record.open_namespace(self._ns, self.namespace, embedder))
        if not fits and not rebuild:
            made_with = await self._read(lambda: self._record.namespace_embedder(self._ns))
            raise StateError(
                f"The memory {self.namespace!r} was made with another embedder ({made_with}).",
                why=f"Its vectors do not fit those of {embedder.name}, {embedder.fingerprint:.40}.",
                mend="Make them anew from the text: ddax memory rebuild, or with an embedder of your own"
                " `await ddax.memory.renewing.renew(home, embedder)`.",
            )
        if rebuild:
            await self._embed_anew(every=not fits)
            await self.rebuild()
        else:
            await self._read(lambda: self._indexing.want(self._shared.index.made))

    async def rebuild(self) -> int:
        """Make the index anew from the record; return how many rows it holds."""
        self._check_open()
        try:
            return await self._indexing.rebuild()
        except IndexFailure as exc:
            raise StateError(
                "The index cannot be made anew.", why=f"{exc}.", mend="Try again later."
            ) from exc

    async def put(self, records: Sequence[Record]) -> list[str]:
        """Store rows and return their ids, in order; an acknowledged row survives a kill."""
        if not records:
            return []
        make = partial(rows_of, records, namespace=self.namespace, now=self._clock())
        large = sum(len(record.text) for record in records) > LARGE
        rows = await asyncio.to_thread(make) if large else make()
        known = await self._ask(self._questions.known, [row.near for row in rows])
        vectors: dict[str, Floats] = {}

        def work() -> Put:
            # Stamped where rows are written one after the other: what a task recalled when it opened
            # is what was committed before it opened, also for the resumed run.
            put = self._record.insert(self._ns, rows, vectors, committed=moment(self._clock()))
            for row in {row.record.id: row for row in rows if row.record.id in put.changed}.values():
                self._changed((row.record.memory_type, row.record.id, vectors[row.near]))
            return put

        lacking = [row for row in rows if row.near not in known]
        while True:
            texts = {row.near: row.record.text for row in reversed(lacking)}
            vectors |= zip(texts, await self._embed([*texts.values()]), strict=True)
            ids, _, lacking = await self._read(work)
            if not lacking:
                return ids

    async def get(self, ids: Sequence[str]) -> list[Record]:
        """Return the rows that exist, in the order asked for."""
        return await self._ask(self._questions.records, ids) if ids else []

    async def recall(self, query: RecallQuery) -> list[MemoryHit]:
        """Return the best visible rows, thoughts then observations, each best first."""
        self._check_open()
        if not query.text.strip():
            return []
        vector = (await self._embed([clean(query.text)]))[0]
        hits: list[MemoryHit] = []
        for kind, k in zip(MEMORY_TYPES, (query.n_thoughts, query.m_observations), strict=True):
            if k > 0:
                hits += await self._hits(kind, query, vector, k)
        return within_budget(hits, query.budget)

    async def similar(self, texts: Sequence[str], query: RecallQuery, *, k: int = 5) -> list[list[MemoryHit]]:
        """Return for each text the k visible rows nearest to it, of both types, by similarity alone."""
        self._check_open()
        vectors = await self._embed([clean(text) for text in texts])
        return await asyncio.gather(*(self._nearest(vector, query, k) for vector in vectors))

    async def put_page(self, document: Document) -> str:
        """Store a whole page by content hash and return the hash."""

        def work() -> str:
            key = page_hash(document)
            self._record.put_page(self._ns, key, document)
            return key

        return await self._read(work)

    async def get_page(self, page_hash: str) -> Document | None:
        """Return a stored page."""
        return await self._read(lambda: self._record.page(self._ns, page_hash))

    async def log(self, table: str, row: JsonDict, *, key: str) -> None:
        """Append a row to a named log; idempotent by key.

        The log `reflections` feeds `lessons`: its rows have `kind` and `text`, and may have `about`
        (what they are found by, default the text) and `epsilon`; the log `rules` feeds `find` alike.
        """
        text, vector = to_json(row, f"A row of the log {table!r}"), None
        if table in FOUND_BY_MEANING:
            check_found(table, row)
            vector = (await self._embed([lesson_text(row)]))[0]
        task = row["task"] if isinstance(row.get("task"), str) else ""
        await self._ask(self._questions.log, Logged(table, key, text, task, vector))

    async def rows(
        self, table: str, *, limit: int = 1000, committed_before: float = math.inf, **equals: Any
    ) -> list[JsonDict]:
        """Return rows of a log, oldest first, filtered by top-level values of the row."""
        return await self._ask(self._questions.rows, Asked(table, equals, limit, committed_before))

    async def find(
        self, table: str, text: str, *, now: float, k: int = 5, minimum: float = 0.25
    ) -> list[Found]:
        """Return the k rows of the log `reflections` or `rules` nearest to a text, best first."""
        rows, cosines = await self._findable(table, text, now, minimum)
        return best_found(rows, cosines, k=k, minimum=minimum)

    async def lessons(
        self, text: str, *, kind: str, now: float, k: int = 2, minimum: float = 0.25
    ) -> list[str]:
        """Recall reflections of a kind committed before `now`, without recency."""
        rows, cosines = await self._findable(REFLECTIONS, text, now, minimum, kind)
        found = [(key, str(row["text"]), float(row.get("epsilon", 0.0))) for key, row in rows]
        return best_lessons(found, cosines, k=k, minimum=minimum, lambda_epsilon=self._recall.lambda_epsilon)

    async def count(self, memory_type: MemoryType) -> int:
        """Count the rows of one type."""
        return await self._read(lambda: self._record.count(self._ns, memory_type))

    async def close(self) -> None:
        """Flush, and release the directory where no other namespace uses it; safe to call twice."""
        if not self._closed:
            self._closed = True
            await asyncio.to_thread(self._give_back)

    async def _nearest(self, vector: Floats, query: RecallQuery, k: int) -> list[MemoryHit]:
        reached = await asyncio.gather(*(self._reachable(kind, query, vector, k) for kind in MEMORY_TYPES))
        found = [candidate for candidates in reached for candidate in candidates]
        if not found:  # a trip to the thread for nothing
            return []
        # On the record's thread, since the trust in a writer may have to be read from disk.
        return await self._read(
            lambda: nearest_hits(found, query, vector, k=k, recall=self._recall, trust=self._trust)
        )

    async def _hits(self, kind: MemoryType, query: RecallQuery, vector: Floats, k: int) -> list[MemoryHit]:
        candidates = await self._reachable(kind, query, vector, k)
        return await self._read(
            lambda: best_hits(candidates, query, vector, k=k, recall=self._recall, trust=self._trust)
        )

    async def _reachable(
        self, kind: MemoryType, query: RecallQuery, vector: Floats, k: int
    ) -> list[Candidate]:
        """Return the visible rows among the nearest neighbours; where few are, look wider, then at all."""
        candidates: list[Candidate] = []
        for wide in (width(k), _WIDER * width(k)):
            ids = await self._indexing.nearest(kind, vector, wide)
            if ids is None:
                break
            candidates = await self._candidates(ids, query)
            if len(candidates) >= width(k) or len(ids) < wide:
                return candidates
        if len(candidates) < k:
            candidates = await self._exact(kind, query, vector, width(k))
        return candidates

    async def _candidates(self, ids: Sequence[str], query: RecallQuery) -> list[Candidate]:
        if not ids:
            return []
        found = await self._ask(self._questions.candidates, Seen(ids, query.task))
        return [candidate for candidate in found if is_visible(candidate, query)]

    async def _exact(self, kind: MemoryType, query: RecallQuery, vector: Floats, k: int) -> list[Candidate]:
        ids = await self._ask(self._questions.nearest, Near(kind, query, vector, k))
        return await self._candidates(ids, query)

    async def _findable(
        self, table: str, text: str, now: float, minimum: float, kind: str | None = None
    ) -> tuple[list[tuple[str, JsonDict]], list[float]]:
        """Return the rows of a log that may be found, with their similarity to a text."""
        if not text.strip():
            return [], []
        rows, vectors = await self._read(lambda: self._record.findable(self._ns, table, now, kind))
        if not rows:
            return [], []
        query = (await self._embed([clean(text)]))[0]
        cosines = similarities(vectors, query)
        (like,) = np.nonzero(cosines >= minimum)
        return [rows[n] for n in like.tolist()], cosines[like].tolist()

    async def _embed_anew(self, *, every: bool) -> None:
        rows, logs = await self._read(lambda: self._record.texts(self._ns, every=every))
        texts = [text for _, text in rows] + [lesson_text(row) for _, row in logs]
        vectors: list[Floats] = []
        for i in range(0, len(texts), _EMBED_BATCH):
            vectors += await self._embed(texts[i : i + _EMBED_BATCH])
        row_pairs = [(seq, vector) for (seq, _), vector in zip(rows, vectors[: len(rows)], strict=True)]
        log_pairs = [(seq, vector) for (seq, _), vector in zip(logs, vectors[len(rows) :], strict=True)]
        await self._read(lambda: self._record.replace_vectors(self._ns, self._embedder, row_pairs, log_pairs))

    async def _read(self, work: Callable[[], T]) -> T:
        self._check_open()
        return await self._shared.with_record(work)

    async def _ask(self, answer: Callable[[Sequence[Q]], Sequence[A]], question: Q) -> A:
        self._check_open()
        return await self._shared.ask_record(answer, question)

    def _check_open(self) -> None:
        if self._closed:
            raise UsageError(
                "The memory is closed.",
                why="Nothing can be read from it or written into it after its end.",
                mend="Open it again: with open_memory(...) as memory: ...",
            )

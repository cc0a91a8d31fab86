"""A memory that is kept elsewhere: every call goes to the one that owns the folder, in whatever way.

`send` is the way: a call in this process, a local socket, an actor on a cluster. It raises StorageError
where nobody answers. What was acknowledged there is on disk there. Texts are embedded here, so that the
owner need not have the same embedder; and every call may be made twice, as one that was broken off is.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

from ddax.configs.settings import Recall
from ddax.errors import DdaxError, StateError, UsageError
from ddax.memory.embed.recent import RecentVectors
from ddax.memory.embed.rows import Rows
from ddax.memory.protocol import (
    Blots,
    Embedder,
    Found,
    Kept,
    LogRow,
    MemoryHit,
    RecallQuery,
    Relation,
    Tally,
    Tombstone,
)
from ddax.memory.records import FOUND_BY_MEANING, check_found, clean, lesson_text
from ddax.memory.scoring import Floats, Trust
from ddax.types import Document, JsonDict, MemoryType, Record


@dataclass
class Maker:
    """An embedder by its name alone: it embeds elsewhere."""

    name: str
    fingerprint: str
    dim: int

    def embed(self, texts: Sequence[str]) -> Rows:
        """Refuse: whoever calls brings the vectors along."""
        raise StateError(
            f"{len(texts)} texts came without their vectors.",
            why=f"{self.name} is in the process that calls.",
            mend="Run the same release of ddax on both sides.",
        )


@dataclass(frozen=True)
class Call:
    """What is to be done in a namespace: a name of the protocol, as `upkeep.scan` for what keeps it clean.

    `now` is the caller's clock, in seconds since the epoch; `vectors` are those of the texts it is about,
    by `embedder`.
    """

    namespace: str
    recall: Recall
    now: float
    embedder: Maker
    name: str
    args: tuple[Any, ...] = ()
    kwargs: JsonDict = field(default_factory=dict)
    vectors: tuple[tuple[str, Floats], ...] = ()


Answer = tuple[Any, DdaxError | None]
"""What a call gave, or the error it ended with."""
Send = Callable[[Call], Awaitable[Answer]]


class RemoteMemory:
    """Remember where `send` leads to; closing it closes nothing there. Then `once_closed` is called."""

    def __init__(
        self,
        send: Send,
        namespace: str,
        *,
        embedder: Embedder,
        clock: Callable[[], float],
        recall: Recall,
        trust: Trust | None = None,
        once_closed: Callable[[], None] | None = None,
    ) -> None:
        self.namespace = namespace
        self._send, self._clock, self._recall, self._trust = send, clock, recall, trust
        self._maker = Maker(embedder.name, embedder.fingerprint, embedder.dim)
        self._vectors = RecentVectors(embedder, _beside_the_loop)
        self._closed, self._once_closed = False, once_closed
        self.upkeep = RemoteUpkeep(self.call)

    def trusting(self, trust: Trust) -> RemoteMemory:
        """Return the same memory for somebody who trusts its writers as this function says.

        What was to be called once it is closed stays with this one.
        """
        mine = copy(self)
        mine._trust, mine._once_closed = trust, None
        mine.upkeep = RemoteUpkeep(mine.call)
        return mine

    async def call(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """Have something done; raises the error it ended with there."""
        return await self._ask((), name, args, kwargs)

    async def call_about(self, texts: Sequence[str], name: str, /, *args: Any, **kwargs: Any) -> Any:
        """Have something done that needs the vectors of texts."""
        return await self._ask(texts, name, args, kwargs)

    async def _ask(self, about: Sequence[str], name: str, args: tuple[Any, ...], kwargs: JsonDict) -> Any:
        if self._closed:
            raise UsageError(
                "The memory is closed.",
                why="Nothing can be read from it or written into it after its end.",
                mend="Open it again for the next task.",
            )
        texts = list(dict.fromkeys(about))
        vectors = tuple(zip(texts, await self._vectors.of(texts), strict=True)) if texts else ()
        call = Call(self.namespace, self._recall, self._clock(), self._maker, name, args, kwargs, vectors)
        value, error = await self._send(call)
        if error is not None:
            raise error
        return value

    async def enter(self) -> None:
        """Open the namespace there; raises what keeps it closed, such as vectors of another embedder."""
        await self.call("upkeep.present", [])

    async def fits(self) -> bool:
        """Tell whether the vectors there come from this embedder."""
        return bool(await self.call("fits"))

    async def rebuild(self) -> int:
        """Embed what has no vector, and make the index anew; return how many rows it holds."""
        return int(await self.call_about(await self.call("lacking"), "renew"))

    async def put(self, records: Sequence[Record]) -> list[str]:
        """Store rows and return their ids, in order; an acknowledged row survives a kill there."""
        if not records:
            return []
        texts = [clean(record.text) for record in records]
        ids: list[str] = await self.call_about(texts, "put", list(records))
        return ids

    async def get(self, ids: Sequence[str]) -> list[Record]:
        """Return the rows that exist, in the order asked for."""
        rows: list[Record] = await self.call("get", list(ids)) if ids else []
        return rows

    async def recall(self, query: RecallQuery) -> list[MemoryHit]:
        """Return the best visible rows, thoughts then observations, each best first."""
        asked = await self._trusted(query)
        hits: list[MemoryHit] = await self.call_about(_worded(query.text), "recall", asked)
        return hits

    async def similar(self, texts: Sequence[str], query: RecallQuery, *, k: int = 5) -> list[list[MemoryHit]]:
        """Return for each text the k visible rows nearest to it, of both types, by similarity alone."""
        asked, about = await self._trusted(query), [clean(text) for text in texts]
        hits: list[list[MemoryHit]] = await self.call_about(about, "similar", list(texts), asked, k=k)
        return hits

    async def put_page(self, document: Document) -> str:
        """Store a whole page by content hash and return the hash."""
        return str(await self.call("put_page", document))

    async def get_page(self, page_hash: str) -> Document | None:
        """Return a stored page."""
        page: Document | None = await self.call("get_page", page_hash)
        return page

    async def log(self, table: str, row: JsonDict, *, key: str) -> None:
        """Append a row to a named log; idempotent by key."""
        about: list[str] = []
        if table in FOUND_BY_MEANING:
            check_found(table, row)
            about = [lesson_text(row)]
        await self.call_about(about, "log", table, row, key=key)

    async def rows(
        self, table: str, *, limit: int = 1000, committed_before: float = math.inf, **equals: Any
    ) -> list[JsonDict]:
        """Return rows of a log, oldest first, filtered by top-level values of the row."""
        rows: list[JsonDict] = await self.call(
            "rows", table, limit=limit, committed_before=committed_before, **equals
        )
        return rows

    async def find(
        self, table: str, text: str, *, now: float, k: int = 5, minimum: float = 0.25
    ) -> list[Found]:
        """Return the k rows of the log `reflections` or `rules` nearest to a text, best first."""
        found: list[Found] = await self.call_about(
            _worded(text), "find", table, text, now=now, k=k, minimum=minimum
        )
        return found

    async def lessons(
        self, text: str, *, kind: str, now: float, k: int = 2, minimum: float = 0.25
    ) -> list[str]:
        """Recall reflections of a kind committed before `now`, without recency."""
        texts: list[str] = await self.call_about(
            _worded(text), "lessons", text, kind=kind, now=now, k=k, minimum=minimum
        )
        return texts

    async def count(self, memory_type: MemoryType) -> int:
        """Count the rows of one type."""
        return int(await self.call("count", memory_type))

    async def close(self) -> None:
        """Take no more calls; the memory stays open for others. Safe to call twice."""
        if not self._closed:
            self._closed = True
            if self._once_closed is not None:
                await asyncio.to_thread(self._once_closed)

    async def _trusted(self, query: RecallQuery) -> RecallQuery:
        """Send along what the trust in each writer comes to; a function cannot be asked from there."""
        trust = self._trust
        if query.trust is not None or trust is None:
            return query
        writers = await self.call("upkeep.writers")
        # On a thread, since the trust in a writer may have to be read from disk.
        told = await asyncio.to_thread(lambda: {writer: trust(writer) for writer in writers})
        return replace(query, trust=told)


class RemoteUpkeep:
    """Keep a namespace clean where it is kept; see `ddax.memory.protocol.Upkeep`."""

    def __init__(self, call: Callable[..., Awaitable[Any]]) -> None:
        self._call = call

    async def relate(self, relations: Sequence[Relation]) -> None:
        """Store relations; one of the same kind between the same rows stays as it was."""
        if relations:
            await self._call("upkeep.relate", list(relations))

    async def relations(self, ids: Sequence[str] | None = None) -> list[Relation]:
        """Return the relations of some rows, or all of them, oldest first."""
        found: list[Relation] = await self._call("upkeep.relations", ids if ids is None else list(ids))
        return found

    async def bury(self, ids: Sequence[str], reason: str, *, into: str = "") -> int:
        """Replace rows by tombstones, and return how many there were; atomic."""
        # Counted before: a call that has to be made twice finds none of them any more.
        there: list[str] = await self._call("upkeep.present", list(ids))
        await self._call("upkeep.bury", list(ids), reason, into=into)
        return len(there)

    async def tombstones(self, ids: Sequence[str] | None = None) -> list[Tombstone]:
        """Return the tombstones of these ids and near-duplicate keys, or all of them, oldest first."""
        found: list[Tombstone] = await self._call("upkeep.tombstones", ids if ids is None else list(ids))
        return found

    async def restore(self, stones: Sequence[Tombstone]) -> int:
        """Keep tombstones of a copy of this namespace; return how many are new."""
        ids = list(dict.fromkeys(stone.id for stone in stones))
        known = {*await self._call("upkeep.present", ids), *(one.id for one in await self.tombstones(ids))}
        await self._call("upkeep.restore", list(stones))
        return len(set(ids) - known)

    async def scan(self, *, after: int = 0, limit: int = 1000) -> list[Kept]:
        """Return rows in the order they were written, from behind `after`."""
        rows: list[Kept] = await self._call("upkeep.scan", after=after, limit=limit)
        return rows

    async def branch(self, task: str, into: str, *, step: int, before: float) -> int:
        """Let another task see what a task had seen and logged up to a step and a moment."""
        return int(await self._call("upkeep.branch", task, into, step=step, before=before))

    async def pages(self, source: str) -> list[Document]:
        """Return the stored pages of a source, oldest first."""
        found: list[Document] = await self._call("upkeep.pages", source)
        return found

    async def resolve(self, prefix: str) -> list[str]:
        """Return the ids, of rows and of tombstones, that begin with a prefix."""
        ids: list[str] = await self._call("upkeep.resolve", prefix)
        return ids

    async def logs(self, *, after: int = 0, limit: int = 1000) -> list[LogRow]:
        """Return the rows of every log in the order they were written, from behind `after`."""
        rows: list[LogRow] = await self._call("upkeep.logs", after=after, limit=limit)
        return rows

    async def blot(self, blots: Blots) -> None:
        """Overwrite and take away what is named, at once; atomic."""
        await self._call("upkeep.blot", blots)

    async def wipe(self) -> None:
        """Leave no byte of what was taken away in the files of the record."""
        await self._call("upkeep.wipe")

    async def tally(self) -> Tally:
        """Count what there is."""
        counted: Tally = await self._call("upkeep.tally")
        return counted


def _worded(text: str) -> list[str]:
    """Return the text as it is embedded; nothing where it says nothing."""
    return [clean(text)] if text.strip() else []


async def _beside_the_loop(
    embedded: Callable[[Sequence[Sequence[str]]], Sequence[Rows]], texts: Sequence[str]
) -> Rows:
    return (await asyncio.to_thread(embedded, [texts]))[0]

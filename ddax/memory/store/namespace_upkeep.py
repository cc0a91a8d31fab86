"""The upkeep of one namespace on disk; see `ddax.memory.protocol.Upkeep`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

from ddax.memory.protocol import Blots, Kept, LogRow, Relation, Tally, Tombstone
from ddax.memory.records import moment
from ddax.memory.scoring import Floats
from ddax.memory.store.shared_trips import each_once
from ddax.memory.store.sqlite_upkeep import UpkeepTables
from ddax.types import Document, MemoryType

Change = tuple[MemoryType, str, Floats | None]
"""What became of a row: its type, its id, and its vector, None where it is gone."""
T = TypeVar("T")
Q = TypeVar("Q")
A = TypeVar("A")


class OnRecord(Protocol):
    """Run work on the thread of the record and return what it gives."""

    def __call__(self, work: Callable[[], T], /) -> Awaitable[T]: ...


class Ask(Protocol):
    """Have a question answered on the thread of the record, together with those asked beside it."""

    def __call__(self, answer: Callable[[Sequence[Q]], Sequence[A]], question: Q, /) -> Awaitable[A]: ...


class StoreUpkeep:
    """Keep one namespace clean; rows that go are taken out of the index as well."""

    def __init__(
        self,
        ns: str,
        tables: UpkeepTables,
        on_record: OnRecord,
        ask: Ask,
        changed: Callable[[Change], None],
        alone: OnRecord,
        *,
        clock: Callable[[], float],
    ) -> None:
        self._ns, self._tables, self._on_record, self._ask = ns, tables, on_record, ask
        self._alone = alone  # not in the transaction of what others write at the same moment
        self._changed, self._clock = changed, clock

    async def relate(self, relations: Sequence[Relation]) -> None:
        """Store relations; one of the same kind between the same rows stays as it was."""
        if relations:
            await self._on_record(
                lambda: self._tables.relate(self._ns, relations, committed=moment(self._clock()))
            )

    async def relations(self, ids: Sequence[str] | None = None) -> list[Relation]:
        """Return the relations of some rows, or all of them, oldest first."""
        if ids is None:
            return await self._on_record(lambda: self._tables.relations(self._ns, None))
        return await self._ask(self._relations_of, ids)

    def _relations_of(self, asked: Sequence[Sequence[str]]) -> list[list[Relation]]:
        """Return the relations of each question's rows, by one statement for all that is asked at once."""
        found = self._tables.relations(self._ns, each_once(asked))
        return [[one for one in found if one.newer in ids or one.older in ids] for ids in map(set, asked)]

    async def bury(self, ids: Sequence[str], reason: str, *, into: str = "") -> int:
        """Replace rows by tombstones, and return how many there were; atomic."""

        def work() -> int:
            gone = self._tables.bury(self._ns, ids, reason, into, now=moment(self._clock()))
            for row_id, kind in gone:
                self._changed((kind, row_id, None))
            return len(gone)

        return await self._on_record(work)

    async def branch(self, task: str, into: str, *, step: int, before: float) -> int:
        """Let another task see what a task had seen and logged up to a step and a moment."""
        return await self._on_record(
            lambda: self._tables.branch(self._ns, task, into, step=step, before=before)
        )

    async def tombstones(self, ids: Sequence[str] | None = None) -> list[Tombstone]:
        """Return the tombstones of these ids and near-duplicate keys, or all of them, oldest first."""
        if ids is None:
            return await self._on_record(lambda: self._tables.tombstones(self._ns, None))
        return await self._ask(self._tombstones_of, ids)

    def _tombstones_of(self, asked: Sequence[Sequence[str]]) -> list[list[Tombstone]]:
        """Return the tombstones of each question's rows, by one statement for all that is asked at once."""
        found = self._tables.tombstones(self._ns, each_once(asked))
        return [[stone for stone in found if ids & {stone.id, stone.near}] for ids in map(set, asked)]

    async def restore(self, stones: Sequence[Tombstone]) -> int:
        """Keep tombstones of a copy of this namespace; return how many are new."""
        return await self._on_record(lambda: self._tables.restore(self._ns, stones))

    async def scan(self, *, after: int = 0, limit: int = 1000) -> list[Kept]:
        """Return rows in the order they were written, from behind `after`."""
        return await self._on_record(lambda: self._tables.scan(self._ns, after, limit))

    async def pages(self, source: str) -> list[Document]:
        """Return the stored pages of a source, oldest first."""
        return await self._on_record(lambda: self._tables.pages(self._ns, source))

    async def present(self, ids: Sequence[str]) -> list[str]:
        """Return which of these rows there are."""
        return await self._on_record(lambda: self._tables.present(self._ns, ids))

    async def resolve(self, prefix: str) -> list[str]:
        """Return the ids, of rows and of tombstones, that begin with a prefix."""
        return await self._on_record(lambda: self._tables.resolve(self._ns, prefix))

    async def logs(self, *, after: int = 0, limit: int = 1000) -> list[LogRow]:
        """Return the rows of every log in the order they were written, from behind `after`."""
        return await self._on_record(lambda: self._tables.logs(self._ns, after, limit))

    async def blot(self, blots: Blots) -> None:
        """Overwrite and take away what is named, at once; atomic."""
        await self._on_record(lambda: self._tables.blot(self._ns, blots))

    async def wipe(self) -> None:
        """Leave no byte of what was taken away in the files of the record."""
        await self._alone(self._tables.wipe)

    async def tally(self) -> Tally:
        """Count what there is."""
        return await self._on_record(lambda: self._tables.tally(self._ns))

    async def writers(self) -> list[str]:
        """Return who has written rows, by name."""
        return await self._on_record(lambda: self._tables.writers(self._ns))

    async def newest(self) -> float:
        """Return when something was last written, in seconds since the epoch; 0 for an empty namespace."""
        return await self._on_record(lambda: self._tables.newest(self._ns))

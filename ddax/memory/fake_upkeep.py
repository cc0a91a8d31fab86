"""The upkeep of the memory in a dict; see `ddax.memory.protocol.Upkeep`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ddax.memory.protocol import FORGOTTEN, Blots, Kept, LogRow, Relation, Tally, Tombstone
from ddax.memory.records import clean, digest, handed_on, moment, passes_on
from ddax.memory.scoring import Floats
from ddax.memory.store.sqlite_upkeep import RESOLVED, tombstone_of
from ddax.types import Document, Record


class Entry(NamedTuple):
    """A row of the fake: its place, record, vector, time of commit, and key of near duplicates."""

    seq: int
    record: Record
    vector: Floats
    committed: float
    near: str


Logs = dict[str, dict[str, tuple[str, float, Floats | None]]]


class DictUpkeep:
    """Keep the dicts of a `DictMemory` clean; it works on them in place."""

    def __init__(
        self,
        rows: dict[str, Entry],
        seen: dict[tuple[str, str], int],
        pages: dict[str, Document],
        logs: Logs,
        *,
        clock: Callable[[], float],
    ) -> None:
        self._rows, self._seen, self._pages, self._logs, self._clock = rows, seen, pages, logs, clock
        self._relations: dict[tuple[str, str, str], Relation] = {}
        self._tombstones: list[Tombstone] = []

    async def relate(self, relations: Sequence[Relation]) -> None:
        """Store relations; one of the same kind between the same rows stays as it was."""
        for r in relations:
            stamped = Relation(
                r.kind, r.newer, r.older, r.confidence, clean(r.task), r.step, r.at, moment(self._clock())
            )
            self._relations.setdefault((r.older, r.newer, r.kind), stamped)

    async def relations(self, ids: Sequence[str] | None = None) -> list[Relation]:
        """Return the relations of some rows, or all of them, oldest first."""
        among = None if ids is None else set(ids)
        return [r for r in self._relations.values() if among is None or {r.newer, r.older} & among]

    def superseded(self, row_id: str) -> tuple[Relation, ...]:
        """Return the relations in which a row is superseded."""
        return tuple(r for r in self._relations.values() if r.older == row_id and r.kind == "supersedes")

    async def bury(self, ids: Sequence[str], reason: str, *, into: str = "") -> int:
        """Replace rows by tombstones, and return how many there were."""
        gone = [row_id for row_id in dict.fromkeys(ids) if row_id in self._rows]
        sources = {self._rows[row_id].record.source for row_id in gone}
        for row_id in gone:
            entry = self._rows.pop(row_id)
            self._tombstones.append(
                tombstone_of(entry.record, entry.near, reason, into, moment(self._clock()))
            )
            for seen_id, task in [key for key in self._seen if key[0] == row_id]:
                step = self._seen.pop((seen_id, task))
                if into:
                    self._seen[into, task] = min(step, self._seen.get((into, task), step))
        if reason == FORGOTTEN:
            left = {entry.record.source for entry in self._rows.values()}
            for key in [k for k, page in self._pages.items() if page.source in sources - left]:
                del self._pages[key]
        return len(gone)

    async def branch(self, task: str, into: str, *, step: int, before: float) -> int:
        """Let another task see what a task had seen and logged up to a step and a moment."""
        for (row_id, seen_by), at in list(self._seen.items()):
            if seen_by == clean(task) and at <= step and self._rows[row_id].committed < before:
                self._seen.setdefault((row_id, clean(into)), at)
        taken = 0
        for table, logged in self._logs.items():
            for key, (text, committed, vector) in list(logged.items()):
                row = json.loads(text)
                if row.get("task") == task and committed < before and passes_on(table, row, step):
                    logged.setdefault(digest(f"{into}<{key}"), (handed_on(text, into), committed, vector))
                    taken += 1
        return taken

    async def tombstones(self, ids: Sequence[str] | None = None) -> list[Tombstone]:
        """Return the tombstones of these ids and near-duplicate keys, or all of them, oldest first."""
        among = None if ids is None else set(ids)
        return [stone for stone in self._tombstones if among is None or among & {stone.id, stone.near}]

    async def restore(self, stones: Sequence[Tombstone]) -> int:
        """Keep tombstones of a copy of this namespace; return how many are new."""
        known = {*self._rows, *(stone.id for stone in self._tombstones)}
        fresh = {stone.id: stone for stone in reversed(stones) if stone.id not in known}
        self._tombstones += reversed(fresh.values())
        return len(fresh)

    async def scan(self, *, after: int = 0, limit: int = 1000) -> list[Kept]:
        """Return rows in the order they were written, from behind `after`."""
        entries = sorted(self._rows.values(), key=lambda entry: entry.seq)
        later = [entry for entry in entries if entry.seq > after][: max(0, limit)]
        return [Kept(entry.seq, entry.record, entry.committed, entry.vector) for entry in later]

    async def pages(self, source: str) -> list[Document]:
        """Return the stored pages of a source, oldest first."""
        return [page for page in self._pages.values() if page.source == clean(source)]

    async def resolve(self, prefix: str) -> list[str]:
        """Return the ids, of rows and of tombstones, that begin with a prefix."""
        every = {*self._rows, *(stone.id for stone in self._tombstones)}
        return sorted(row_id for row_id in every if prefix and row_id.startswith(prefix))[:RESOLVED]

    async def logs(self, *, after: int = 0, limit: int = 1000) -> list[LogRow]:
        """Return the rows of every log, numbered from 1, from behind `after`."""
        every = [(table, text) for table, rows in self._logs.items() for text, _, _ in rows.values()]
        numbered = [LogRow(k, table, json.loads(text)) for k, (table, text) in enumerate(every, 1)]
        return numbered[after : after + max(0, limit)]

    async def blot(self, blots: Blots) -> None:
        """Overwrite and take away what is named."""
        places = [(table, key) for table, rows in self._logs.items() for key in rows]
        for row in blots.rows:
            table, key = places[row.seq - 1]
            self._logs[table][key] = (json.dumps(row.row), *self._logs[table][key][1:])
        for seq in blots.gone:
            table, key = places[seq - 1]
            del self._logs[table][key]
        for page in blots.pages:
            for key, old in self._pages.items():
                if (old.source, old.doc_id) == (page.source, page.doc_id):
                    self._pages[key] = page
        left = {stone.id: stone for stone in blots.stones}
        self._tombstones[:] = [left.get(stone.id, stone) for stone in self._tombstones]

    async def wipe(self) -> None:
        """Do nothing: what was taken out of a dict is gone."""

    async def tally(self) -> Tally:
        """Count what there is."""
        refused = [json.loads(text)["reason"] for text, _, _ in self._logs.get("refusals", {}).values()]
        return Tally(
            rows=_counted(entry.record.memory_type for entry in self._rows.values()),
            logs={name: len(rows) for name, rows in sorted(self._logs.items())},
            refusals=_counted(refused),
            relations=_counted(r.kind for r in self._relations.values()),
            tombstones=_counted(stone.reason for stone in self._tombstones),
            pages=len(self._pages),
        )


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))

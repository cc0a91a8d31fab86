"""How clean a memory is: the shares of junk, duplicates, stale rows, orphans and contradictions."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field

from ddax.memory.gate.instructions import instruction_spans
from ddax.memory.gate.statement_pairs import same, statement
from ddax.memory.protocol import Kept, Memory
from ddax.types import Record

STALE_DAYS = 365.0
"""Age from which on a row that nothing supersedes is stale as well."""
DAY = 86_400.0
PART = 500


@dataclass(frozen=True)
class Audit:
    """Ids of rows by what is wrong with them, and how many rows there are.

    Junk holds orders from outside; a duplicate repeats an older row of its source; stale is superseded
    or older than a year; an orphan names a task or a cited row that is not kept; contradicted rows
    are those nobody has settled yet.
    """

    rows: int
    junk: tuple[str, ...] = ()
    duplicates: tuple[tuple[str, str], ...] = ()
    stale: tuple[str, ...] = ()
    orphans: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()
    refusals: dict[str, int] = field(default_factory=dict)

    def rates(self) -> dict[str, float]:
        """Return each as a share of all rows, in [0, 1]."""
        named = {
            "junk": self.junk, "duplicate": self.duplicates, "stale": self.stale,
            "orphan": self.orphans, "contradiction": self.contradicted,
        }  # fmt: skip
        return {name: len(found) / self.rows if self.rows else 0.0 for name, found in named.items()}


async def audit(memory: Memory, *, now: float) -> Audit:
    """Look at every row once."""
    relations = await memory.upkeep.relations()
    outdated = {r.older for r in relations if r.kind == "supersedes"}
    tasks = {row["task"] for row in await memory.rows("tasks", limit=10**9)}
    groups = Duplicates()
    rows: list[Kept] = [kept async for kept in every(memory)]
    ids = {kept.record.id for kept in rows}
    junk, stale, orphans = [], [], []
    for kept in rows:
        record = kept.record
        groups.add(record)
        if record.writer != "human" and instruction_spans(record.text):
            junk.append(record.id)
        if record.id in outdated or now - (record.valid_from or record.created) > STALE_DAYS * DAY:
            stale.append(record.id)
        if _orphan(record, tasks, ids):
            orphans.append(record.id)
    settled = outdated | {r.newer for r in relations if r.kind == "supersedes"}
    open_ends = [i for r in relations if r.kind == "contradicts" for i in (r.older, r.newer)]
    return Audit(
        rows=len(rows),
        junk=tuple(junk),
        duplicates=tuple(groups.pairs()),
        stale=tuple(stale),
        orphans=tuple(orphans),
        contradicted=tuple(sorted((set(open_ends) - settled) & ids)),
        refusals=(await memory.upkeep.tally()).refusals,
    )


async def every(memory: Memory) -> AsyncIterator[Kept]:
    """Walk over the rows of a memory in the order they were written."""
    after = 0
    while part := await memory.upkeep.scan(after=after, limit=PART):
        for kept in part:
            yield kept
        after = part[-1].seq


class Duplicates:
    """Find near duplicates among rows: first by their content words, then word for word."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str, frozenset[str]], list[Record]] = {}

    def add(self, record: Record) -> None:
        """Take in a row; older ones come first."""
        key = (record.memory_type, record.source, statement(record.text).content)
        self._groups.setdefault(key, []).append(record)

    def pairs(self) -> Iterable[tuple[str, str]]:
        """Yield (duplicate, the oldest row it repeats)."""
        for group in self._groups.values():
            kept: list[Record] = []
            for record in group:
                first = next((old for old in kept if same(old.text, record.text)), None)
                if first is None:
                    kept.append(record)
                else:
                    yield record.id, first.id


def _orphan(record: Record, tasks: set[str], ids: set[str]) -> bool:
    cited = [str(item) for item in record.meta.get("cites", ())]
    return (bool(record.task) and record.task not in tasks) or any(item not in ids for item in cited)

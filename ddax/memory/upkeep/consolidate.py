"""Consolidation: merge duplicates, fold old material into rolling statistics, forget by policy.

Nothing is lost without a tombstone. Rows of tasks that are not over stay as they are, so that a
resumed run recalls what it would have recalled.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from ddax.memory.gate.instructions import instruction_spans
from ddax.memory.protocol import Kept, Memory
from ddax.memory.upkeep.audit import DAY, Duplicates, every
from ddax.types import JsonDict

ROLLING = "rolling"
"""The log of what is left of summarised rows, a row for each batch, month and kind."""


@dataclass(frozen=True)
class Policy:
    """What goes: ages in days, `calm` the surprise below which nothing was learned from a row.

    Search listings and thoughts without a source that nothing cites are folded into statistics after
    `summarise_days`; passages of pages go after `forget_days`, and come back when they are read again.
    """

    summarise_days: float = 30.0
    forget_days: float = 365.0
    calm: float = 0.5


@dataclass(frozen=True)
class Plan:
    """What a consolidation does or would do: ids by what becomes of them."""

    merge: tuple[tuple[str, str], ...]
    junk: tuple[str, ...]
    summarise: tuple[str, ...]
    forget: tuple[str, ...]

    def counts(self) -> dict[str, int]:
        """Return how many rows each concerns."""
        return {
            "merged": len(self.merge), "junk": len(self.junk),
            "summarised": len(self.summarise), "expired": len(self.forget),
        }  # fmt: skip


async def plan(memory: Memory, policy: Policy, *, now: float, busy: Collection[str] = ()) -> Plan:
    """Decide what would go; `busy` are the tasks that are not over."""
    rows = [kept async for kept in every(memory)]
    cited = {str(item) for kept in rows for item in kept.record.meta.get("cites", ())}
    held = {i for r in await memory.upkeep.relations() for i in (r.newer, r.older)} | cited
    groups = Duplicates()
    junk, old, expired = [], [], []
    for kept in rows:
        record, age = kept.record, (now - kept.record.created) / DAY
        if record.task in busy:
            continue
        if record.writer != "human" and instruction_spans(record.text):
            junk.append(record.id)
            continue
        groups.add(record)
        if record.id in held or record.epsilon >= policy.calm or record.writer == "human":
            continue
        if not record.source and not record.meta.get("cites") and age > policy.summarise_days:
            old.append(record.id)
        elif record.source and age > policy.forget_days:
            expired.append(record.id)
    merged = tuple(pair for pair in groups.pairs() if pair[0] not in held)
    gone = {duplicate for duplicate, _ in merged}
    return Plan(
        merged,
        tuple(junk),
        tuple(i for i in old if i not in gone),
        tuple(i for i in expired if i not in gone),
    )


async def consolidate(
    memory: Memory, policy: Policy | None = None, *, now: float, busy: Collection[str] = ()
) -> Plan:
    """Carry a plan out; a kill in between loses nothing, and the next run does the rest."""
    what = await plan(memory, policy or Policy(), now=now, busy=busy)
    into: dict[str, list[str]] = defaultdict(list)
    for duplicate, first in what.merge:
        into[first].append(duplicate)
    for first, duplicates in into.items():
        await memory.upkeep.bury(duplicates, "merged", into=first)
    await memory.upkeep.bury(what.junk, "junk")
    # The statistics first: a kill between the two counts rows twice, the other way round it would lose them.
    wanted = set(what.summarise)
    await _roll(memory, [kept async for kept in every(memory) if kept.record.id in wanted])
    await memory.upkeep.bury(what.summarise, "summarised")
    await memory.upkeep.bury(what.forget, "expired")
    return what


async def _roll(memory: Memory, rows: list[Kept]) -> None:
    """Log what old rows come to: a row for each month and kind."""
    groups: dict[tuple[str, str], list[Kept]] = defaultdict(list)
    for kept in rows:
        month = datetime.fromtimestamp(kept.record.created, UTC).strftime("%Y-%m")
        groups[month, str(kept.record.meta.get("kind", "thought"))].append(kept)
    for (month, kind), group in sorted(groups.items()):
        epsilons = [kept.record.epsilon for kept in group]
        row: JsonDict = {
            "month": month,
            "kind": kind,
            "rows": len(group),
            "tasks": len({kept.record.task for kept in group}),
            "characters": sum(len(kept.record.text) for kept in group),
            "mean_epsilon": round(sum(epsilons) / len(epsilons), 6),
            "max_epsilon": max(epsilons),
            "titles": sorted({kept.record.title for kept in group if kept.record.title})[:20],
        }
        await memory.log(ROLLING, row, key=f"{month}:{kind}:{group[0].seq}:{group[-1].seq}")

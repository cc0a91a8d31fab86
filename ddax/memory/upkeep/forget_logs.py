"""Take out of the logs what was learned from forgotten rows, and blot out of the rest what they said."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ddax.memory.protocol import Blots, LogRow, Memory
from ddax.memory.records import DECISIONS, REFLECTIONS
from ddax.memory.rules import RULES, USES
from ddax.memory.upkeep.remains import Traces
from ddax.types import JsonDict, Record

TASKS, PLANS = "tasks", "rule_plans"
BATCH = 1000
Place = tuple[str, str]
"""A task and an idea of it."""


@dataclass(frozen=True)
class LogsGone:
    """How many rows went by the log, how many were blotted, and the threads whose tasks had read the rows."""

    learned: Mapping[str, int]
    blotted: int
    threads: tuple[str, ...]


@dataclass(frozen=True)
class Source:
    """Where forgotten rows stood in the runs: their ids, their tasks, and the ideas that had them."""

    ids: frozenset[str]
    tasks: frozenset[str]
    places: frozenset[Place]

    def made(self, row: JsonDict) -> bool:
        """Tell whether a row of a log was made of them: by its idea, or by an id in it."""
        return _place(row) in self.places or not self.ids.isdisjoint(_strings(row))


async def forget_logs(memory: Memory, gone: Sequence[Record], traces: Traces) -> LogsGone:
    """Clean the logs, at once; the chain of decisions, which holds ids and numbers, stays."""
    source = await _source(memory, gone)
    async for line in _lines(memory):
        if line.table == TASKS:
            traces.know(str(line.row.get("text", "")))
    lost = {str(line.row["rule"]) async for line in _lines(memory) if _rule_lost(line, source, traces)}
    taken, changed, threads = [], [], dict[str, None]()
    async for line in _lines(memory):
        if line.table == TASKS and line.row.get("task") in source.tasks and line.row.get("thread"):
            threads[str(line.row["thread"])] = None
        if _learned(line, source, traces, lost):
            taken.append(line)
        elif line.table != DECISIONS and (new := _blotted(line, source, traces)) != line.row:
            changed.append(line._replace(row=new))
    await memory.upkeep.blot(Blots(rows=tuple(changed), gone=tuple(line.seq for line in taken)))
    return LogsGone(dict(Counter(line.table for line in taken)), len(changed), tuple(threads))


async def _source(memory: Memory, gone: Sequence[Record]) -> Source:
    ids = frozenset(row.id for row in gone)
    places = {(row.task, row.idea) for row in gone if row.task and row.idea}
    async for line in _lines(memory):
        if not ids.isdisjoint(_strings(line.row)) and all(place := _place(line.row)):
            places.add(place)
    tasks = {row.task for row in gone if row.task} | {task for task, _ in places}
    return Source(ids, frozenset(tasks), frozenset(places))


def _rule_lost(line: LogRow, source: Source, traces: Traces) -> bool:
    """Tell whether a rule was learned from the rows; of one that does not say so its task decides."""
    if line.table != RULES:
        return False
    of_old = "rests_on" not in line.row and line.row.get("task") in source.tasks
    return of_old or not source.ids.isdisjoint(line.row.get("rests_on", ())) or traces.held(line.row)


def _learned(line: LogRow, source: Source, traces: Traces, lost: set[str]) -> bool:
    if line.table == REFLECTIONS:
        return source.made(line.row) or traces.held(line.row)
    return line.table in (RULES, USES, PLANS) and line.row.get("rule") in lost


def _blotted(line: LogRow, source: Source, traces: Traces) -> JsonDict:
    if line.table == TASKS:  # the user's own question stays readable
        return {**line.row, "text": traces.without_keys(str(line.row.get("text", "")))}
    new: JsonDict = traces.blotted(line.row, made=source.made(line.row))
    return new


def _place(row: JsonDict) -> Place:
    return str(row.get("task") or ""), str(row.get("idea") or row.get("leaf") or "")


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


async def _lines(memory: Memory) -> AsyncIterator[LogRow]:
    """Walk over every row of every log, in the order they were written."""
    after = 0
    while found := await memory.upkeep.logs(after=after, limit=BATCH):
        for line in found:
            yield line
        after = found[-1].seq

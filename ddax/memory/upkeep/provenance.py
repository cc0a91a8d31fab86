"""Where a memory comes from and what became of it: idea, run, page, the bytes of its quote, relations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from ddax.errors import UsageError
from ddax.memory.protocol import Memory, Relation, Tombstone
from ddax.memory.records import page_hash
from ddax.types import Document, JsonDict, Record

SHORT = 12
"""Characters of an id that are shown; as many are enough to name it."""


@dataclass(frozen=True)
class Provenance:
    """The chain from a memory to its origin.

    `thread` is the run and `opened` when its task opened (seconds since the epoch); `page` is the hash
    of the stored page in which the text stands verbatim, `bytes` its half-open range in that page as
    UTF-8. They are None where the origin is not kept.
    """

    id: str
    task: str
    idea: str
    step: int
    thread: str | None
    opened: float | None
    source: str
    characters: tuple[int, int] | None
    page: str | None
    bytes: tuple[int, int] | None
    cites: tuple[str, ...]


async def resolved(memory: Memory, prefix: str) -> str:
    """Return the one id that begins with a prefix; raise `UsageError` where there is none or several."""
    found = await memory.upkeep.resolve(prefix.strip().casefold())
    if len(found) == 1:
        return found[0]
    raise UsageError(
        f"There is no memory {prefix[:80]!r}." if not found else f"{prefix[:80]!r} names several memories.",
        why="No id begins so."
        if not found
        else f"For example {', '.join(item[:SHORT] for item in found[:3])}.",
        mend="`ddax memory search TEXT` shows ids; give a few more characters of one.",
    )


async def provenance(memory: Memory, record: Record) -> Provenance:
    """Follow a memory back to its origin."""
    tasks = await memory.rows("tasks", task=record.task) if record.task else []
    pages = await memory.upkeep.pages(record.source) if record.source else []
    # The newest page that still says so: a source may have been read in several versions.
    holds = next((page for page in reversed(pages) if _stands(record, page)), None)
    return Provenance(
        id=record.id,
        task=record.task,
        idea=record.idea,
        step=record.step,
        thread=str(tasks[0]["thread"]) if tasks and "thread" in tasks[0] else None,
        opened=float(tasks[0]["opened"]) if tasks and "opened" in tasks[0] else None,
        source=record.source,
        characters=(record.start, record.end) if record.end > record.start else None,
        page=page_hash(holds) if holds else None,
        bytes=_bytes(record, holds) if holds else None,
        cites=tuple(str(item) for item in record.meta.get("cites", ())),
    )


def _stands(record: Record, page: Document) -> bool:
    return bool(record.text) and page.text[record.start : record.end] == record.text


def _bytes(record: Record, page: Document) -> tuple[int, int]:
    first = len(page.text[: record.start].encode("utf-8"))
    return first, first + len(record.text.encode("utf-8"))


def validity(record: Record, relations: Sequence[Relation]) -> JsonDict:
    """Return since when a memory holds (seconds since the epoch), what superseded it, what it contradicts."""
    return {
        "valid_from": record.valid_from or record.created,
        "superseded_by": [r.newer for r in relations if r.kind == "supersedes" and r.older == record.id],
        "contradicts": [
            r.older if r.newer == record.id else r.newer for r in relations if r.kind == "contradicts"
        ],
    }


@dataclass(frozen=True)
class Event:
    """One thing that happened to a memory, at `at` (seconds since the epoch)."""

    at: float
    what: str
    other: str = ""


async def history(memory: Memory, memory_id: str) -> list[Event]:
    """Tell what became of a memory, oldest first."""
    events: list[Event] = []
    for record in await memory.get([memory_id]):
        by = f" by {record.writer}" if record.writer != "agent" else ""
        events.append(Event(record.created, f"written{by} in task {record.task or 'none'}"))
    for stone in await memory.upkeep.tombstones([memory_id]):
        events.append(Event(stone.created, f"written in task {stone.task or 'none'}"))
        events.append(Event(stone.buried, _buried(stone), stone.into))
    for stone in await memory.upkeep.tombstones():
        if stone.into == memory_id:
            events.append(Event(stone.buried, f"took in a row that was {stone.reason}", stone.id))
    for relation in await memory.upkeep.relations([memory_id]):
        events.append(_related(relation, memory_id))
    for row in await memory.rows("refusals", of=memory_id):
        what = f"repeated in task {row['task']} and refused as {row['reason']}"
        events.append(Event(float(row.get("at", 0.0)), what))
    return sorted(events, key=lambda event: event.at)


def _buried(stone: Tombstone) -> str:
    return f"{stone.reason} into" if stone.into else stone.reason


def _related(relation: Relation, memory_id: str) -> Event:
    words = {
        ("contradicts", True): "contradicts", ("contradicts", False): "is contradicted by",
        ("supersedes", True): "supersedes", ("supersedes", False): "is superseded by",
    }  # fmt: skip
    newer = relation.newer == memory_id
    other = relation.older if newer else relation.newer
    return Event(relation.committed, words[relation.kind, newer], other)


def plain(value: Provenance | Event | Relation | Tombstone) -> JsonDict:
    """Return plain JSON of one of these."""
    return dict(asdict(value))

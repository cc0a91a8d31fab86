"""Write a namespace to a file and read it into another: JSON lines that need no other file."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

from pydantic import TypeAdapter, ValidationError

from ddax.errors import StateError, UsageError, first_fault, json_fault, read_json_text
from ddax.ideas.origins import MEMORY, of_foreign, of_kept, of_record, read
from ddax.memory.protocol import Memory, Relation, Tombstone
from ddax.memory.records import FOUND_BY_MEANING, check_found, clean, digest, has_date, rows_of, to_json
from ddax.memory.rules import Rule
from ddax.memory.upkeep.audit import every
from ddax.types import Document, JsonDict, Record

EXPORT_SCHEMA = 1
LOGS = ("tasks", "reflections", "rules", "rule_uses", "rolling")
"""The logs that carry knowledge; those of single runs stay at home."""
_ALL = 10**9
_MOST = 2**63
"""One more than the largest whole number that the record can hold."""


@dataclass(frozen=True)
class Opening:
    """What is read of a row of the log of tasks; `opened` is in seconds since the epoch."""

    task: str
    text: str = ""
    thread: str = ""
    opened: float = 0.0


@dataclass(frozen=True)
class Use:
    """What is read of a row of the log of how rules have fared."""

    rule: str
    ok: bool
    at: float


@dataclass(frozen=True)
class Entry:
    """A row of a log, as an export holds it."""

    table: str
    row: JsonDict


Item: TypeAlias = Record | Document | Entry | Relation | Tombstone | None
"""What a line of an export holds; None for the header and for a kind that is not known."""
_FORMS: dict[str, TypeAdapter[Any]] = {
    "row": TypeAdapter(Record), "page": TypeAdapter(Document), "log": TypeAdapter(Entry),
    "relation": TypeAdapter(Relation), "tombstone": TypeAdapter(Tombstone),
}  # fmt: skip


_ROWS: dict[str, TypeAdapter[Any]] = {
    "tasks": TypeAdapter(Opening), "rules": TypeAdapter(Rule), "rule_uses": TypeAdapter(Use),
}  # fmt: skip
"""The form of a row of those logs of which more is read than `check_found` asks for."""


async def exported(memory: Memory) -> AsyncIterator[JsonDict]:
    """Yield the lines of an export: a header, rows, their pages, logs, relations and tombstones."""
    yield {"kind": "header", "schema": EXPORT_SCHEMA, "namespace": memory.namespace}
    sources: dict[str, None] = {}
    async for kept in every(memory):
        sources[kept.record.source] = None
        yield {"kind": "row", **asdict(kept.record)}
    for source in filter(None, sources):
        for page in await memory.upkeep.pages(source):
            yield {"kind": "page", **asdict(page)}
    for table in LOGS:
        for row in await memory.rows(table, limit=_ALL):
            yield {"kind": "log", "table": table, "row": row}
    for relation in await memory.upkeep.relations():
        yield {"kind": "relation", "relation": asdict(relation)}
    for stone in await memory.upkeep.tombstones():
        yield {"kind": "tombstone", **asdict(stone)}


def check_export(lines: Iterable[str]) -> None:
    """Look an export through before it is read in; raises `StateError` for the first line that is damaged."""
    for number, line in _numbered(lines):
        _made(_parsed(line, number), number)


def _numbered(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Count the lines from 1; raises `StateError` where there is none, as of a file that was cut."""
    number = 0
    for number, line in enumerate(lines, 1):
        yield number, line
    if not number:
        raise StateError(
            "The export is empty.",
            why="An export has at least a header; one of nothing was cut off while it was written or copied.",
            mend="Write it again: ddax memory export FILE",
        )


def _made(values: JsonDict, number: int) -> Item:
    """Make what a line holds; raise `StateError` for what could not be stored."""
    try:
        return _checked(values)
    except ValidationError as exc:
        place, fault = first_fault(exc.errors(include_url=False))
        raise _damaged(number, f"{'.'.join(map(str, place))!r}: {fault}" if place else fault) from exc
    except UsageError as exc:
        raise _damaged(number, f"{exc.what} {exc.why}".rstrip(".")) from exc
    except ValueError as exc:
        raise _damaged(number, str(exc)) from exc


def _checked(values: JsonDict) -> Item:
    kind = values["kind"]
    if not isinstance(kind, str) or kind not in _FORMS:
        return None
    held = values.get("relation") if kind == "relation" else values
    plain = clean(json.dumps(held, ensure_ascii=False))
    made: Item = _FORMS[kind].validate_json(plain, strict=True)
    if isinstance(made, Entry):
        _check_entry(made)
        return made
    if isinstance(made, Record):
        rows_of([made], namespace="", now=1.0)
        for name in ("cites", "origins"):
            if not isinstance(made.meta.get(name, []), list):
                raise ValueError(f"'meta.{name}' is no list")
    _check_numbers(made)
    return made


def _check_entry(entry: Entry) -> None:
    """Raise for a row of a log that a later run, or a look at the memory, could not read."""
    if entry.table not in LOGS:
        raise ValueError(f"'table': an export holds no log {entry.table!r}")
    text = to_json(entry.row, f"A row of the log {entry.table!r}")
    if entry.table in FOUND_BY_MEANING:
        check_found(entry.table, entry.row)
    if entry.table in _ROWS:
        made = _ROWS[entry.table].validate_json(text, strict=True)
        _check_numbers(made)
        slots = [step.slot for step in made.plan if step.slot is not None] if isinstance(made, Rule) else []
        if any(not 0 <= slot < made.slots for slot in slots):
            raise ValueError("'plan': a step takes a name that the situation does not have")


def _check_numbers(made: object) -> None:
    """Raise ValueError for a number that the record cannot hold, or a time without a date."""
    for name, value in vars(made).items():
        if not isinstance(value, int | float):
            continue
        if not (has_date(value) if isinstance(value, float) else -_MOST <= value < _MOST):
            raise ValueError(f"{name!r} is too large a number, or none")


async def imported(memory: Memory, lines: Iterable[str]) -> dict[str, int]:
    """Read an export into a memory and count what came; what is there already changes nothing.

    Rows pass whatever gate stands before the memory, and none of them counts as the user's own word: that it
    says so proves nothing. Tombstones are kept where the namespace has the
    name it had, since ids are made of it. Raises `StateError` for a line that is damaged
    or of a newer release; what stands before it is kept, so a file is looked through first (`check_export`).
    """
    counts = {"rows": 0, "pages": 0, "logs": 0, "relations": 0, "tombstones": 0, "refused": 0}
    ids: dict[str, str] = {}
    known: dict[str, set[str]] = {}
    copied = False
    for number, line in _numbered(lines):
        values = _parsed(line, number)
        copied = copied or (values["kind"] == "header" and values.get("namespace") == memory.namespace)
        item = _made(values, number)
        if not isinstance(item, Tombstone):
            await _take(memory, item, ids, known, counts)
        elif copied:
            counts["tombstones"] += await memory.upkeep.restore([item])
    return counts


async def _take(
    memory: Memory, item: Item, ids: dict[str, str], known: dict[str, set[str]], counts: dict[str, int]
) -> None:
    if isinstance(item, Record):
        # Citations point backwards, so the rows they name have their new ids by now.
        cites = [ids.get(str(i), str(i)) for i in item.meta.get("cites", ())]
        stored = await _store(memory, _foreign(replace(item, id=""), cites))
        if stored:
            ids[item.id] = stored[0]
        counts["rows" if stored else "refused"] += 1
    elif isinstance(item, Document):
        await memory.put_page(item)
        counts["pages"] += 1
    elif isinstance(item, Entry):
        if item.table not in known:
            known[item.table] = {_key(old) for old in await memory.rows(item.table, limit=_ALL)}
        row = _foreign_row(item.row)
        if known[item.table].isdisjoint((_key(item.row), _key(row))):
            await memory.log(item.table, row, key=_key(row))
            counts["logs"] += 1
    elif isinstance(item, Relation) and item.newer in ids and item.older in ids:
        await memory.upkeep.relate([replace(item, newer=ids[item.newer], older=ids[item.older])])
        counts["relations"] += 1


def _foreign_row(row: JsonDict) -> JsonDict:
    """Return a row that was learned elsewhere: it is never believed to rest on the user's word alone."""
    if "origins" not in row:
        return row
    return {**row, "origins": sorted(read(of_kept(row))) or [MEMORY]}


def _foreign(record: Record, cites: list[str]) -> Record:
    """Return a row as another home may bring it: with the ids it cites here, and no word of the user's."""
    meta = {**record.meta, **({"cites": cites} if cites else {})}
    origins = of_foreign(record)
    if origins != of_record(record):
        meta["origins"] = sorted(origins)
    return replace(record, meta=meta)


async def _store(memory: Memory, record: Record) -> list[str]:
    """Store a row through the gate and return its id; one that is there already stays as it is."""
    (row,) = rows_of([record], namespace=memory.namespace, now=1.0)
    known = await memory.get([row.record.id])
    return [found.id for found in known] or await memory.put([record])


def _parsed(line: str, number: int) -> JsonDict:
    try:
        item = read_json_text(line.rstrip("\n"))
    except ValueError as exc:
        raise _damaged(number, json_fault(exc, row=True)) from exc
    if not isinstance(item, dict) or "kind" not in item:
        raise _damaged(number, "it is no object with a kind")
    header = item["kind"] == "header"
    if header != (number == 1) or (header and item.get("schema") != EXPORT_SCHEMA):
        raise StateError(
            f"The export cannot be read (line {number}).",
            why=f"It does not begin with a header of version {EXPORT_SCHEMA}.",
            mend="Write it again with `ddax memory export` of this release.",
        )
    return item


def _damaged(number: int, why: str) -> StateError:
    return StateError(
        f"Line {number} of the export is damaged.",
        why=f"{why}.",
        mend="Write it again: ddax memory export FILE",
    )


def _key(row: JsonDict) -> str:
    return digest(json.dumps(row, sort_keys=True))

"""Write a namespace to a file and read it into another: JSON lines that need no other file."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import asdict, fields, replace

from ddax.errors import StateError, json_fault
from ddax.memory.audit import every
from ddax.memory.protocol import Memory, Relation, Tombstone
from ddax.memory.records import digest
from ddax.types import Document, JsonDict, Record

EXPORT_SCHEMA = 1
LOGS = ("tasks", "reflections", "rules", "rule_uses", "rolling")
"""The logs that carry knowledge; those of single runs stay at home."""
_ALL = 10**9


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
    for number, line in enumerate(lines, 1):
        item = _parsed(line, number)
        try:
            _shaped(item)
        except (KeyError, TypeError, ValueError) as exc:
            raise _damaged(number, f"{type(exc).__name__}: {exc}") from exc


def _shaped(item: JsonDict) -> None:
    """Make what a line holds, and drop it; raises as that does where something is missing."""
    kind = item["kind"]
    if kind == "row":
        _record(item)
    elif kind == "page":
        _page(item)
    elif kind == "log":
        _key({"table": item["table"], "row": item["row"]})
    elif kind == "relation":
        Relation(**item["relation"])
    elif kind == "tombstone":
        _stone(item)


def _record(item: JsonDict) -> Record:
    return Record(**{key: item[key] for key in _names(Record) if key in item})


def _page(item: JsonDict) -> Document:
    values = {key: value for key, value in item.items() if key != "kind"}
    return Document(**{**values, "links": tuple(item["links"])})


def _stone(item: JsonDict) -> Tombstone:
    return Tombstone(**{key: value for key, value in item.items() if key != "kind"})


async def imported(memory: Memory, lines: Iterable[str]) -> dict[str, int]:
    """Read an export into a memory and count what came; what is there already changes nothing.

    Rows pass whatever gate stands before the memory. Tombstones are kept where the namespace has the
    name it had, since ids are made of it. Raises `StateError` for a line that is damaged
    or of a newer release; what stands before it is kept, so a file is looked through first (`check_export`).
    """
    counts = {"rows": 0, "pages": 0, "logs": 0, "relations": 0, "tombstones": 0, "refused": 0}
    ids: dict[str, str] = {}
    known: dict[str, set[str]] = {}
    copied = False
    for number, line in enumerate(lines, 1):
        item = _parsed(line, number)
        copied = copied or (item["kind"] == "header" and item.get("namespace") == memory.namespace)
        try:
            if item["kind"] != "tombstone":
                await _take(memory, item, ids, known, counts)
            elif copied:
                counts["tombstones"] += await memory.upkeep.restore([_stone(item)])
        except (KeyError, TypeError, ValueError) as exc:
            raise _damaged(number, f"{type(exc).__name__}: {exc}") from exc
    return counts


async def _take(
    memory: Memory, item: JsonDict, ids: dict[str, str], known: dict[str, set[str]], counts: dict[str, int]
) -> None:
    kind = item["kind"]
    if kind == "row":
        record = _record(item)
        # Citations point backwards, so the rows they name have their new ids by now.
        cites = [ids.get(str(i), str(i)) for i in record.meta.get("cites", ())]
        meta = {**record.meta, **({"cites": cites} if cites else {})}
        stored = await memory.put([replace(record, id="", meta=meta)])
        if stored:
            ids[record.id] = stored[0]
        counts["rows" if stored else "refused"] += 1
    elif kind == "page":
        await memory.put_page(_page(item))
        counts["pages"] += 1
    elif kind == "log":
        table, row = str(item["table"]), item["row"]
        if table not in known:
            known[table] = {_key(old) for old in await memory.rows(table, limit=_ALL)}
        if _key(row) not in known[table]:
            await memory.log(table, row, key=_key(row))
            counts["logs"] += 1
    elif kind == "relation":
        relation = Relation(**item["relation"])
        if relation.newer in ids and relation.older in ids:
            await memory.upkeep.relate(
                [replace(relation, newer=ids[relation.newer], older=ids[relation.older])]
            )
            counts["relations"] += 1


def _parsed(line: str, number: int) -> JsonDict:
    try:
        item = json.loads(line.rstrip("\n"))
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


def _names(record: type[Record]) -> list[str]:
    return [item.name for item in fields(record)]

"""What the record holds, table by table, and the sum by which a row is known to be as it was written; pure.

Each row is stored with the sum of its values, and one with a vector with that of the vector as well: a
vector can be made anew from the text, the text cannot be made from anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from zlib import crc32


class Table(NamedTuple):
    """A table of the record: the columns its sum goes over, whether it has a vector, what its rows are."""

    name: str
    columns: str
    vector: bool
    one: str
    many: str


_OF_MEMORY = (
    "ns, near, committed, id, type, text, source, title, start, stop, task, idea, step, writer, epsilon, "
    "created, meta, valid_from"
)
_OF_TOMBSTONE = (
    "ns, id, reason, into_id, memory_type, title, source, task, idea, created, buried, digest, near"
)
TABLES = (
    Table("namespace", "key, name, embedder, fingerprint, dim", False, "namespace", "namespaces"),
    Table("memory", _OF_MEMORY, True, "memory", "memories"),
    Table("sighting", "id, task, step", False, "sighting of a memory", "sightings of memories"),
    Table("page", "ns, hash, doc_id, source, title, text, links", False, "page", "pages"),
    Table("log", "ns, name, key, task, created, row", True, "log row", "log rows"),
    Table(
        "relation", "ns, kind, newer, older, confidence, task, step, at, committed", False,
        "relation", "relations",
    ),
    Table("tombstone", _OF_TOMBSTONE, False, "tombstone", "tombstones"),
)  # fmt: skip
"""The tables, those first that others are about."""


def row_sum(values: Iterable[object]) -> int:
    """Return the sum of the values of a row, whole numbers as SQLite may give them back: as others.

    Raises TypeError or ValueError for a value that no row was written with.
    """
    plain = [value if isinstance(value, str) else _number(value) for value in values]
    return crc32(json.dumps(plain).encode())


def vector_sum(blob: bytes | None) -> int:
    """Return the sum of a vector as it is stored; 0 where there is none."""
    return crc32(blob) if blob else 0


def as_written(table: Table, row: Sequence[Any]) -> tuple[bool, bool]:
    """Tell whether a row is as it was written, and whether its vector is.

    It has its sum, the values of its columns and, where the table has vectors, `vector_sum` and `vector`.
    """
    said, *values = row
    vector_said, blob = values[-2:] if table.vector else (0, None)
    try:
        whole = row_sum(values[:-2] if table.vector else values) == said
        return whole, vector_sum(blob) == vector_said
    except (TypeError, ValueError, OverflowError):
        return False, False


def summed_columns(table: Table) -> str:
    """Return the columns by which `as_written` knows a row."""
    return f"sum, {table.columns}" + (", vector_sum, vector" if table.vector else "")


def _number(value: Any) -> float:
    if isinstance(value, bytes):
        raise TypeError("a row has bytes in its vector alone")
    return float(value) + 0.0  # SQLite keeps no zero below zero

"""JSON as text: a line for each value with the path to it, and a table for records of one kind.

As it stands in a file, a value has lost the names above it, and all of a file on one line is one sentence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ddax.actions.sources.formats.tables import table_lines

UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Signs of control and halves of signs, which JSON can write."""
SHORT = 200
"""Characters up to which a string is a value; a longer one is a text of its own."""


def as_values(text: str) -> str:
    """Write JSON, or JSON lines, a value a line; a text that is neither is returned as it is."""
    try:
        value = _parsed(text)
        lines = list(_lines(value, "")) if value and isinstance(value, dict | list) else []
    except (ValueError, RecursionError):
        return text
    return "\n".join(lines).strip("\n") + "\n" if lines else text


def _parsed(text: str) -> Any:
    try:
        return _loads(text)
    except ValueError:
        rows = [line for line in text.split("\n") if line.strip()]
        if len(rows) < 2:
            raise
        return [_loads(row) for row in rows]


def _loads(text: str) -> Any:
    """Read one document; numbers stay the words they are written in."""
    return json.loads(text, parse_float=str, parse_int=str)


def _lines(value: Any, path: str) -> Iterator[str]:
    """Yield the lines of a value that stands at a path like `servers[0].port`."""
    if not value or not isinstance(value, dict | list):
        yield from _leaf(_said(value), path)
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _lines(inner, f"{path}.{_line(name)}" if path else _line(name))
    elif _alike(value):
        yield from (["", f"## {path}", ""] if path else [])
        yield from (*_table(value), "")
    elif all(map(_flat, value)):
        yield from _leaf(", ".join(map(_said, value)), path)
    else:
        for number, inner in enumerate(value):
            yield from _lines(inner, f"{path}[{number}]")


def _leaf(said: str, path: str) -> list[str]:
    named = f"{path}:" if path else ""
    return [f"- {_line(f'{named} {said}')}"] if len(said) <= SHORT else ["", named, "", said.strip(), ""]


def _table(records: Sequence[Mapping[str, Any]]) -> list[str]:
    names = list(dict.fromkeys(name for record in records for name in record))
    rows = [[_line(_said(record.get(name, ""))) for name in names] for record in records]
    return table_lines([[*map(_line, names)], *rows], headed=True)


def _alike(values: Sequence[Any]) -> bool:
    """Tell whether values are records without parts that share most of their names."""
    if len(values) < 2 or not all(value and isinstance(value, dict) for value in values):
        return False
    names = {name for value in values for name in value}
    filled = sum(len(value) for value in values)
    return 2 * filled > len(names) * len(values) and all(_flat(v) for value in values for v in value.values())


def _flat(value: Any) -> bool:
    return not isinstance(value, dict | list) and len(_said(value)) <= SHORT


def _said(value: Any) -> str:
    """Return a value without parts as JSON writes it; of a string what can be shown, without quotes."""
    if not isinstance(value, str):
        return json.dumps(value)
    return UNSHOWN.sub("", value.replace("\r\n", "\n"))


def _line(text: str) -> str:
    return " ".join(UNSHOWN.sub("", text).split())

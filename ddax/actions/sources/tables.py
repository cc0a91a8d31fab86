"""Separated values as the lines of a table: a row alone is a sentence, read with the names of its columns.

As they stand in the file, all rows would be one sentence that holds the words of each.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

SEPARATORS = ",;\t|"
_ODD = csv.Error, ValueError, OverflowError


def as_table(text: str) -> str:
    """Write separated values as a table of Markdown; a text that is none is returned as it is."""
    rows = _rows(text)
    if rows is None:
        return text
    lines = [_line(row) for row in rows]
    if _names(rows[0]):
        lines.insert(1, _line(["---"] * len(rows[0])))
    return "\n".join(lines) + "\n"


def _rows(text: str) -> list[list[str]] | None:
    """Return the rows of a text whose lines have mostly as many cells as the first; None for others."""
    first = text.lstrip("\n").partition("\n")[0]
    separator = max(SEPARATORS, key=first.count)
    if separator not in first:
        return None
    try:
        found = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    except _ODD:
        return None  # a cell without an end, or larger than csv takes
    rows = [cells for row in found if any(cells := [" ".join(cell.split()) for cell in row])]
    alike = sum(len(row) == len(rows[0]) for row in rows)
    return rows if len(rows) > 1 and 2 * alike > len(rows) else None


def _names(row: Sequence[str]) -> bool:
    """Tell whether a first row names columns: each cell differs, and none is empty or a number."""
    return len({*row}) == len(row) and all(cell and not _is_number(cell) for cell in row)


def _is_number(cell: str) -> bool:
    return all(sign.isdigit() or sign in "+-.,:/ %" for sign in cell)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"

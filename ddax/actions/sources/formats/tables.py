"""Tables as those of Markdown, a row a line: a row alone is a sentence, read with the names of its columns.

As they stand in a file of separated values, all rows would be one sentence that holds the words of each.
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
    return as_rows(rows) + "\n"


def as_rows(rows: Sequence[Sequence[str]]) -> str:
    """Write rows as a table of Markdown, headed where the first one names the columns."""
    return "\n".join(table_lines(rows, headed=_names(rows[0])))


def table_lines(rows: Sequence[Sequence[str]], *, headed: bool) -> list[str]:
    """Write each row as a line; `headed` says that the first one names the columns."""
    lines = [_line(row) for row in rows]
    if headed:
        lines.insert(1, _line(["---"] * len(rows[0])))
    return lines


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
    escaped = (cell.replace("|", r"\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"

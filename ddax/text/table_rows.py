"""Rows of tables in Markdown: their cells, and a row as it is said with the names of its columns."""

from __future__ import annotations

import re

BAR = re.compile(r"(?<!\\)\|")
"""What parts the cells of a row; with a backslash before it, a bar belongs to its cell."""


def cells_of(row: str) -> list[str]:
    """Return the texts between the bars of a row."""
    inner = row.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith(r"\|"):
        inner = inner[:-1]
    return [" ".join(cell.replace(r"\|", "|").split()) for cell in BAR.split(inner)]


def named_cells(header: str, row: str) -> list[tuple[str, str]]:
    """Return the cells of a row with the names of their columns; none where they do not fit together."""
    names, values = cells_of(header), cells_of(row)
    return list(zip(names, values, strict=False)) if 1 < len(values) <= len(names) else []


def said_row(header: str, row: str) -> str:
    """Say a row: its first cell, then each other one after the name of its column."""
    (_, first), *others = named_cells(header, row) or [("", "")]
    return f"{first}: {', '.join(f'{name} {value}'.strip() for name, value in others if value)}"

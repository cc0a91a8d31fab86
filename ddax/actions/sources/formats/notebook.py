"""A notebook as text: its Markdown as it is, its code between fences, and what that printed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ddax.actions.sources.formats.json_text import UNSHOWN

OUTPUT_CHARS = 2000
"""Characters of one output that are kept: a table or a number, not a log."""


def read_notebook(text: str) -> str:
    """Return the cells of a notebook, in order; raises ValueError for what is none."""
    book = json.loads(text)
    cells = book.get("cells") if isinstance(book, dict) else None
    if cells is None and isinstance(book, dict) and isinstance(book.get("worksheets"), list):
        cells = [cell for sheet in book["worksheets"] for cell in sheet.get("cells", [])]  # before version 4
    if not isinstance(cells, list):
        raise ValueError("it has no cells of a notebook")
    language = str(book.get("metadata", {}).get("language_info", {}).get("name", ""))
    parts = [part for cell in cells if isinstance(cell, Mapping) for part in _cell(cell, language)]
    return UNSHOWN.sub("", "\n\n".join(part for part in parts if part.strip())) + "\n"


def _cell(cell: Mapping[str, Any], language: str) -> Iterator[str]:
    words = _joined(cell.get("source", cell.get("input", "")))
    kind = cell.get("cell_type")
    if kind == "code":
        if words.strip():
            yield f"```{language}\n{words}\n```"
        yield from (f"```\n{said.rstrip()[:OUTPUT_CHARS]}\n```" for said in _outputs(cell) if said.strip())
    elif kind == "heading":
        yield f"{'#' * int(cell.get('level', 1))} {words}"
    else:
        yield words


def _outputs(cell: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a cell printed or gave, as plain text; pictures and errors say nothing."""
    for output in cell.get("outputs", ()):
        if isinstance(output, Mapping) and output.get("output_type") != "error":
            data = output.get("data", output)
            yield _joined(data.get("text/plain", data.get("text", "")) if isinstance(data, Mapping) else "")


def _joined(lines: Any) -> str:
    return "".join(map(str, lines)) if isinstance(lines, list) else str(lines or "")

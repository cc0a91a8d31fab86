"""Office files as Markdown: headings, paragraphs, lists and tables, by the libraries of the extra `office`.

Leaves out pictures, notes of the layout and formulas: of a cell its value is read.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ddax.actions.sources.formats.archives import opened
from ddax.actions.sources.formats.front_matter import plain
from ddax.actions.sources.formats.tables import as_rows
from ddax.actions.sources.skipping import DAMAGED


class Office(NamedTuple):
    """What was read: a title where the file states one, its text, and its fields."""

    title: str
    text: str
    fields: dict[str, Any]


def read_office(content: bytes, kind: str) -> Office:
    """Read an office file; raises ImportError without the extra, ValueError for a damaged file."""
    if kind not in ("rtf", "xls"):
        opened(content).close()
    return READERS[kind](content)


def from_docx(content: bytes) -> Office:
    """Read a document of Word: its paragraphs and tables in their order, as Markdown."""
    import docx

    document = docx.Document(io.BytesIO(content))
    blocks = [_paragraph(block) if hasattr(block, "style") and hasattr(block, "runs") else _table(block)
              for block in document.iter_inner_content()]  # fmt: skip
    said = document.core_properties
    fields = {"author": said.author, "date": said.modified or said.created, "subject": said.subject}
    return Office(said.title or "", _joined(blocks), plain(fields))


def _paragraph(block: Any) -> str:
    name, text = str(block.style.name if block.style is not None else ""), block.text.strip()
    if not text:
        return ""
    level = name.removeprefix("Heading ")
    if name == "Title" or level.isdigit():
        return f"{'#' * (1 if name == 'Title' else min(int(level), 6))} {text}"
    return f"- {text}" if name.startswith("List") else text


def _table(table: Any) -> str:
    rows = [[" ".join(cell.text.split()) for cell in row.cells] for row in table.rows]
    return _rows(rows)


def from_pptx(content: bytes) -> Office:
    """Read a presentation: a heading for each slide, what stands on it, and its notes."""
    import pptx

    show = pptx.Presentation(io.BytesIO(content))
    parts: list[str] = []
    for number, slide in enumerate(show.slides, 1):
        title = slide.shapes.title
        heading = " ".join(title.text.split()) if title is not None else ""
        parts.append(f"## {heading or f'Slide {number}'}")
        known = title.shape_id if title is not None else None
        parts += [_shape(shape) for shape in _shapes(slide.shapes) if shape.shape_id != known]
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            parts.append(slide.notes_slide.notes_text_frame.text.strip())
    said = show.core_properties
    return Office(said.title or "", _joined(parts), plain({"author": said.author, "date": said.modified}))


def _shapes(shapes: Iterable[Any]) -> Iterator[Any]:
    """Yield shapes, those of a group one by one."""
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes)
        else:
            yield shape


def _shape(shape: Any) -> str:
    if getattr(shape, "has_table", False):
        return _table(shape.table)
    if not getattr(shape, "has_text_frame", False):
        return ""
    lines = [paragraph.text.strip() for paragraph in shape.text_frame.paragraphs if paragraph.text.strip()]
    return lines[0] if len(lines) == 1 else "\n".join(f"- {line}" for line in lines)


def from_sheets(content: bytes) -> Office:
    """Read a table of Excel or OpenDocument: each sheet a table under its name."""
    import python_calamine

    try:
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
        sheets = [(name, book.get_sheet_by_name(name).to_python()) for name in book.sheet_names]
    except python_calamine.CalamineError as exc:
        raise ValueError(f"{DAMAGED} ({exc})") from exc
    told = [(name, _rows([[_cell(cell) for cell in row] for row in rows])) for name, rows in sheets]
    several = sum(bool(table) for _, table in told) > 1
    text = _joined(f"## {name}\n\n{table}" if several else table for name, table in told if table)
    return Office("", text, {})


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return " ".join(str(value).split())


def from_odf(content: bytes) -> Office:
    """Read a text or presentation of OpenDocument: headings, paragraphs, lists and tables in their order."""
    import odfdo

    document = odfdo.Document(io.BytesIO(content))
    said = document.meta
    fields = {"author": said.creator, "date": said.date, "subject": said.subject}
    return Office(said.title or "", _joined(_odf_blocks(document.body)), plain(fields))


def _odf_blocks(parent: Any, *, item: bool = False) -> Iterator[str]:
    for element in parent.children:
        tag = str(element.tag)
        if tag == "text:h":
            level = int(element.get_attribute("text:outline-level") or 1)
            yield f"{'#' * min(level, 6)} {_odf_words(element)}"
        elif tag == "text:p":
            words = _odf_words(element)
            yield f"- {words}" if item and words else words
        elif tag == "table:table":
            yield _rows([[_cell("" if v is None else v) for v in row] for row in element.get_values()])
        elif tag not in ("text:tracked-changes", "office:forms", "text:sequence-decls"):
            yield from _odf_blocks(element, item=item or tag == "text:list-item")


def _odf_words(element: Any) -> str:
    return " ".join(str(element.text_recursive).split())


def from_rtf(content: bytes) -> Office:
    """Read rich text."""
    from striprtf import striprtf

    if not content.lstrip().startswith(b"{\\rtf"):
        raise ValueError("it is no rich text")
    untyped: Any = striprtf.rtf_to_text
    return Office("", f"{untyped(content.decode('latin-1'), errors='ignore').strip()}\n", {})


def _rows(rows: Sequence[Sequence[str]]) -> str:
    """Write rows as a table of Markdown; empty rows and columns at the rims are left out."""
    held = [list(row) for row in rows if any(cell.strip() for cell in row)]
    if not held:
        return ""
    width = max(len(row) for row in held)
    whole = [row + [""] * (width - len(row)) for row in held]
    used = [place for place in range(width) if any(row[place].strip() for row in whole)]
    return as_rows([[row[place] for place in used] for row in whole])


def _joined(blocks: Iterable[str]) -> str:
    """Put blocks together, items of a list on neighbouring lines."""
    text = ""
    for block in filter(None, (block.strip("\n") for block in blocks)):
        listed = block.startswith("- ") and text.rsplit("\n", 1)[-1].startswith("- ")
        text += ("\n" if listed else "\n\n" if text else "") + block
    return text + "\n" if text else ""


READERS: Mapping[str, Callable[[bytes], Office]] = {
    "docx": from_docx, "pptx": from_pptx, "xlsx": from_sheets, "xls": from_sheets, "ods": from_sheets,
    "odt": from_odf, "odp": from_odf, "rtf": from_rtf,
}  # fmt: skip
"""What reads each kind, by its ending."""

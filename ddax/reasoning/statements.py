"""What a text states, piece by piece with its place: sentences, items, rows of tables, values of JSON.

What only sets a text out is no statement: headings, the names of columns, rulers, a line that leads over
to a list. A block of code is one statement, and so is each value of a text that is JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from ddax.reasoning.entailment.words import forms
from ddax.text.chunks import FENCE, HEADING, Span, sentences
from ddax.text.table_rows import named_cells, said_row

Form = Literal["sentence", "row", "code", "value"]
LEAST_RUN = 3
"""Words from which a common run is a quote and not chance."""
_LEAD = re.compile(r"(?:[-*+•>]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
"""What stands before the words of an item or of a quotation."""
_RULER = re.compile(r"[\s|:=\-_*+~^#.]*")
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[-+.\w]+|[{}\[\],:]')


class Statement(NamedTuple):
    """A piece of a text: its place, the words by which it is checked, and what it is."""

    start: int
    end: int
    words: str
    form: Form = "sentence"


def statements(text: str, quotes: Sequence[str] = ()) -> list[Statement]:
    """Return the statements of a text, in order.

    Where a quote closes a sentence another one begins, whatever abbreviation it closes with.
    """
    if is_json(text):
        return list(_values(text))
    found: list[Statement] = []
    for start, end, fenced in parts(text):
        if fenced:
            found.append(Statement(start, end, text[start:end], "code"))
        else:
            found += _prose(text, start, end, quotes)
    return found


def is_json(text: str) -> bool:
    """Tell whether a whole text is an object or a list of JSON."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def parts(text: str) -> Iterator[tuple[int, int, bool]]:
    """Return the parts of a text inside and outside of fences, in order; a fence belongs to its code."""
    start, opened, place = 0, -1, 0
    for line in text.splitlines(keepends=True):
        if FENCE.match(line):
            if opened < 0:
                yield start, place, False
                opened = place
            else:
                end = place + len(line.rstrip())
                yield opened, end, True
                start, opened = end, -1
        place += len(line)
    yield (start, len(text), False) if opened < 0 else (opened, len(text), True)


def _prose(text: str, start: int, end: int, quotes: Sequence[str]) -> Iterator[Statement]:
    """Return the statements of a part without code; rows of a table go by the names of its columns."""
    part, header = text[start:end], ""
    spans = [*_closed(part, quotes)]
    lines = [part[span.start : span.end] for span in spans]
    for span, line, below in zip(spans, lines, [*lines, ""][1:], strict=True):
        if line.startswith("|"):
            if below.startswith("|") and _RULER.fullmatch(below):
                header = line
            elif not _RULER.fullmatch(line):
                yield _row(line, header, start + span.start)
            continue
        header = ""
        if HEADING.match(line) or _RULER.fullmatch(line) or (line.endswith(":") and len(line) < 200):
            continue
        lead = _LEAD.match(line)
        skipped = lead.end() if lead else 0
        if forms(line[skipped:]):
            yield Statement(start + span.start + skipped, start + span.end, line[skipped:])


def _row(line: str, header: str, start: int) -> Statement:
    """Return a row without the bars around it; it is checked as it is said with the names of its columns."""
    inner = line.strip().strip("|").strip()
    first = line.index(inner) if inner else 0
    said = said_row(header, line) if header and named_cells(header, line) else inner
    return Statement(start + first, start + first + len(inner), said, "row")


def _closed(text: str, quotes: Sequence[str]) -> Iterator[Span]:
    """Find the sentences, with one more where a quote ends."""
    closing = [
        quote for quote in quotes if quote.endswith((".", "!", "?")) and len(forms(quote)) >= LEAST_RUN
    ]
    places = [place.end() for quote in closing for place in re.finditer(re.escape(quote) + r"(?=\s)", text)]
    ends = sorted(set(places))
    for start, last in sentences(text):
        for end in ends:
            if start < end < last:
                yield Span(start, end)
                start = end + len(text[end:last]) - len(text[end:last].lstrip())
        yield Span(start, last)


def _values(text: str) -> Iterator[Statement]:
    """Return the values of a text that is JSON, each with the names it stands under."""
    names: list[str] = [""]
    tokens = [*_TOKEN.finditer(text)]
    for place, token in enumerate(tokens):
        sign = token.group()
        if sign in "{[":
            names.append("")
        elif sign in "}]":
            names.pop()
        elif sign == ":" or sign == ",":
            continue
        elif place + 1 < len(tokens) and tokens[place + 1].group() == ":" and sign.startswith('"'):
            names[-1] = str(json.loads(sign))
        else:
            value = json.loads(sign)
            if value not in (None, ""):
                under = " ".join(re.sub(r"[_\W]+", " ", name) for name in names if name)
                said = value if isinstance(value, str) else sign
                yield Statement(*token.span(), f"{under}: {said}" if under else said, "value")

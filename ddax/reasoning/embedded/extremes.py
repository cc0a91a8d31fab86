"""The row of a table with the most or the least of a column: "Which room has the most seats?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ddax.memory.chunks import CHUNK_CHARS, SENTENCE_CHARS
from ddax.reasoning.embedded.columns import DEPTH, HEIGHT, LENGTH, PRICES, WEIGHT, WIDTH
from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.question import Question
from ddax.reasoning.embedded.sentences import Sentence
from ddax.reasoning.embedded.text import terms

_MOST = "most|largest|biggest|highest|greatest|heaviest|dearest|longest|tallest|deepest|widest"
_LEAST = "fewest|least|smallest|lowest|lightest|cheapest|shortest|narrowest"
_EXTREME = re.compile(
    rf"\b(?:(?P<most>{_MOST})|(?P<least>{_LEAST}))\b(?: (?P<noun>[^\W\d_]+))?", re.IGNORECASE
)
_WHICH = re.compile(r"\W*(?:which|what|who)\b", re.IGNORECASE)
_SAID = {
    "heaviest": WEIGHT, "lightest": WEIGHT, "longest": LENGTH, "shortest": LENGTH | HEIGHT,
    "tallest": HEIGHT, "highest": HEIGHT, "deepest": DEPTH, "widest": WIDTH, "narrowest": WIDTH,
    "cheapest": PRICES, "dearest": PRICES, "expensive": PRICES,
}  # fmt: skip
"""What the column is called by which an adjective compares."""
_NUMBER = re.compile(r"\D{0,4}?\s*([+\-−]?\d+(?:,\d{3})*(?:\.\d+)?)\s*[^\W\d_]{0,10}\.?")


def asks_extreme(question: Question) -> bool:
    """Tell whether it is asked which of several has the most or the least of something."""
    return _WHICH.match(question.text) is not None and _EXTREME.search(question.text) is not None


def extreme(question: Question, weighed: Sequence[Weighed]) -> tuple[Weighed, str] | None:
    """Find the row with the most or the least of the column asked for, where its whole table was read."""
    match = _EXTREME.search(question.text)
    if not asks_extreme(question) or match is None:
        return None
    found = [row for rows in _tables(weighed) if (row := _end_of(rows, match))]
    return found[0] if len(found) == 1 else None


def _tables(weighed: Sequence[Weighed]) -> list[list[Weighed]]:
    """Return the tables of which all rows were read, row by row."""
    tables: dict[tuple[str, int], list[Weighed]] = {}
    for item in sorted(weighed, key=lambda own: own.sentence.start):
        if item.sentence.cells and item.sentence.header is not None and not item.sentence.code:
            tables.setdefault((item.sentence.passage.source, item.sentence.header.start), []).append(item)
    return [rows for rows in tables.values() if len(rows) > 1 and _is_whole([row.sentence for row in rows])]


def _is_whole(rows: Sequence[Sentence]) -> bool:
    """Tell whether rows stand behind each other, and behind the last one no other can."""
    header, page = rows[0].header, rows[-1].passage
    if header is None or header.passage != page or rows[0].place != header.place:
        return False
    if any(row.passage != page or later.place != row.place + 1 for row, later in pairwise(rows)):
        return False
    behind = page.text[rows[-1].end - page.start :].strip("| \t\r\n")
    return bool(behind) or len(page.text) <= CHUNK_CHARS - SENTENCE_CHARS


def _end_of(rows: Sequence[Weighed], match: re.Match[str]) -> tuple[Weighed, str] | None:
    """Return the one row at the end of the column that is asked for, and what it is called."""
    place = _column(rows[0].sentence, match)
    values = [value for row in rows if (value := _value(row.sentence.cells, place)) is not None]
    if place < 1 or len(values) < len(rows):
        return None
    best = max(values) if match["most"] else min(values)
    row = rows[values.index(best)]
    return (row, row.sentence.cells[0][1]) if values.count(best) == 1 else None


def _column(row: Sentence, match: re.Match[str]) -> int:
    """Return the place of the one column whose name says what is compared; 0 where none or several do."""
    noun, adjective = (match["noun"] or "").lower(), (match["most"] or match["least"]).lower()
    for wanted in (frozenset(terms(noun)), *(_SAID[word] for word in (noun, adjective) if word in _SAID)):
        places = [place for place, (name, _) in enumerate(row.cells) if not wanted.isdisjoint(terms(name))]
        if len(places) == 1:
            return places[0]
    return 0


def _value(cells: Sequence[tuple[str, str]], place: int) -> float | None:
    match = _NUMBER.fullmatch(cells[place][1]) if place < len(cells) else None
    return float(match[1].replace(",", "").replace("−", "-")) if match else None

"""The row of a table with the most or the least of a column: "Which room has the most seats?"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isclose

from ddax.reasoning.embedded.columns import (
    AGE,
    DEPTH,
    HEIGHT,
    LENGTH,
    MADE,
    PRICES,
    SPEED,
    TIME,
    WEIGHT,
    WIDTH,
)
from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.sentences import Sentence
from ddax.text.chunks import CHUNK_CHARS, SENTENCE_CHARS
from ddax.text.question import Question
from ddax.text.units import pointed, quantity
from ddax.text.words import terms, words

_WHICH = re.compile(r"\W*(?:which|what|who|welche[rsmn]?|wer)\b", re.IGNORECASE)
_COMPARED: Mapping[str, tuple[tuple[frozenset[str], bool], ...]] = {
    "heavier heaviest": ((WEIGHT, True),), "lighter lightest": ((WEIGHT, False),),
    "longer longest": ((LENGTH, True), (TIME, True)),
    "shorter shortest": ((LENGTH | HEIGHT, False), (TIME, False)),
    "taller tallest higher highest": ((HEIGHT, True),), "deeper deepest": ((DEPTH, True),),
    "wider widest": ((WIDTH, True),), "narrower narrowest": ((WIDTH, False),),
    "cheaper cheapest": ((PRICES, False),), "dearer dearest expensive": ((PRICES, True),),
    "faster fastest quicker quickest": ((SPEED, True), (TIME, False)),
    "slower slowest": ((SPEED, False), (TIME, True)),
    "older oldest": ((AGE, True), (MADE, False)), "younger youngest": ((AGE, False), (MADE, True)),
    "newer newest": ((MADE, True),),
    "more most larger largest bigger biggest greater greatest": (),
    "fewer fewest less least smaller smallest lower lowest": (),
}  # fmt: skip
"""What the column is called by which an adjective compares, and whether the most of it is meant."""
_GERMAN: Mapping[str, str] = {
    "schwerste": "heaviest", "leichteste": "lightest", "längste": "longest", "kürzeste": "shortest",
    "höchste": "highest", "tiefste": "deepest", "breiteste": "widest", "schmalste": "narrowest",
    "billigste": "cheapest", "günstigste": "cheapest", "teuerste": "dearest", "schnellste": "fastest",
    "langsamste": "slowest", "älteste": "oldest", "jüngste": "youngest", "neueste": "newest",
    "meiste": "most", "größte": "largest", "wenigste": "fewest", "kleinste": "smallest",
    "niedrigste": "lowest",
}  # fmt: skip
_ENGLISH = {f"{form}{ending}": said for form, said in _GERMAN.items() for ending in ("", "n", "r", "s", "m")}
"""German forms, by the English one that asks the same."""
_BY = {form: columns for forms, columns in _COMPARED.items() for form in forms.split()}
_LITTLE = frozenset(
    ["fewer", "fewest", "less", "least", "smaller", "smallest", "lower", "lowest", "shorter", "shortest",
     "lighter", "lightest", "narrower", "narrowest", "cheaper", "cheapest"]
)  # fmt: skip
"""Forms by which the least is asked for of a column that is named itself: "the lowest price"."""
_SAID = re.compile(rf"\b({'|'.join((*_BY, *_ENGLISH))})\b(?: (?P<noun>[^\W\d_]+))?", re.IGNORECASE)

_SUM = re.compile(
    r"\W*(?:(?:grand |sub-?)?total|sum|overall|all|average|mean|gesamt|insgesamt|summe)\b", re.IGNORECASE
)
"""What the row of a sum is called."""


def is_sum(name: str) -> bool:
    """Tell whether a row is called as the sum of the others is."""
    return _SUM.match(name) is not None


def compared_by(text: str) -> list[frozenset[str]]:
    """Return what the columns are called by which the adjectives of a text compare: "heavier than 5 kg"."""
    return [columns for match in _SAID.finditer(text) for columns, _ in _BY[_form(match)]]


def asks_extreme(question: Question) -> bool:
    """Tell whether it is asked which of several has the most or the least of something."""
    match = _SAID.search(question.text)
    return match is not None and _form(match).endswith("st") and _WHICH.match(question.text) is not None


def _form(match: re.Match[str]) -> str:
    """Return the English form by which is compared."""
    said = match[1].lower()
    return _ENGLISH.get(said, said)


def extreme(question: Question, weighed: Sequence[Weighed]) -> tuple[Weighed, str] | None:
    """Find the row with the most or the least of the column asked for, where its whole table was read."""
    match = _SAID.search(question.text)
    if not asks_extreme(question) or match is None:
        return None
    found = [rows for rows in tables(weighed) if _column(rows[0].sentence, match)[0] > 0]
    if len(found) > 1:
        found = [rows for rows in found if _is_of(question, rows[0].sentence)]
    return _end_of(found[0], match, head=question.head) if len(found) == 1 else None


def _is_of(question: Question, row: Sentence) -> bool:
    """Tell whether a question says what the rows of a table are: by its first column, heading or title."""
    heading = row.heading.plain if row.heading else ""
    return not set(terms(f"{row.cells[0][0]} {heading} {row.subject}")).isdisjoint(question.terms)


def higher(question: Question, weighed: Sequence[Weighed]) -> list[Weighed]:
    """Find the two rows that a question names and compares by a column, first the one it asks for."""
    match = _SAID.search(question.text)
    if match is None or len(question.options) != 2:
        return []
    found = [
        [item for item in weighed if any(words(cell) == words(name) for _, cell in item.sentence.cells)]
        for name in question.options
    ]
    rows = [row for rows in found for row in rows]
    headers = {(row.sentence.passage.source, row.sentence.header) for row in rows}
    if [len(rows) for rows in found] != [1, 1] or len(headers) != 1:
        return []
    end = _end_of(rows, match, head="")
    return sorted(rows, key=lambda row: row is not end[0]) if end else []


def tables(weighed: Sequence[Weighed]) -> list[list[Weighed]]:
    """Return the tables of which all rows were read, row by row."""
    found: dict[tuple[str, int], list[Weighed]] = {}
    for item in sorted(weighed, key=lambda own: own.sentence.start):
        if item.sentence.cells and item.sentence.header is not None and not item.sentence.code:
            found.setdefault((item.sentence.passage.source, item.sentence.header.start), []).append(item)
    return [rows for rows in found.values() if len(rows) > 1 and _is_whole([row.sentence for row in rows])]


def _is_whole(rows: Sequence[Sentence]) -> bool:
    """Tell whether rows stand behind each other, and behind the last one no other can."""
    header, page = rows[0].header, rows[-1].passage
    if header is None or header.passage != page or rows[0].place != header.place:
        return False
    if any(row.passage != page or later.place != row.place + 1 for row, later in pairwise(rows)):
        return False
    behind = page.text[rows[-1].end - page.start :].strip("| \t\r\n")
    return bool(behind) or len(page.text) <= CHUNK_CHARS - SENTENCE_CHARS


def _end_of(rows: Sequence[Weighed], match: re.Match[str], *, head: str) -> tuple[Weighed, str] | None:
    """Return the one row at the end of the column that is asked for, and what it is called.

    There is none where several rows are parts of what is called so, or one is their sum.
    """
    named = names_of([row.sentence for row in rows], head)
    if len(set(map(tuple, map(words, named)))) < len(rows) or any(map(is_sum, named)):
        return None
    place, largest = _column(rows[0].sentence, match)
    told = values_of([row.sentence for row in rows], place) if place > 0 else []
    known = [value for value in told if value is not None]
    # Kilograms and centimetres, or a number beside another one with a unit, cannot be compared.
    if not known or len(known) < len(rows) or len({kind for kind, _ in known}) > 1:
        return None
    values = [value for _, value in known]
    best = max(values) if largest else min(values)
    if sum(isclose(value, best) for value in values) > 1:
        return None
    at = values.index(best)
    return rows[at], named[at]


def names_of(rows: Sequence[Sentence], head: str) -> list[str]:
    """Return what rows are called: in the column of what is asked for, else in the first."""
    asked = set(terms(head))
    places = [place for place, (name, _) in enumerate(rows[0].cells) if asked and asked <= set(terms(name))]
    place = places[0] if places else 0
    return [row.cells[place][1] if place < len(row.cells) else "" for row in rows]


def value_asked(question: Question, row: Sentence) -> tuple[str, float] | None:
    """Return the kind and value of a row in the column by which a question compares, if it has one."""
    match = _SAID.search(question.text)
    place = _column(row, match)[0] if match else 0
    return next(iter(values_of([row], place)), None) if place > 0 else None


def _column(row: Sentence, match: re.Match[str]) -> tuple[int, bool]:
    """Return the place of the one column by which is compared, and whether its most is asked for.

    The place is 0 where no column or several are called so.
    """
    noun, said = (match["noun"] or "").lower(), _form(match)
    most = said not in _LITTLE
    compared = [(own, largest == most) for own, largest in _BY.get(noun, ())] or _BY[said]
    for wanted, largest in ((frozenset(terms(noun)), most), *compared):
        places = [place for place, (name, _) in enumerate(row.cells) if not wanted.isdisjoint(terms(name))]
        if len(places) == 1 and places[0] > 0:
            return places[0], largest
    return 0, most


def values_of(rows: Sequence[Sentence], place: int) -> list[tuple[str, float] | None]:
    """Return the kind and value of each row in a column, if it is known how its numbers are written."""
    cells = [row.cells[place] if place < len(row.cells) else ("", "") for row in rows]
    written = pointed([cell for _, cell in cells]) or []
    return [quantity(cell, name) for cell, (name, _) in zip(written, cells, strict=False)]

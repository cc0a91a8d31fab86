"""Which rows of a table meet a bound, how many they are, and what a column adds up to."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from ddax.reasoning.embedded.columns import meant_by
from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.extremes import compared_by, is_sum, names_of, tables, values_of
from ddax.reasoning.embedded.sentences import Sentence
from ddax.text.question import Question
from ddax.text.units import is_money, quantity, unit_before, unit_of
from ddax.text.words import fold, stem, terms, words

MOST_WORDS = 60
"""Words of the rows that are quoted at most: what is computed is computed of what can be checked."""
_OVER = (
    "more than|over|above|exceeds?|exceeding"
    "|(?:high|larg|long|heavi|old|great|bigg|deep|fast|tall|wid)e?r than"
)
_UNDER = "less than|fewer than|under|below|(?:low|small|short|light|young|cheap|slow|narrow)e?r than"
_BOUND = re.compile(
    rf"\b(?:(?P<over>{_OVER})|(?P<under>{_UNDER})|(?P<least>at least|no less than|no fewer than)"
    r"|(?P<most>at most|no more than|up to)|(?P<same>exactly))"
    r" (?P<bound>[€$£]? ?\d[\d.,]*(?: ?(?!(?:in|of|on|for|from|at|each|per)\b)(?:[^\W\d_]+|[€$£%]))?)",
    re.IGNORECASE,
)
_HOLDS: Mapping[str, Callable[[float, float], bool]] = {
    "over": operator.gt, "under": operator.lt, "least": operator.ge, "most": operator.le, "same": operator.eq,
}  # fmt: skip
_SOLD_OUT = re.compile(r"\b(?:out of stock|sold out|not in stock|unavailable)\b", re.IGNORECASE)
_IN_STOCK = re.compile(r"\bin stock\b", re.IGNORECASE)
_STOCK = frozenset(terms("stock quantity qty inventory available availability"))
_TOTAL = re.compile(
    r"\b(?P<sum>total|sum|combined|altogether|together)\b|\b(?P<mean>average|mean)\b", re.IGNORECASE
)
_SUMS = "total|sum|average|mean|combined|together|altogether"
_ASKED = re.compile(
    r"\W*(?:how many (?P<counted>[^\W\d_]+)"
    r"|(?:which|what) (?:of the )?(?P<listed>(?!(?:is|are|was|were|does|do|did)\b)[^\W\d_]+)"
    r"|(?P<who>who)(?! (?:is|was|are|were)\b)"
    rf"|(?:what(?:['’]s| is| are)|how (?:much|high|large|big) (?:is|are)) (?=[\w -]*\b(?:{_SUMS})\b))",
    re.IGNORECASE,
)
_LIGHT = frozenset(
    terms(
        "total sum combined altogether together average mean more less fewer over under above below least"
        " most than exactly cost costs weigh weighs exist exists list listed count table row rows entry"
        " entries there number amount value out cheaper dearer higher lower longer shorter heavier lighter"
        " older younger larger smaller greater bigger deeper faster slower taller wider narrower exceed"
        " exceeds exceeding up available unavailable stock hold holds contain contains offer offers named"
        " take takes come comes work works live lives belong belongs"
    )
)
"""What only says how rows are chosen or added up."""
_BEHIND = re.compile(r"\d[ -]?([^\W\d].*)")
_NAMES = frozenset(terms("name names person people employee member who"))
"""What the first column is called where its rows are persons."""

_PEOPLE = frozenset(terms("people persons members employees colleagues"))


@dataclass(frozen=True)
class _Table:
    """The rows of a table that were read whole, and what each is called."""

    rows: tuple[Weighed, ...]
    names: tuple[str, ...]

    @property
    def header(self) -> list[str]:
        """Return the names of its columns."""
        return [name for name, _ in self.rows[0].sentence.cells]

    def values(self, place: int) -> list[tuple[str, float]]:
        """Return the kind and value of each row in a column; none where one has none or another kind."""
        told = [value for value in values_of([row.sentence for row in self.rows], place) if value]
        return told if len(told) == len(self.rows) and len({kind for kind, _ in told}) == 1 else []

    def cell(self, row: int, place: int) -> str:
        """Return a cell; empty where a row ends before it."""
        cells = self.rows[row].sentence.cells
        return cells[place][1] if place < len(cells) else ""


def asked_rows(question: Question, weighed: Sequence[Weighed]) -> tuple[tuple[Weighed, ...], str] | None:
    """Find the rows that a question chooses or counts, or a column that it adds up; None where it does not.

    Only a table of which every row was read is asked, and only where its rows can be quoted.
    """
    asked = _ASKED.match(question.text)
    if asked is None or question.german or not all(map(terms, question.names)):
        return None  # a name without a word of its own, as "May", is not looked up
    found = [
        told
        for rows in tables(weighed)
        if (table := _table(rows, question))
        and _is_of(table, asked)
        and (told := _answer(question, asked, table, weighed))
    ]
    if len(found) != 1 or sum(len(row.sentence.told.split()) for row in found[0][0]) > MOST_WORDS:
        return None
    return found[0]


def _table(rows: Sequence[Weighed], question: Question) -> _Table | None:
    names = names_of([row.sentence for row in rows], question.head)
    kept = [(row, name) for row, name in zip(rows, names, strict=True) if name and not is_sum(name)]
    return _Table(tuple(row for row, _ in kept), tuple(name for _, name in kept)) if kept else None


def _is_of(table: _Table, asked: re.Match[str]) -> bool:
    """Tell whether a question names what the rows of a table are; a total names its column alone.

    They are what their first column is called, or several of it what stands above: "Products".
    """
    line = table.rows[0].sentence
    first = frozenset(terms(line.cells[0][0]))
    if asked["who"]:
        return not first.isdisjoint(_NAMES)
    noun = fold(asked["counted"] or asked["listed"] or "")
    people = stem(noun) in _PEOPLE and not first.isdisjoint(_NAMES)
    several = {stem(word) for word in words(_above(line)) if stem(word) != word}
    return not noun or people or stem(noun) in first | several


def _above(line: Sentence) -> str:
    return f"{line.heading.plain if line.heading else ''} {line.subject} {line.passage.title}"


def _answer(
    question: Question, asked: re.Match[str], table: _Table, weighed: Sequence[Weighed]
) -> tuple[tuple[Weighed, ...], str] | None:
    total = _TOTAL.search(question.text)
    if total and not (asked["counted"] or asked["listed"] or asked["who"]):
        return _added(question, table, mean=bool(total["mean"]))
    chosen = _chosen(question, table)
    if chosen is None:
        return None
    rows = tuple(table.rows[row] for row in chosen)
    if len(rows) == len(table.rows) and not _bounds(question.text):
        # That every row is chosen answers how many there are, and no other question.
        return (
            (rows, str(len(rows))) if asked["counted"] and _is_all(question, asked, table, weighed) else None
        )
    said = str(len(rows)) if asked["counted"] else ", ".join(table.names[row] for row in chosen) or "none"
    return rows or table.rows, said


def _is_all(question: Question, asked: re.Match[str], table: _Table, weighed: Sequence[Weighed]) -> bool:
    """Tell whether a table lists all that is counted: its heading says so, and no sentence another number."""
    line, noun = table.rows[0].sentence, stem(fold(asked["counted"]))
    heading = line.heading.plain if line.heading and line.heading.plain != line.subject else ""
    counted = re.compile(r"\d (?:[^\W\d_]+ )?([^\W\d_]+)")
    others = (item.sentence for item in weighed if not item.sentence.cells)
    return set(terms(heading)) <= {*question.terms, noun} and not any(
        stem(fold(found)) == noun for other in others for found in counted.findall(other.text)
    )


def _chosen(question: Question, table: _Table) -> list[int] | None:
    """Return the places of the rows that meet all that a question says of them; None where it says more."""
    chosen, left = list(range(len(table.rows))), _left(question, table)
    if bound := _BOUND.search(question.text):
        met = _meeting(question, table, bound)
        if met is None:
            return None
        chosen, left = met, left - frozenset(terms(bound["bound"]))
    elif (sold_out := _SOLD_OUT.search(question.text)) or _IN_STOCK.search(question.text):
        stocked = _stocked(table)
        if stocked is None:
            return None
        chosen = [row for row, value in enumerate(stocked) if (value == 0) == bool(sold_out)]
    return _named(table, chosen, left) if left else chosen


def _bounds(text: str) -> bool:
    return any(form.search(text) for form in (_BOUND, _SOLD_OUT, _IN_STOCK))


def _left(question: Question, table: _Table) -> frozenset[str]:
    """Return what a question says beside the names of the columns, and of what stands above them."""
    known = terms(" ".join([*table.header, _above(table.rows[0].sentence)]))
    people = _NAMES | _PEOPLE if not _NAMES.isdisjoint(known) else frozenset[str]()
    meant = (words for words in _meant(question) if any(_called(name, words) for name in table.header))
    return frozenset(question.terms).difference(known, _LIGHT, people, *meant)


def _meant(question: Question) -> list[frozenset[str]]:
    """Return what the columns are called that a question asks for by a verb or an adjective."""
    return [*meant_by(frozenset(question.terms)), *compared_by(question.text)]


def _called(name: str, said: AbstractSet[str]) -> bool:
    return not said.isdisjoint(terms(name))


def _named(table: _Table, chosen: Sequence[int], left: frozenset[str]) -> list[int] | None:
    """Return the rows of which one column says all that is left of a question; None where none does."""
    for place in range(1, len(table.header)):
        saying = {row for row in range(len(table.rows)) if _says(table.cell(row, place), left)}
        if saying:
            return [row for row in chosen if row in saying]
    return None


def _says(cell: str, left: AbstractSet[str]) -> bool:
    """Tell whether a cell, or one of several that stand in it, is what is left: no "Deputy director"."""
    return any(set(terms(part)) == left for part in re.split(r"[,;/&]| and ", cell))


def _meeting(question: Question, table: _Table, bound: re.Match[str]) -> list[int] | None:
    """Return the rows whose value in the column asked for meets a bound; None where that is not sure."""
    limit = quantity(bound["bound"].strip().rstrip(".,"))
    if limit is None:
        return None
    compared = [
        told
        for place in _columns(question, table) or range(1, len(table.header))
        if (told := table.values(place)) and _comparable(limit[0], told[0][0], table.header[place])
    ]
    if len(compared) != 1 or (not limit[0] and not _columns(question, table)):
        return None
    holds = next(compare for name, compare in _HOLDS.items() if bound[name])
    return [row for row, (_, value) in enumerate(compared[0]) if holds(value, limit[1])]


def _comparable(kind: str, own: str, column: str) -> bool:
    """Tell whether a bound is of the kind of a column; a word that the column is called by is no unit."""
    return kind == own or not kind or (not own and set(terms(kind)) <= set(terms(column)))


def _stocked(table: _Table) -> list[float] | None:
    places = [place for place, name in enumerate(table.header) if place and _called(name, _STOCK)]
    told = table.values(places[0]) if len(places) == 1 else []
    return [value for _, value in told] or None


def _columns(question: Question, table: _Table) -> list[int]:
    """Return the place of the column that a question names, else of those that it means by its verb."""
    columns = list(enumerate(table.header))[1:]
    named = [place for place, name in columns if _called(name, frozenset(question.terms))]
    meant = [place for place, name in columns if any(_called(name, words) for words in _meant(question))]
    return named if len(named) == 1 else meant


def _added(question: Question, table: _Table, *, mean: bool) -> tuple[tuple[Weighed, ...], str] | None:
    """Return every row and the sum or the mean of the column asked for; a number without a unit or money."""
    places = _columns(question, table)
    told = table.values(places[0]) if len(places) == 1 else []
    if not told or _left(question, table):
        return None
    unit, factor = _written_in(told[0][0], table.cell(0, places[0]))
    total = sum(value for _, value in told) / (len(told) if mean else 1) / factor
    written = f"{total:,.2f}".rstrip("0").rstrip(".") if not is_money(told[0][0]) else f"{total:,.2f}"
    return table.rows, f"{written} {unit}".strip()


def _written_in(kind: str, cell: str) -> tuple[str, float]:
    """Return the unit of a sum, which is that of the first cell or money, and how much one of it is."""
    behind = _BEHIND.search(cell)
    unit = unit_before(behind[1]) if behind else ""
    return (unit, unit_of(unit)[1]) if unit and unit_of(unit)[0] == kind else (kind, 1.0)

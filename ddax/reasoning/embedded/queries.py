"""What a question asks of a table: a cell, the rows that meet it, their number or sum, or the last of them.

One small model: every word of the question is looked for among the names of the columns, in the cells, in
what stands above the table, and in the words by which rows are chosen. `explained` says how much of the
question was found so; what is left over makes an answer doubtful, and `scorer` weighs that.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.spans import DATE
from ddax.reasoning.embedded.tables import SIZES, Row, Table, said_in
from ddax.text.question import Question
from ddax.text.units import is_money, quantity
from ddax.text.words import fold, stem, terms, words

MOST_ROWS = 12
"""Rows that a list may have: what is told is to be checked by its reader."""
_YEARS = SIZES[-1]
_LESS = frozenset(
    [
     "light", "short", "cheap", "low", "narrow", "shallow", "slow", "young", "few", "little", "small",
     "least", "schmal", "leicht", "kurz", "billig", "niedrig", "langsam", "jung", "wenig", "klein",
    ]
)  # fmt: skip
_MORE = frozenset(
    [
     "heavy", "long", "expensive", "dear", "high", "tall", "wide", "broad", "deep", "fast", "quick", "old",
     "new", "large", "big", "great", "many", "much", "most", "late", "early", "schwer", "lang", "teuer",
     "hoch", "tief", "breit", "schnell", "alt", "neu", "groß", "viel", "meist",
    ]
)  # fmt: skip
_EXTREME = re.compile(
    r"\b(?<!at )(?:(?P<most>most|meisten?)|(?P<least>least|fewest|wenigsten?)"
    r"|(?P<form>[a-zäöüß]{2,}(?:e?ste?[nrms]?)))\b"
    r"(?:\s+(?P<noun>[^\W\d_]+))?",
    re.IGNORECASE,
)
_OVER = r"(?:more|greater|higher|larger|longer|heavier|older|taller|deeper|later|bigger|wider|faster) than"
_UNDER = r"(?:less|fewer|lower|smaller|shorter|lighter|younger|cheaper|earlier|narrower|slower) than"
_BOUND = re.compile(
    rf"\b(?:(?P<least>at least|no (?:less|fewer) than)|(?P<most>at most|no more than|up to)"
    rf"|(?P<over>{_OVER}|over|above|exceed(?:s|ing)?|after)|(?P<under>{_UNDER}|under|below|before)"
    r"|(?P<same>exactly)) (?P<bound>[€$£]? ?\d[\d.,]*(?: ?(?!(?:in|of|on|for|from|at|each|per)\b)"
    r"(?:[^\W\d_]+|[€$£%]))?)",
    re.IGNORECASE,
)
_HOLDS: Mapping[str, Callable[[float, float], bool]] = {
    "over": operator.gt, "under": operator.lt, "least": operator.ge, "most": operator.le, "same": operator.eq,
}  # fmt: skip
_COUNT = re.compile(
    r"\bhow many\s+([^\W\d_]+)|\bnumber of\s+([^\W\d_]+)|\bwie\s*viele\s+([^\W\d_]+)", re.IGNORECASE
)
_SUM = re.compile(
    r"\b(?:(?P<sum>total|sum|altogether|combined|together)|(?P<mean>average|mean))\b", re.IGNORECASE
)
_LIST = re.compile(r"\W*(?:which|what|who|name|list|welche)\b", re.IGNORECASE)
_LIGHT = frozenset(
    terms(
        "total sum average mean most least more less than there number amount many much list listed table row"
        " entries have has hold offer take come work live belong cost weigh exist out"
    )
)
"""Words that only say how rows are chosen or joined to their values."""


@dataclass(frozen=True)
class Told:
    """What a table says: operation, lines it rests on, short answer, share of the question explained."""

    op: str
    lines: tuple[Weighed, ...]
    short: str
    explained: float
    rows: int


def ask(question: Question, table: Table, weights: Mapping[str, float]) -> Told | None:
    """Ask a table; None where the question says nothing of it."""
    if not table.rows or len(table.columns) < 2:
        return None
    query = _Query(question, table)
    rows, cells = (list(table.rows), frozenset[str]()) if question.options else query.chosen()
    bound = _BOUND.search(question.text)
    if bound:
        rows = query.meeting(rows, bound)
    if not rows:
        return None
    told = _computed(query, rows, cells, bound=bound is not None)
    if told is None:
        return None
    op, kept, short, used = told
    met = query.above | cells | used | _LIGHT
    whole = sum(weights[term] for term in question.terms) or 1.0
    explained = sum(weights[term] for term in question.terms if term in met) / whole
    lines = tuple(line for row in kept for line in row.lines)
    return Told(op, lines, short, explained, len(kept))


class _Query:
    """A question held against one table."""

    def __init__(self, question: Question, table: Table) -> None:
        self.question, self.table = question, table
        letters = {word for name in question.names for word in words(name) if len(word) == 1}
        self.asked = frozenset(question.terms) | letters
        self.above = frozenset(terms(table.about)) | {stem(w) for w in words(table.about)}

    def chosen(self) -> tuple[list[Row], frozenset[str]]:
        """Return the rows whose cells say what the question says of them, and the words by which they do."""
        named = frozenset[str]().union(*self.table.named)
        held = {
            term: [row for row in self.table.rows if any(term in cell for cell in row.said)]
            for term in self.asked - _LIGHT
        }
        bounds = {
            stem(word) for match in _BOUND.finditer(self.question.text) for word in words(match["bound"])
        }
        telling = {
            t: rows
            for t, rows in held.items()
            if rows and t not in bounds and (t not in named or len(rows) == 1)
        }
        rows = [row for row in self.table.rows if all(row in found for found in telling.values())]
        if not rows:
            return [], frozenset()
        exact = [row for row in rows if any(part and part <= self.asked for part in row.parts)]
        return (exact if telling and exact else rows), frozenset(telling)

    def columns(self, *, but: frozenset[str] = frozenset()) -> list[int]:
        """Return the columns that a question names, best first; else those of a kind that it means."""
        left = self.asked - but
        hits = [(len(name & left), -place) for place, name in enumerate(self.table.named)]
        named = [-place for count, place in sorted(hits, reverse=True) if count]
        return named or self.meant()

    def meant(self) -> list[int]:
        """Return the columns that a question means by a word of their kind: a price by "cost"."""
        said = {
            stem(form) for word in words(self.question.text) for form in (word, re.sub("i?er$", "", word))
        }
        meant = [size for size in SIZES if not size.isdisjoint(said)]
        return [
            p for p, name in enumerate(self.table.named) if any(not size.isdisjoint(name) for size in meant)
        ]

    def meeting(self, rows: Sequence[Row], bound: re.Match[str]) -> list[Row]:
        """Return the rows whose value meets a bound, in the one column that can be compared with it."""
        limit = quantity(bound["bound"].strip().rstrip(".,"))
        if limit is None:
            return []
        tried = ([p for p in self.columns() if p], self.meant(), [*range(1, len(self.table.columns))])
        found = ([p for p in places if self._comparable(p, rows, limit[0])] for places in tried)
        places = next(filter(None, found), [])
        if len(places) != 1:
            return []
        values = self.table.values(places[0], rows)
        holds = next(compare for name, compare in _HOLDS.items() if bound[name])
        return [row for row, value in zip(rows, values, strict=True) if holds(value, limit[1])]

    def _comparable(self, place: int, rows: Sequence[Row], kind: str) -> bool:
        own = self.table.kind(place, rows[0])
        alike = kind == own or not kind or (not own and set(terms(kind)) <= set(self.table.named[place]))
        return alike and bool(self.table.values(place, rows))


Computed = tuple[str, Sequence[Row], str, frozenset[str]]
"""The operation, the rows it rests on, the short answer, and the words of the question it takes up."""


def _computed(query: _Query, rows: Sequence[Row], cells: frozenset[str], *, bound: bool) -> Computed | None:
    text, table = query.question.text, query.table
    used = _bound_words(text) if bound else frozenset[str]()
    if (end := _end(query, rows)) is not None:
        return end
    if added := _SUM.search(text):
        return _added(query, rows, mean=bool(added["mean"])) if table.whole else None
    if count := _COUNT.search(text):
        return _counted(query, rows, next(filter(None, count.groups())), used)
    if len(rows) == 1 and (cells or bound):
        return _cell(query, rows[0], cells, used)
    several = query.question.kind not in ("number", "date") and _LIST.match(text)
    if table.whole and len(rows) <= MOST_ROWS and (bound or cells) and several:
        place = next(iter(_of_head(query)), table.called)
        return "list", rows, ", ".join(row.cells[place] for row in rows), used | table.named[place]
    return None


def _bound_words(text: str) -> frozenset[str]:
    return frozenset(stem(word) for match in _BOUND.finditer(text) for word in words(match.group()))


def _of_head(query: _Query) -> list[int]:
    head = frozenset(terms(query.question.head))
    return [place for place, name in enumerate(query.table.named) if name and name <= head]


def _counted(query: _Query, rows: Sequence[Row], noun: str, used: frozenset[str]) -> Computed | None:
    """Count rows: what is counted is what they are called, or a value of the one row that is named."""
    own = frozenset(terms(noun))
    places = [place for place, name in enumerate(query.table.named) if own & name]
    if places and places[0] > 0 and len(rows) == 1:
        return "cell", rows, rows[0].cells[places[0]], used | query.table.named[places[0]]
    if not query.table.whole or not (own & (query.table.named[0] | query.above)):
        return None
    return "count", rows, str(len(rows)), used | own


def _added(query: _Query, rows: Sequence[Row], *, mean: bool) -> Computed | None:
    """Add up the column asked for."""
    for place in query.columns():
        values = query.table.values(place, rows) if place else []
        if values:
            total = sum(values) / (len(values) if mean else 1)
            kind = query.table.kind(place, rows[0])
            unit = kind if is_money(kind) else _unit(rows[0].cells[place])
            factor = values[0] / _number(rows[0].cells[place]) if unit and not is_money(kind) else 1.0
            written = f"{total / (factor or 1.0):,.2f}"
            short = written if is_money(kind) else written.rstrip("0").rstrip(".")
            return "sum", rows, f"{short} {unit}".strip(), query.table.named[place]
    return None


def _unit(cell: str) -> str:
    match = re.search(r"\d[ -]?([^\W\d].*)", cell)
    return match[1].strip() if match else ""


def _number(cell: str) -> float:
    match = re.search(r"\d[\d.,]*", cell)
    return float(match.group().replace(",", "").rstrip(".")) if match else 1.0


_COMPARED = re.compile(
    r"\b(?:(?P<most>more)|(?P<least>less|fewer)|(?P<form>[a-zäöüß]{2,}er))\b(?:\s+(?P<noun>[^\W\d_]+))?",
    re.IGNORECASE,
)
"""What sets two things against each other that are both named: "Which is heavier, the anvil or the vise?"."""


def _end(query: _Query, rows: Sequence[Row]) -> Computed | None:
    """Return the row with the most or the least of the column asked for, of a table that was read whole."""
    options = [said_in(option) for option in query.question.options]
    if options:
        rows = [row for row in query.table.rows if any(row.said[0] == option for option in options)]
    for match in (_COMPARED if options else _EXTREME).finditer(query.question.text):
        form = _base(match)
        if form is None:
            continue
        word, most = form
        for place in _compared(query, word, match["noun"] or ""):
            flip = not _YEARS.isdisjoint(query.table.named[place]) and stem(word) in _YEARS
            values = query.table.values(place, rows) if query.table.whole or options else []
            if len(values) < 2:
                continue
            largest = (word in ("new", "young", "neu", "jung", "late")) if flip else most
            best = max(values) if largest else min(values)
            at = [row for row, value in zip(rows, values, strict=True) if value == best]
            said = f"{match.group()} {word} {' '.join(query.question.options)}"
            used = query.table.named[place] | frozenset(terms(said))
            name = next(iter(_of_head(query)), query.table.called)
            return (
                ("extreme", at, at[0].cells[name], used | query.table.named[name]) if len(at) == 1 else None
            )
    return None


def _base(match: re.Match[str]) -> tuple[str, bool] | None:
    """Return the adjective of a superlative, and whether it means the most; None where it is none."""
    if match["most"] or match["least"]:
        return "", bool(match["most"])
    form = re.sub(r"(?:e?ste?[nrms]?|er)$", "", match["form"].lower())
    for word in (form, f"{form}e", re.sub(r"i$", "y", form), re.sub(r"(.)\1$", r"\1", form), fold(form)):
        if word in _LESS or word in _MORE:
            return word, word in _MORE
    return None


def _compared(query: _Query, word: str, noun: str) -> list[int]:
    """Return the columns by which an adjective compares: the noun behind it, its kind, or any named."""
    own = frozenset(terms(noun))
    named = [p for p, name in enumerate(query.table.named) if p and own & name]
    meant = [size for size in SIZES if stem(word) in size]
    of_kind = [p for p, name in enumerate(query.table.named) if p and any(size & name for size in meant)]
    asked = [p for p, name in enumerate(query.table.named) if p and name & query.asked]
    return named or of_kind or (asked if not meant else [])


def _cell(query: _Query, row: Row, cells: frozenset[str], used: frozenset[str]) -> Computed:
    """Return the one cell of a row that is asked for, else the row alone."""
    table, question = query.table, query.question
    named = [p for p in query.columns(but=cells) if row.cells[p] and not row.said[p] <= query.asked]
    if question.kind == "person" and not named:
        named = [p for p, cell in enumerate(row.cells) if _is_name(cell) and not (row.said[p] & query.asked)]
    elif question.kind == "date" and not named:
        named = [p for p, cell in enumerate(row.cells) if DATE.fullmatch(cell.strip())]
    if not named and len(table.columns) == 2:
        named = [p for p in (0, 1) if not row.said[p] & query.asked]
    place = named[0] if named else None
    if place is None or (row.said[place] and row.said[place] <= query.asked):
        return "row", [row], "", used
    size = [s for s in SIZES if s & table.named[place]]
    return "cell", [row], row.cells[place], used | table.named[place] | frozenset[str]().union(*size)


def _is_name(cell: str) -> bool:
    parts = cell.split()
    return 2 <= len(parts) <= 4 and all(part[:1].isupper() for part in parts)

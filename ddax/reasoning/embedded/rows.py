"""The cell of a table that a question names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from ddax.reasoning.embedded.columns import asked_column
from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.sentences import Sentence
from ddax.text.question import Question, said_of
from ddax.text.words import terms, words

RELATION = re.compile(
    r"\b(?:before|after|more|less|fewer|than|other|another|not|no|without|most|least|until|since|why)\b|n['’]t\b",
    re.IGNORECASE,
)
"""What asks for something else than the cell of the row that is named."""
_VERB = re.compile(
    r"\bwho\s+(\w+)|\b(?:which|what)\s+\w+\s+(\w+)|\b(?:do|does|did)\b.*?(\w+)\W*$", re.IGNORECASE
)
"""What only says what the one asked for does, or what is done with it."""
MEASURES = frozenset(terms("year date number name value amount"))
"""What only says in which form an answer is asked for."""
_IN_BRACKETS = re.compile(r"\([^()]*\)")
_VALUES = frozenset(terms("value values detail details data entry info information"))
"""What the second column of a table of fields is called."""
_NAMES = frozenset(terms("name names person"))
"""What the column of those who are asked for is called."""
_PRICED = re.compile(
    r"(?<!\W)\W*(?:how much (?:is|are|do|does)\b|what (?:do|does)\b.{0,200}\bcosts?\b)", re.IGNORECASE
)
_WHO_IS = re.compile(r"\W*who(?:['’]s| is| was| are| were) (?:the|our|your)\b", re.IGNORECASE)
_PERSON = re.compile(
    r"(?:(?:Dr|Prof|Mr|Mrs|Ms)\.? )?[A-Z\u00c0-\u00de][\w.'’-]+(?: [A-Z\u00c0-\u00de][\w.'’-]+){1,3}"
)
_UNKNOWN = frozenset(["none", "n/a", "na", "tbd", "tba", "tbc", "unknown", "vacant", "nobody", "no one"])
"""What a cell says for nobody, and for no place."""
_FITS: Mapping[str, Callable[[str], bool]] = {
    "person": lambda cell: not cell[:1].islower() and not _holds_digit(cell) and _known(cell),
    "place": lambda cell: not cell.islower() and any(map(str.isalpha, cell)) and _known(cell),
    "date": lambda cell: _holds_digit(cell),
    "number": lambda cell: _holds_digit(cell),
    "yes_no": lambda cell: False,
    "choice": lambda cell: False,
}


def asked_cell(question: Question, weighed: Sequence[Weighed]) -> tuple[Weighed, str] | None:
    """Find the cell a question names and its row; None where rows that fit say different things."""
    if RELATION.search(question.text):
        return None
    found = [(item, cell) for item in weighed if (cell := of_row(question, item.sentence))]
    return found[0] if len({cell for _, cell in found}) == 1 else None


def said_aside(question: Question, item: Weighed, weighed: Sequence[Weighed]) -> bool:
    """Tell whether a row says in brackets alone what another row is called: "Family (2 children)"."""
    line = item.sentence
    if not line.cells:
        return False
    aside = (set(terms(line.cells[0][1])) - _called(line)).intersection(question.terms)
    others = (other.sentence for other in weighed if other.sentence.cells)
    return bool(aside) and any(other.header == line.header and aside <= _called(other) for other in others)


def _called(row: Sentence) -> set[str]:
    """Return the words by which a row is called, without what stands in brackets."""
    return set(terms(_IN_BRACKETS.sub(" ", row.cells[0][1])))


def unknown_row(question: Question, weighed: Sequence[Weighed]) -> Weighed | None:
    """Find the row that says of the cell a question names that it is not known; None beside one that is."""
    if RELATION.search(question.text):
        return None
    cells = [(item, _cell(question, item.sentence)) for item in weighed]
    said = [(item, cell) for item, cell in cells if cell]
    return said[0][0] if said and not any(_known(cell) for _, cell in said) else None


def of_row(question: Question, row: Sentence) -> str:
    """Return the cell that a question names, where it says something of the kind that is asked for."""
    cell = _cell(question, row)
    return cell if cell and fits(question, cell) else ""


def _cell(question: Question, row: Sentence) -> str:
    """Return the cell that a question names: of this row, and of the column that says all else it asks."""
    said = [place for place, (_, cell) in enumerate(row.cells) if _named(question, cell)]
    if not said or row.code or row.aside - set(words(question.text)):
        return ""
    key, named = row.cells[said[0]], set(terms(row.cells[said[0]][1]))
    cells = [cell for place, cell in enumerate(row.cells) if place != said[0]]
    said_too = [row.cells[place][1] for place in said[1:]]
    known = named | set(terms(f"{row.titled} {key[0]}")) - {
        t for name, cell in cells for t in terms(f"{name} {cell}")
    }
    left = set(question.terms) - known - MEASURES - set(terms(" ".join(said_too)))
    others = [(name, cell) for name, cell in cells if cell not in said_too]
    called = asked_column(question, left)
    if left or called:
        so_called = [pair for pair in others if not called.isdisjoint(terms(pair[0]))]
        told = _below(question, left, others) if left else []
        told = told or _below(question, left - called, so_called)
    else:
        plain = _NAMES if question.kind == "person" else frozenset[str]()
        plain |= _VALUES if len(cells) == 1 else frozenset()
        told = [cell for name, cell in cells if set(terms(name)) <= plain] or _holder(question, cells)
    return told[0] if len(told) == 1 else ""


def _holder(question: Question, cells: Sequence[tuple[str, str]]) -> list[str]:
    """Return who holds the role that a row is called by: the only person in it, else what says nobody."""
    if question.kind != "person" or not _WHO_IS.match(question.text):
        return []
    people = [cell for _, cell in cells if _PERSON.fullmatch(cell)]
    return people or [cell for _, cell in cells if cell and not _known(cell)]


def lacking(question: Question, row: Weighed, weighed: Sequence[Weighed]) -> frozenset[str]:
    """Return the words of a question that neither a row nor any statement of its document says.

    Its verb may be left out: "Which boat lies at berth B1?". Of what has a price the row says all.
    """
    page, priced = row.sentence.passage.source, _PRICED.search(question.text) is not None
    said = (
        item.terms
        for item in weighed
        if item.sentence.passage.source == page and not item.sentence.label and not priced
    )
    verb = terms(" ".join(filter(None, match.groups()))) if (match := _VERB.search(question.text)) else []
    return frozenset(question.terms).difference(MEASURES, verb, row.terms, *said)


def _below(question: Question, asked: AbstractSet[str], cells: Sequence[tuple[str, str]]) -> list[str]:
    """Return the cells below names that say all that is asked."""
    return [cell for name, cell in cells if asked <= said_of(question, name)]


def _named(question: Question, cell: str) -> bool:
    """Tell whether a question says all of a cell, also the letter by which "Class B" is no "Class A"."""
    own, letters = set(terms(cell)), {word for word in words(cell) if len(word) == 1}
    return bool(own) and own <= set(terms(question.text)) and letters <= set(words(question.text))


def _known(cell: str) -> bool:
    return cell.lower().strip(" .?()") not in _UNKNOWN


def fits(question: Question, cell: str) -> bool:
    """Tell whether a cell says something of the kind that is asked for."""
    return any(map(str.isalnum, cell)) and _FITS.get(question.kind, bool)(cell)


def _holds_digit(cell: str) -> bool:
    return any(map(str.isdigit, cell))

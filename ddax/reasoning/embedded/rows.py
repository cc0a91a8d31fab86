"""The cell of a table that a question names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.question import Question
from ddax.reasoning.embedded.sentences import Sentence
from ddax.reasoning.embedded.text import terms

_RELATION = re.compile(
    r"\b(?:before|after|more|less|fewer|than|other|another|not|no|without|most|least|until|since|why)\b|n['’]t\b",
    re.IGNORECASE,
)
"""What asks for something else than the cell of the row that is named."""
_MEASURES = frozenset(terms("year date number name value amount"))
"""What only says in which form an answer is asked for."""
_VALUES = frozenset(terms("value values detail details data entry info information"))
"""What the second column of a table of fields is called."""
_FITS: Mapping[str, Callable[[str], bool]] = {
    "person": lambda cell: not cell[:1].islower() and not _holds_digit(cell),
    "place": lambda cell: not cell.islower() and any(map(str.isalpha, cell)),
    "date": lambda cell: _holds_digit(cell),
    "number": lambda cell: _holds_digit(cell),
    "yes_no": lambda cell: False,
    "choice": lambda cell: False,
}


def asked_cell(question: Question, weighed: Sequence[Weighed]) -> tuple[Weighed, str] | None:
    """Find the cell a question names and its row; None where rows that fit say different things."""
    if _RELATION.search(question.text):
        return None
    found = [(item, cell) for item in weighed if (cell := of_row(question, item.sentence))]
    return found[0] if len({cell for _, cell in found}) == 1 else None


def of_row(question: Question, row: Sentence) -> str:
    """Return the cell that a question names: of this row, and of the column that says all else it asks."""
    (key, *cells) = row.cells or [("", "")]
    named, asked = set(terms(key[1])), set(terms(question.text))
    if not cells or not named or not named <= asked:
        return ""
    said = [cell for _, cell in cells if (own := set(terms(cell))) and own <= asked]
    known = named | set(terms(f"{row.titled} {key[0]}")) - {
        t for name, cell in cells for t in terms(f"{name} {cell}")
    }
    left = set(question.terms) - known - _MEASURES - set(terms(" ".join(said)))
    if left:
        told = [cell for name, cell in cells if cell not in said and left <= set(terms(name))]
    else:
        told = [cell for name, cell in cells if len(cells) == 1 and set(terms(name)) <= _VALUES]
    return told[0] if len(told) == 1 and _fits(question, told[0]) else ""


def _fits(question: Question, cell: str) -> bool:
    """Tell whether a cell says something of the kind that is asked for."""
    return any(map(str.isalnum, cell)) and _FITS.get(question.kind, bool)(cell)


def _holds_digit(cell: str) -> bool:
    return any(map(str.isdigit, cell))

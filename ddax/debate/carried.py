"""Which quote carries a statement: in which it stands word for word, or which entails it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ddax.reasoning.entailment.words import forms, says
from ddax.reasoning.statements import LEAST_RUN, statements
from ddax.text.chunks import sentences
from ddax.text.table_rows import cells_of, named_cells, said_row
from ddax.types import EntailmentCheck

_NUMBERED = re.compile(r"\s*\d{1,3}[.)]\s")
"""How an item of a numbered list begins."""


class _Quote(NamedTuple):
    """The words of a quote, and the places among them where its sentences begin."""

    words: tuple[str, ...]
    begins: tuple[int, ...]

    @classmethod
    def read(cls, quote: str) -> _Quote:
        """Take a quote apart; an item of a numbered list begins behind its number too."""
        words: list[str] = []
        begins: list[int] = []
        for start, end in sentences(quote):
            begins.append(len(words))
            if _NUMBERED.match(quote, start):
                begins.append(len(words) + 1)
            words.extend(forms(quote[start:end]))
        return cls(tuple(words), tuple(begins))

    def says(self, title: tuple[str, ...], said: tuple[str, ...]) -> bool:
        """Tell whether a sentence begins with what is said, or says its title before that."""
        for place in range(len(self.words) - len(said) + 1 if len(said) >= LEAST_RUN else 0):
            if self.words[place : place + len(said)] == said:
                begin = max(begin for begin in self.begins if begin <= place)
                if begin == place or set(title) <= set(self.words[begin:place]):
                    return True
        return False


class Quotes:
    """Quotes taken apart, to be asked which one carries a statement; numbers count from 1, 0 is none."""

    def __init__(self, quotes: Sequence[str]) -> None:
        self._texts = quotes
        self._said, self._rows = [_Quote.read(quote) for quote in quotes], list(_rows(quotes))

    def word_for_word(self, line: str) -> int:
        """Return the number of the first quote in which a statement stands, titles before a colon left out.

        A row of a table is one as it is said with the names of its columns, where their row is quoted too.
        """
        return _verbatim(line, self._said) or _in_row(line, self._rows)

    def entailing(self, line: str, check: EntailmentCheck, least: float) -> int:
        """Return the number of the first quote that entails a statement with a confidence of `least`.

        Blocking where the check is a model.
        """
        for number, quote in enumerate(self._texts, 1):
            found = check(quote, line)
            if found.relation == "entailment" and found.confidence >= least:
                return number
        return 0


def carriers(text: str, quotes: Sequence[str], check: EntailmentCheck, *, least: float = 0.5) -> list[int]:
    """Return for each statement of a text the number of the quote that carries it, or 0."""
    known = Quotes(quotes)
    return [
        known.word_for_word(one.words) or known.entailing(one.words, check, least)
        for one in statements(text, quotes)
    ]


def short_unsupported(short: str, lines: Sequence[tuple[str, int]], quotes: Sequence[str]) -> bool:
    """Tell whether only statements that no citation carries say a short answer; `lines` have its number."""
    bare, carried = [line for line, n in lines if not n], [line for line, n in lines if n]
    return says(bare, short) and not says([*carried, *quotes], short)


def _verbatim(line: str, quotes: Sequence[_Quote]) -> int:
    """Return the number of the quote in which most of a sentence stands: all of it, or what a title leaves.

    What stands behind a title begins a sentence of the quote, or that sentence says the title before it:
    otherwise it has another name, or a condition, in the title's place.
    """
    parts = line.split(": ")
    told = [(forms(": ".join(parts[:k])), forms(": ".join(parts[k:]))) for k in range(len(parts))]
    saying = (
        number for title, said in told for number, quote in enumerate(quotes, 1) if quote.says(title, said)
    )
    return next(saying, 0)


def _rows(quotes: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...], tuple[str, ...]]]:
    """Say each row of a table with each other that may hold the names of its columns."""
    rows = [(number, quote) for number, quote in enumerate(quotes, 1) if quote.lstrip().startswith("|")]
    for number, row in rows:
        for _, header in rows:
            if header != row and named_cells(header, row):
                yield number, forms(cells_of(row)[0]), forms(said_row(header, row))


def _in_row(line: str, rows: Sequence[tuple[int, tuple[str, ...], tuple[str, ...]]]) -> int:
    """Return the number of the first row that a sentence says from its first cell on, which is its subject.

    A title may stand before that cell, but nothing in its place: another name there is another subject.
    """
    parts = line.split(": ")
    said = [words for k in range(len(parts)) if len(words := forms(": ".join(parts[k:]))) >= LEAST_RUN]
    for number, first, row in rows:
        if first and any(words[: len(first)] == first and words == row[: len(words)] for words in said):
            return number
    return 0

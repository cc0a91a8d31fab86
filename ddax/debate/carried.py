"""Which citation carries each sentence of an answer; a sentence that none carries is marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ddax.memory.chunks import Span, sentences
from ddax.memory.tables import cells_of, named_cells, said_row
from ddax.reasoning.entailment.words import forms, says
from ddax.types import EntailmentCheck
from ddax.wording import UNSUPPORTED

LEAST_RUN = 3
"""Words from which a common run is a quote and not chance."""
_NUMBERED = re.compile(r"\s*\d{1,3}[.)]\s")
"""How an item of a numbered list begins."""


class Marked(NamedTuple):
    """An answer with its marks, and for each sentence the number of its citation from 1, or 0."""

    text: str
    carried: list[int]


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


def mark(text: str, quotes: Sequence[str], check: EntailmentCheck, *, least: float = 0.5) -> Marked:
    """Find the citation of every sentence and mark those without one. Blocking where the check is a model.

    A quote carries a sentence that stands in it word for word, titles before a colon left out, or that
    it entails with a confidence of at least `least`. A row of a table does so as it is said with the names
    of its columns, where the row of these is quoted too. Marks that are there already are set anew.
    """
    plain = text.replace(f" {UNSUPPORTED}", "")
    said, rows = [_Quote.read(quote) for quote in quotes], list(_rows(quotes))
    parts: list[str] = []
    carried: list[int] = []
    end = 0
    for span in _sentences(plain, quotes):
        line, gap = plain[span.start : span.end], plain[end : span.start]
        end = span.end
        number = _verbatim(line, said) or _in_row(line, rows) or _entailed(line, quotes, check, least)
        carried.append(number)
        parts.append(gap + (line if number else _marked(line)))
    return Marked("".join(parts) + plain[end:], carried)


def short_unsupported(short: str, marked: Marked, quotes: Sequence[str]) -> bool:
    """Tell whether only sentences that no citation carries say a short answer."""
    plain = marked.text.replace(f" {UNSUPPORTED}", "")
    lines = [plain[span.start : span.end] for span in _sentences(plain, quotes)]
    told = list(zip(lines, marked.carried, strict=True))
    bare, carried = [line for line, n in told if not n], [line for line, n in told if n]
    return says(bare, short) and not says([*carried, *quotes], short)


def _sentences(plain: str, quotes: Sequence[str]) -> Iterator[Span]:
    """Find the sentences; where a quote closes one, another begins, whatever abbreviation it closes with."""
    closing = [
        quote for quote in quotes if quote.endswith((".", "!", "?")) and len(forms(quote)) >= LEAST_RUN
    ]
    ends = sorted(
        {place.end() for quote in closing for place in re.finditer(re.escape(quote) + r"(?=\s)", plain)}
    )
    for start, last in sentences(plain):
        for end in ends:
            if start < end < last:
                yield Span(start, end)
                start = end + len(plain[end:last]) - len(plain[end:last].lstrip())
        yield Span(start, last)


def _marked(line: str) -> str:
    """Set the mark before the point, so that it belongs to this sentence and to no other."""
    core = line.rstrip(".!?。！？")
    return f"{core} {UNSUPPORTED}{line[len(core) :]}"


def _verbatim(line: str, quotes: Sequence[_Quote]) -> int:
    """Return the number of the first quote in which a sentence stands, with or without a title before it.

    What stands behind a title begins a sentence of the quote, or that sentence says the title before it:
    otherwise it has another name, or a condition, in the title's place.
    """
    parts = line.split(": ")
    told = [(forms(": ".join(parts[:k])), forms(": ".join(parts[k:]))) for k in range(len(parts))]
    for number, quote in enumerate(quotes, 1):
        if any(quote.says(title, said) for title, said in told):
            return number
    return 0


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


def _entailed(line: str, quotes: Sequence[str], check: EntailmentCheck, least: float) -> int:
    for number, quote in enumerate(quotes, 1):
        found = check(quote, line)
        if found.relation == "entailment" and found.confidence >= least:
            return number
    return 0

"""Titles mentioned in a text: one dictionary look-up per word, however many titles there are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ddax.actions.sources.tokens import STOP_WORDS, UNSPACED

PIECE = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+(?:_[^\W_{UNSPACED}]+)*")
SUFFIX = re.compile(r"(?<!\s)\s*\([^()]*\)\s*$")
STRONG_BREAK = re.compile(r"[.!?;:。！？]|\n\s*\n")
LONG_CHARS, LONG_WORDS = 20, 4
"""From this length on a title is found in any case: nobody writes it by chance."""
MOST_WORDS = 16


class Title(NamedTuple):
    """A form of a document's title: `exact` unless a suffix in parentheses was cut."""

    form: str
    breaks: bool
    document: int
    exact: bool


class Mention(NamedTuple):
    """A document mentioned at a place of a text."""

    position: int
    document: int
    exact: bool


class TitleIndex:
    """Find which titles occur in a text as whole words."""

    def __init__(self, titles: Sequence[str]) -> None:
        self._titles: dict[tuple[str, ...], list[Title]] = {}
        self._lengths: dict[str, list[int]] = {}
        for number, title in enumerate(titles):
            self._add(title.strip(), number, exact=True)
            shorter = SUFFIX.sub("", title).strip()
            if shorter and shorter != title.strip():
                self._add(shorter, number, exact=False)

    def _add(self, title: str, number: int, *, exact: bool) -> None:
        words = PIECE.findall(title)
        if trivial(words) or len(words) > MOST_WORDS:
            return
        key = tuple(word.casefold() for word in words)
        entry = Title(" ".join(words), bool(STRONG_BREAK.search(title)), number, exact)
        self._titles.setdefault(key, []).append(entry)
        lengths = self._lengths.setdefault(key[0], [])
        if len(key) not in lengths:
            lengths.append(len(key))
            lengths.sort(reverse=True)

    def mentions(self, text: str) -> Iterator[Mention]:
        """Yield mentions by place; where several titles begin, the longest, exact ones first."""
        pieces = list(PIECE.finditer(text))
        words = [piece.group() for piece in pieces]
        keys = [word.casefold() for word in words]
        i = 0
        while i < len(keys):
            step = 1
            for length in self._lengths.get(keys[i], ()):
                found = self._titles.get(tuple(keys[i : i + length]), ())
                said = " ".join(words[i : i + length])
                end = pieces[min(i + length, len(pieces)) - 1].end()
                broken = found and STRONG_BREAK.search(text, pieces[i].start(), end)
                hits = [t for t in found if same(t.form, said, length) and (t.breaks or not broken)]
                if hits:
                    for title in sorted(hits, key=lambda t: not t.exact):
                        yield Mention(pieces[i].start(), title.document, title.exact)
                    step = length
                    break
            i += step


def same(form: str, said: str, words: int) -> bool:
    """Compare a title with what the text says; short ones must agree in case too."""
    return form == said or words >= LONG_WORDS or len(form) >= LONG_CHARS


def trivial(words: Sequence[str]) -> bool:
    """Tell whether a title is too common a word to count as a mention."""
    if len(words) != 1:
        return not words or all(word.casefold() in STOP_WORDS for word in words)
    word = words[0]
    return len(word) < 3 or word.isdigit() or word == word.lower() or word.casefold() in STOP_WORDS

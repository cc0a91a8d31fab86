"""Tell whether a text repeats another word for word; pure.

Words are compared as they are written but for case and signs: what says the same in other words does not
repeat it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from ddax.text.chunks import HEADING, sentences

RUN = 8
"""Words in a row that are shared by copying only; a character of a script without spaces is half of one."""
LEAST_SENTENCE = 3
"""Words from which on a whole sentence counts as copied."""
_UNSPACED = re.compile(r"([\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])")


def repeats(text: str, of: str) -> bool:
    """Tell whether a text holds another one whole, a sentence of it, or a run of its words."""
    said = _spaced(_words(text))
    return any(_spaced(piece) in said for piece in _pieces(of) if piece)


class Copies:
    """The texts that are copied out of some others; made once, asked of many.

    What is shorter than `LEAST_SENTENCE` words is no copy by itself.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._from: dict[str, set[tuple[str, ...]]] = {}
        for piece in (piece for text in texts for piece in _pieces(text)):
            if len(piece) >= LEAST_SENTENCE:
                self._from.setdefault(piece[0], set()).add(tuple(piece))

    def __contains__(self, text: str) -> bool:
        return any(True for _ in self._found(text))

    def spare(self, text: str) -> None:
        """Let pass from now on what this text says too."""
        for piece in [*self._found(text)]:
            self._from[piece[0]].discard(piece)

    def _found(self, text: str) -> Iterator[tuple[str, ...]]:
        words = _words(text)
        for start, word in enumerate(words):
            for piece in self._from.get(word, ()):
                if tuple(words[start : start + len(piece)]) == piece:
                    yield piece


def _pieces(text: str) -> Iterator[Sequence[str]]:
    words = _words(text)
    yield words
    parts = (text[span.start : span.end] for span in sentences(text))
    # A heading is a name, and who speaks of the thing in other words names it too.
    for sentence in (_words(part) for part in parts if not HEADING.match(part)):
        if len(sentence) >= LEAST_SENTENCE:
            yield sentence
    for start in range(len(words)):
        yield _run(words, start)


def _run(words: Sequence[str], start: int) -> Sequence[str]:
    """Return the words from a place on that make a run, or none where the text ends before."""
    length = 0.0
    for end in range(start, len(words)):
        length += 0.5 if _UNSPACED.match(words[end]) else 1
        if length >= RUN:
            return words[start : end + 1]
    return ()


def _words(text: str) -> Sequence[str]:
    plain = _UNSPACED.sub(r" \1 ", unicodedata.normalize("NFKC", text).casefold())
    # Vowel signs of Indic scripts are marks, and part of the word.
    return "".join(char if unicodedata.category(char)[0] in "LMN" else " " for char in plain).split()


def _spaced(words: Sequence[str]) -> str:
    return f" {' '.join(words)} "

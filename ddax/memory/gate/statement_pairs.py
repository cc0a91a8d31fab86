"""Compare statements by their words: near duplicates, echoes, and pairs that may contradict; pure.

What words alone cannot settle is left to the support check; here nothing is guessed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from ddax.text.chunks import sentences

SHINGLE = 4
"""Words of a shingle: shorter ones are shared by chance."""
ECHO_SHARE = 0.7
"""Share of a text's shingles in what was recalled from which on it only repeats."""
ABOUT_SAME = 0.5
"""Share of content words two statements have in common when they may speak of the same thing."""
MAX_STATEMENTS = 12
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_FILLERS = frozenset(
    """
    a an the of in on at to for from by with and or is are was were be been being has have had it its this
    that these those there as which who whom also currently indeed actually really very well known that's
    i we you remember recall note noted notes earlier previously above according stated mentioned already
    again know fact recalled reminder so
    """.split()  # noqa: SIM905
)
"""Words that carry nothing when two statements are compared, those that only introduce one included."""
_NEGATIONS = frozenset("not no never none neither nor without cannot isn't wasn't aren't weren't".split())  # noqa: SIM905


@dataclass(frozen=True)
class Statement:
    """A statement as it is compared: content words in order, and the names and numbers among them."""

    words: tuple[str, ...]
    names: tuple[str, ...]
    numbers: tuple[str, ...]
    negated: bool

    @property
    def content(self) -> frozenset[str]:
        """The content words as a set."""
        return frozenset(self.words)


@lru_cache(maxsize=8192)
def statement(text: str) -> Statement:
    """Read a text as one statement."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'")
    found = _WORD.findall(plain)
    words, names, numbers = [], [], []
    for word in found:
        folded = _stem(word.casefold())
        if folded in _FILLERS or folded in _NEGATIONS:
            continue
        words.append(folded)
        if any(char.isdigit() for char in word):
            numbers.append(folded)
        elif word[0].isupper():
            names.append(folded)
    negated = any(word.casefold() in _NEGATIONS or word.casefold().endswith("n't") for word in found)
    return Statement(tuple(words), tuple(names), tuple(numbers), negated)


def same(one: str, other: str) -> bool:
    """Tell whether two texts say the same in the same content words: names and numbers in one order."""
    a, b = statement(one), statement(other)
    if not a.words or a.negated != b.negated or a.numbers != b.numbers:
        return False
    # What one writes with a capital the other may not: names are those of either.
    names = {*a.names, *b.names}
    return a.content == b.content and _order(a, names) == _order(b, names)


def echoes(text: str, known: Iterable[str]) -> bool:
    """Tell whether a text only repeats what is known: most of its shingles, every name and number."""
    every = [statement(item) for item in known]
    own = statement(text)
    if not every or not own.words:
        return False
    content = frozenset[str]().union(*(item.content for item in every))
    parts = [text[span.start : span.end] for span in sentences(text)]
    if not {*own.numbers, *_names(parts)} <= content or (own.negated and not any(i.negated for i in every)):
        return False
    seen = {shingle for item in every for shingle in _shingles(item.words)}
    mine: list[bool] = []
    for sentence in map(statement, parts):
        if len(sentence.words) < SHINGLE:
            mine += [sentence.content <= content] * bool(sentence.words)
        else:
            mine += [shingle in seen for shingle in _shingles(sentence.words)]
    return sum(mine) >= ECHO_SHARE * len(mine)


def comparable(one: str, other: str) -> bool:
    """Tell whether two statements may speak of the same thing and differ: worth the support check."""
    a, b = statement(one), statement(other)
    if not a.content or not b.content or (a.content == b.content and a.negated == b.negated):
        return False
    if len(a.content & b.content) < ABOUT_SAME * min(len(a.content), len(b.content)):
        return False
    names = set(a.names), set(b.names)
    # A name that each has alone is another thing; one that only one has may be the other value.
    alone = len(names[0] - names[1]), len(names[1] - names[0])
    return bool(names[0] & names[1]) and min(alone) == 0 if all(names) else not any(names)


def statements(text: str) -> list[str]:
    """Return the first sentences of a text that state something."""
    found = [text[span.start : span.end] for span in sentences(text)]
    return [item for item in found if len(statement(item).words) >= 3][:MAX_STATEMENTS]


def _stem(word: str) -> str:
    for ending in ("'s", "s'"):
        word = word.removesuffix(ending)
    return word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith("ss") else word


def _names(parts: Iterable[str]) -> set[str]:
    """Return the names of sentences; the first word of one has its capital from its place."""
    return {name for part in parts for name in statement(part.lstrip("“\"'(").partition(" ")[2]).names}


def _order(one: Statement, among: set[str]) -> tuple[str, ...]:
    return tuple(word for word in dict.fromkeys(one.words) if word in among)


def _shingles(words: tuple[str, ...]) -> set[tuple[str, ...]]:
    return {words[i : i + SHINGLE] for i in range(len(words) - SHINGLE + 1)}

"""Strings that make a bad pattern slow: runs of what texts are full of, and near-misses of the pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

RUNS = (
    " ", "\t", "\n", " \n", "\r\n", "\u00a0", "[", "(", "{", "<", ")", "]", '"', "'", "“", "”", "`",
    "0", "0.",
    "1,",     "a", "A", "Aa ", "ab ", "a.", "a, ", "a-", "|", "| ", ",", ", ", "-", "- ", ":", "_",
    ".", ". ", "*", "* ",
    "#", "/", "\\", "&", "@", "=", "~", "!", "é", "\u200b", "a\n", "- a\n", '"a" ', "1 ", "a: ",
)  # fmt: skip
"""What is said again and again, whatever the pattern."""
ALPHABET = " \t\na0A-_.,:;'’\"“”|/\\()[]{}<>=*+#@&%$~!?`éß–—\u200b"
"""Signs tried where a pattern takes a class of them."""
BREAKS = ("", "\n\x00")
MANY = 20
"""A part that may be repeated more often than this is one to be repeated."""


class Hostile(NamedTuple):
    """A text to be made at any size: what begins it, what is repeated, and what breaks it off."""

    front: str
    run: str
    end: str

    def of(self, times: int) -> str:
        """Return the text with so many runs."""
        return self.front + self.run * times + self.end


def hostile(pattern: str | bytes, flags: int, *, most: int = 40, runs: Sequence[str] = RUNS) -> list[Hostile]:
    """Return the texts that a pattern is to be tried on, each once; `most` caps its own near-misses."""
    found = [Hostile("", run, "\x00") for run in runs]
    shape = parser.parse(
        pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern, flags & ~re.UNICODE
    )
    for front, run in islice(_near(list(shape), [""]), most):
        for end in BREAKS:
            found.append(Hostile(front, run, end))
        if front:
            found += [
                Hostile("", front, "\x00"),
                Hostile("", front + run, "\x00"),
                Hostile(front, run + front, ""),
            ]
    return [text for text in dict.fromkeys(found) if text.run]


def _near(parts: Sequence[Any], fronts: list[str]) -> Iterator[tuple[str, str]]:
    """Yield what stands before each part that may be repeated, with what may be repeated there."""
    for at, (code, given) in enumerate(parts):
        inner = _inner(code, given)
        if code in _REPEATS and (given[1] is sre.MAXREPEAT or given[1] > MANY):
            behind, runs = samples(parts[at + 1 :])[:2], samples(given[2])
            yield from product(fronts[:2], [*runs, *(a + b for a, b in product(runs[:3], behind) if b)])
            yield from product(fronts[:1], [a + b for a, b in product(runs[:3], runs[:3]) if a != b])
        for part in inner:
            yield from _near(list(part), fronts)
        fronts = [a + b for a, b in islice(product(fronts, samples([(code, given)])[:3]), 4)] or fronts


def _inner(code: Any, given: Any) -> list[Any]:
    if code in _REPEATS:
        return [given[2]]
    if code is sre.SUBPATTERN:
        return [given[3]]
    if code is sre.BRANCH:
        return list(given[1])
    if code is sre.ATOMIC_GROUP:
        return [given]
    if code in (sre.ASSERT, sre.ASSERT_NOT):
        return [given[1]]
    return []


_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)


def samples(parts: Sequence[Any]) -> list[str]:
    """Return some texts that a sequence of parts takes."""
    texts = [""]
    for code, given in parts:
        texts = [a + b for a, b in islice(product(texts, _taken(code, given)), 8)]
    return list(dict.fromkeys(texts))


def _taken(code: Any, given: Any) -> list[str]:
    if code is sre.LITERAL:
        return [chr(given)]
    if code in (sre.IN, sre.NOT_LITERAL, sre.ANY):
        return _of_class(code, given)
    if code in _REPEATS:
        least = max(given[0], 1)
        return [text * least for text in samples(given[2])]
    if code is sre.BRANCH:
        return list(dict.fromkeys(text for part in given[1] for text in samples(part)[:2]))[:8]
    inner = _inner(code, given)
    if code in (sre.SUBPATTERN, sre.ATOMIC_GROUP) and inner:
        return samples(inner[0])
    return [""]


def _of_class(code: Any, given: Any) -> list[str]:
    if code is sre.ANY:
        return ["a", " ", "-"]
    if code is sre.NOT_LITERAL:
        return [sign for sign in ALPHABET if ord(sign) != given][:6]
    return [sign for sign in ALPHABET if _holds(given, sign)][:6] or [chr(_first(given))]


def _holds(items: Sequence[Any], sign: str) -> bool:
    negated = items[0][0] is sre.NEGATE
    return negated != any(_one(code, given, sign) for code, given in items if code is not sre.NEGATE)


def _one(code: Any, given: Any, sign: str) -> bool:
    if code is sre.LITERAL:
        return ord(sign) == given
    if code is sre.RANGE:
        return given[0] <= ord(sign) <= given[1]
    word, digit, space = sign.isalnum() or sign == "_", sign.isdigit(), sign.isspace()
    return {
        sre.CATEGORY_WORD: word, sre.CATEGORY_NOT_WORD: not word, sre.CATEGORY_DIGIT: digit,
        sre.CATEGORY_NOT_DIGIT: not digit, sre.CATEGORY_SPACE: space, sre.CATEGORY_NOT_SPACE: not space,
    }[given]  # fmt: skip


def _first(items: Sequence[Any]) -> int:
    code, given = items[0]
    return int(given[0] if code is sre.RANGE else given)

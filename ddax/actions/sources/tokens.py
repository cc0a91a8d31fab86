"""Words as the lexical search sees them: folded, lightly stemmed, pairs of signs where no spaces stand."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

UNSPACED = (
    "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts written without spaces or with particles joined: Thai to Khmer, kana, Han, Hangul."""

WORD = re.compile(rf"(?P<run>[{UNSPACED}]+)|[^\W_{UNSPACED}]+")
CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
VOWEL = re.compile(r"[aeiouy]")

STOP_WORDS = frozenset(
    """
    a an and are as at be been but by can could did do does for from had has have he her his how i if in
    into is it its me my no not of on or our she so that the their them then there these they this
    those to up was we were what when where which who whom whose why will with would you your
    """.split()  # noqa: SIM905
)
"""English words that say nothing of the subject; they are dropped from queries with other words."""


def tokens(text: str) -> list[str]:
    """Split a text into search terms, in order; an inner capital also gives the parts of a name."""
    return [stem(word) for word in _words(text)]


def query_tokens(text: str) -> list[str]:
    """Return the distinct search terms of a query, without stop words unless nothing else is there."""
    found = list(_words(text))
    telling = [word for word in found if word not in STOP_WORDS]  # by the word: the stem of "does" is a deer
    return list(dict.fromkeys(map(stem, telling or found)))


def _words(text: str) -> Iterator[str]:
    for match in WORD.finditer(folded_marks(text)):
        word = match.group()
        if match.lastgroup == "run":
            yield from (word[i : i + 2] for i in range(max(1, len(word) - 1)))
            continue
        yield word.casefold()
        if not word.isupper() and not word[1:].islower() and len(word) > 2:
            parts = CAMEL.findall(word)
            if len(parts) > 1:
                yield from (part.casefold() for part in parts if len(part) > 1)


def folded_marks(text: str) -> str:
    """Drop accents and other combining marks, so that `Hölle` is found as `holle`."""
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", "".join(c for c in parts if unicodedata.category(c) != "Mn"))


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Cut English endings (-s, -es, -ies, -ed, -ing, final e) where a word of 3 letters stays."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    base = word
    if base.endswith("ies") and len(base) > 4:
        base = base[:-3] + "y"
    elif base.endswith("s") and not base.endswith(("ss", "us", "is")):
        base = base[:-1]
    for ending in ("ing", "ed"):
        rest = base[: -len(ending)]
        if base.endswith(ending) and len(rest) > 2 and VOWEL.search(rest):
            doubled = rest[-1] == rest[-2] and rest[-1] not in "lsz"
            base = rest[:-1] if doubled else rest
            break
    return base[:-1] if base.endswith("e") and len(base) > 4 else base

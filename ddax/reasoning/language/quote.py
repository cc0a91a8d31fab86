"""Quoted data in prompts, and quotes checked against what was read.

Text from outside enters a prompt only through `block`; a citation leaves a reply only through
`ground`, which finds the quote in the passage and returns the passage's own characters.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence

from ddax.reasoning.language.cutting import cut
from ddax.types import Citation, Passage

KEY_DIGITS = 6
MIN_LETTERS = 3
"""A quote with fewer letters and digits proves nothing."""

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e01ef]"
)
_ALIKE = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-"})
_UNEVEN = re.compile(r"^ |  |[^\S ]|[\x00-\x1f\x7f]")
"""What makes a plain text differ from its folded form."""
_MARKS = "\"'`… "


def clean(text: str) -> str:
    """Drop control, bidirectional, zero-width, tag and hidden selector characters and lone surrogates."""
    return _HIDDEN.sub("", text.replace("\u2028", "\n").replace("\u2029", "\n"))


def shorten(text: str, limit: int) -> str:
    """Cut a text to `limit` characters and say so."""
    return text if len(text) <= limit else f"{text[:limit]} [... {len(text) - limit} characters cut]"


def block(label: str, text: str) -> str:
    """Delimit a text as data; the key is a hash of the text, so the text cannot hold its own end."""
    body = clean(text)
    key = hashlib.sha256(body.encode()).hexdigest()
    while key[:KEY_DIGITS] in body:
        key = hashlib.sha256(key.encode()).hexdigest()
    key = key[:KEY_DIGITS]
    return f"[BEGIN DATA {key} {label}]\n{body}\n[END DATA {key}]"


def lines(items: Iterable[str]) -> str:
    """List texts one a line as JSON strings; "" where there is none."""
    return "\n".join(json.dumps(item, ensure_ascii=False) for item in items)


def numbered(passages: Sequence[Passage]) -> dict[str, Passage]:
    """Name passages P1, P2, ... in order; the same piece of a document has one name."""
    unique = {(passage.id, passage.start, passage.text): passage for passage in passages}
    return {f"P{n}": passage for n, passage in enumerate(unique.values(), 1)}


def numbered_lines(code: str, numbers: Iterable[int]) -> str:
    """Return lines of a program with their numbers."""
    rows = code.splitlines()
    return "\n".join(f"{n}: {rows[n - 1].strip()}" for n in numbers if 0 < n <= len(rows))


def quoted(passages: Mapping[str, Passage], budget: int, about: str = "") -> str:
    """Delimit named passages as data; where they are too long, what bears on something; "" for none."""
    return printed(passages, cut(passages, budget, about))


def printed(passages: Mapping[str, Passage], texts: Mapping[str, str]) -> str:
    """Delimit what is told of named passages as data; one of which nothing is told is left out."""
    return "\n".join(
        block(name, f"{_head(passages[name])}\n{text}") for name, text in texts.items() if text
    )  # fmt: skip


def _head(passage: Passage) -> str:
    return json.dumps({"source": passage.source, "title": passage.title}, ensure_ascii=False)


def _folded(text: str) -> tuple[str, Sequence[int]]:
    """Return the text with white space collapsed and marks unified, and each character's offset."""
    if text.isascii() and not _UNEVEN.search(text):
        return text, range(len(text))
    chars: list[str] = []
    offsets: list[int] = []
    for offset, char in enumerate(text.translate(_ALIKE)):
        if char.isspace():
            if not chars or chars[-1] == " ":
                continue
            char = " "
        elif _HIDDEN.match(char):
            continue
        chars.append(char)
        offsets.append(offset)
    return "".join(chars), offsets


def _inside_word(left: str, right: str) -> bool:
    return left.isascii() and right.isascii() and left.isalnum() and right.isalnum()


def _whole(text: str, start: int, end: int) -> bool:
    """Say whether a match begins and ends where words do."""
    cut_left = start > 0 and _inside_word(text[start - 1], text[start])
    cut_right = end < len(text) and _inside_word(text[end - 1], text[end])
    return not (cut_left or cut_right)


def _find(needle: str, folded: str) -> int:
    start = folded.find(needle)
    while start >= 0 and not _whole(folded, start, start + len(needle)):
        start = folded.find(needle, start + 1)
    return start


def ground(quote: str, passage: Passage) -> Citation | None:
    """Find a quote in a passage but for white space and typographic marks; None: it is not there.

    The citation carries the passage's own characters and their offsets in the document.
    """
    verbatim = quote.strip()
    if sum(map(str.isalnum, verbatim)) >= MIN_LETTERS and (at := _find(verbatim, passage.text)) >= 0:
        return _cited(passage, at, at + len(verbatim))
    folded, offsets = _folded(passage.text)
    exact = _folded(quote)[0].strip()
    for needle in dict.fromkeys((exact, exact.strip(_MARKS))):
        if sum(char.isalnum() for char in needle) < MIN_LETTERS:
            continue
        at = _find(needle, folded)
        if at >= 0:
            return _cited(passage, offsets[at], offsets[at + len(needle) - 1] + 1)
    return None


def _cited(passage: Passage, start: int, end: int) -> Citation:
    """Return the citation of a passage's characters from `start` to `end`."""
    return Citation(
        passage_id=passage.id, source=passage.source, title=passage.title, quote=passage.text[start:end],
        start=passage.start + start, end=passage.start + end,
    )  # fmt: skip

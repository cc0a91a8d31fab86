"""Check, with no code of ddax, that every sentence of an answer carries a verbatim quote or a mark.

It knows the answer text, the citations, the pages and the spans only: which part of the text is said to rest
on what. It splits and compares by its own rules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

CARRIED = ("supported", "paraphrase")
"""What a span says of a statement that is carried; any other word is a mark."""
_END = re.compile(r"(?<=[.!?…])(?<!\s[A-Z]\.)\s+(?=[\"“‘(\[]?[A-Z0-9])")
_WORD = re.compile(r"[a-z0-9]+")
LEAST = 3
"""Words of a sentence that must stand in a row in a quote, unless it has fewer."""


class Checked(NamedTuple):
    """Counts over the sentences of one answer."""

    sentences: int
    carried: int
    marked: int


def check(
    answer: str,
    citations: Sequence[Mapping[str, Any]],
    pages: Mapping[str, str],
    spans: Sequence[Mapping[str, Any]] = (),
) -> Checked:
    """Count the sentences that a quote carries which stands in its page, and those that are marked."""
    true = [c["quote"] for c in citations if c["quote"] and c["quote"] in pages.get(c["source"], "")]
    quotes = [f" {' '.join(_WORD.findall(quote.lower()))} " for quote in true]
    lines = [line for line in _END.split(answer.strip()) if _WORD.search(line.lower())]
    doubtful = [answer[span["start"] : span["end"]] for span in spans if span["status"] not in CARRIED]
    marked = [line for line in lines if any(said in line or line in said for said in doubtful if said)]
    carried = [line for line in lines if line not in marked and any(_said(line, quote) for quote in quotes)]
    return Checked(len(lines), len(carried), len(marked))


def _said(line: str, quote: str) -> bool:
    """Tell whether a sentence, or all of it after a title and a colon, stands in a quote."""
    parts = line.split(":")
    for first in range(len(parts)):
        words = _WORD.findall(":".join(parts[first:]).lower())
        if len(words) >= LEAST and f" {' '.join(words)} " in quote:
            return True
        # A split of ours may fall inside a quote, and one of theirs inside a line of ours.
        if (
            len(words) >= LEAST
            and first == 0
            and len(quote.split()) >= LEAST
            and quote in f" {' '.join(words)} "
        ):
            return len(quote.split()) * 2 >= len(words)
    return False

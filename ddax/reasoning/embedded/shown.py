"""How a claim is worded: quotes with what they need to be understood."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.sentences import HEADING_WORDS, Sentence
from ddax.text.words import bare_title, contains_phrase, terms, words
from ddax.types import Citation

MAX_WORDS = 60
"""Words of an answer that is claimed."""
LEAST_WORDS = 8
"""A fragment shorter than this is not worth a citation."""


def pack(
    order: Sequence[Weighed], *, asked: frozenset[str] = frozenset()
) -> tuple[str, tuple[Citation, ...]]:
    """Fill the words allowed with the sentences in order, and return their quotes."""
    parts, left = list[str](), MAX_WORDS
    quotes: list[Citation] = []
    told: Sentence | None = None
    whole = set[str]()
    for item in order:
        said = _said(item.sentence, told, left, asked)
        if said is None or item.sentence.told in whole:  # a copy says nothing more
            continue
        whole.add(item.sentence.told)
        text, cited = said
        quotes.extend(quote for quote in cited if quote not in quotes)
        parts.append(text)
        left -= len(text.split())
        told = item.sentence
    return " ".join(parts), tuple(quotes)


def _said(
    sentence: Sentence, told: Sentence | None, left: int, asked: frozenset[str]
) -> tuple[str, list[Citation]] | None:
    """Say a sentence with what it needs to be understood, and quote it; None where too little would stay."""
    front, above = _before(sentence, told, asked)
    cited = [sentence.citation(), *above]
    text = ": ".join([*front, sentence.told])
    if len(text.split()) <= left:
        return _ended(text), cited
    room = left - len(" ".join(front).split())
    if room < LEAST_WORDS or sentence.label:
        return None
    # A row without blanks is one word: it is cut behind one of its cells.
    cut = _cut(sentence, room, r"\S+") or _cut(sentence, room, r"[^\s|]+")
    if cut is None:
        return None
    cited[0] = cut.citation()
    return ": ".join([*front, cut.told]) + "…", cited


def _before(
    sentence: Sentence, told: Sentence | None, asked: frozenset[str]
) -> tuple[list[str], list[Citation]]:
    """Return what is said before a sentence, and the quotes of what stands above it.

    The title goes before a sentence of a new document that does not name it, the heading before an item
    of a list or a table, before what it says to hold no more, and before what comes first of a document
    where it says a word asked that this leaves out.
    """
    title, heading = bare_title(sentence.subject), sentence.heading
    front, cited = list[str](), list[Citation]()
    new = told is None or title != bare_title(told.subject)
    if new and not contains_phrase(words(sentence.told), words(title)):
        front.append(title)
    begins = told is None or told.passage.source != sentence.passage.source
    needed = sentence.item or sentence.aside or (begins and _tells(sentence, asked))
    if heading is not None and heading.plain != sentence.subject and needed:
        front.append(heading.plain.rstrip(".:"))
        cited.append(heading.citation())
    if sentence.cells and sentence.header is not None:
        cited.append(sentence.header.citation())
    return front, cited


def _tells(sentence: Sentence, asked: frozenset[str]) -> bool:
    """Tell whether the heading above a sentence says a word asked that the sentence does not say."""
    heading = sentence.heading.plain if sentence.heading else ""
    known = set(terms(f"{sentence.subject} {sentence.text}"))
    one_line = sentence.heading is not None and "\n" not in sentence.heading.text
    return one_line and len(heading.split()) <= HEADING_WORDS and bool((asked & set(terms(heading))) - known)


def _ended(text: str) -> str:
    """Close a text that has no mark at its end, so that the next one does not run into it."""
    return text if text[-1:] in '.!?:;。！？؟…"”’)' else f"{text}."


def _cut(sentence: Sentence, room: int, parts: str) -> Sentence | None:
    """Cut a sentence to its longest beginning said in so many words; marks of layout are no words."""
    best = None
    for match in re.finditer(parts, sentence.text):
        cut = replace(sentence, text=sentence.text[: match.end()])
        said = len(cut.told.split())
        if said > room:
            break
        best = cut if said else best
    return best

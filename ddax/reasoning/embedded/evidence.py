"""How well each sentence read bears on a question: by its meaning, its words, and what it could answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ddax.memory.embed.likeness import Vectors
from ddax.reasoning.embedded.follow import rarity
from ddax.reasoning.embedded.sentences import Sentence, split
from ddax.reasoning.embedded.spans import Span, candidates
from ddax.text.question import Question, said_of
from ddax.text.words import words
from ddax.types import Passage

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")
MAX_EMBEDDED = 64
"""Sentences that are embedded for one question, about half a second of work."""


@dataclass(frozen=True)
class Weighed:
    """A sentence with its signs, each in [0, 1]: likeness, coverage of the question, fit of its best span."""

    sentence: Sentence
    like: float
    cover: float
    fit: float
    terms: frozenset[str]
    spans: tuple[Span, ...]

    @property
    def score(self) -> float:
        """Add the signs with equal weight, scaled to [0, 1]."""
        return (self.like + self.cover + self.fit) / 3


def readable(passages: Sequence[Passage]) -> list[Passage]:
    """Keep passages that are part of a document: only they may be quoted; a copy of one says nothing more."""
    kept: dict[str, Passage] = {}
    for passage in passages:
        if passage.source and passage.text.strip():
            kept.setdefault(passage.text, passage)
    return list(kept.values())


def weigh(question: Question, passages: Sequence[Passage], vectors: Vectors) -> list[Weighed]:
    """Weigh every sentence of the passages, best first."""
    found = weigh_lines(question, lines_of(question, passages), vectors)
    return sorted(found, key=lambda item: (-item.score, item.sentence.passage.source, item.sentence.start))


def weigh_lines(question: Question, lines: Sequence[Sentence], vectors: Vectors) -> list[Weighed]:
    """Weigh sentences in the order they have."""
    if not lines:
        return []
    likes = vectors.likeness(question.text, [line.titled for line in lines])
    told = [said_of(question, line.titled) for line in lines]
    rare = rarity([*map(tuple, told), question.terms])
    whole = sum(rare[term] for term in question.terms) or 1.0
    found = []
    for line, like, own in zip(lines, likes, told, strict=True):
        spans = candidates(question, line.text, line.passage.title)
        cover = sum(rare[term] for term in question.terms if term in own) / whole
        fit = max((span.fit for span in spans), default=0.0)
        fit = max(fit, fit_of_title(question, line))
        found.append(Weighed(line, float(np.clip(like, 0, 1)), cover, fit, own, tuple(spans)))
    return found


def fit_of_title(question: Question, line: Sentence) -> float:
    """Tell how far a sentence answers by its place: what opens a document says what its title names.

    1 for the first sentence of a document whose title is a name of the kind that is asked for, or is
    what the question asks the meaning of; else 0.
    """
    if line.label or line.item or line.place > 0 or not line.passage.opens:
        return 0.0
    title = line.passage.title
    if question.subject:
        asked, named = words(question.subject), words(title)
        meant = 0 < len(asked) <= len(named) and named[-len(asked) :] == asked
    else:
        meant = question.kind == "name" and names_a(question.head, title, line.passage.text)
        meant = meant and not _has_it(question, title)
    return float(meant)


def _has_it(question: Question, title: str) -> bool:
    """Tell whether a part of what a title names is asked for: "Which command of tidepool"."""
    part = rf"\b{re.escape(question.head)} (?:of|in|from) (?:the )?{re.escape(title)}\b"
    return re.search(part, question.text, re.IGNORECASE) is not None


def names_a(kind: str, title: str, text: str) -> bool:
    """Tell whether a title is a name in a program of this kind, by its form and what opens the text."""
    if not _IDENTIFIER.fullmatch(title):
        return False
    last, called = title.rsplit(".", 1)[-1], text.startswith(f"{title}(")
    if kind in ("function", "method", "decorator"):
        return called and not last[:1].isupper()
    if kind in ("class", "type", "exception", "error", "object"):
        return "." in title and (last[:1].isupper() or not called)
    if kind in ("module", "package", "library"):
        return not called and not last[:1].isupper()
    return True


def lines_of(question: Question, passages: Sequence[Passage]) -> list[Sentence]:
    """Return the sentences that share most of the question's words: embedding is what costs time."""
    return nearest(question, split(readable(passages)))


def nearest(question: Question, lines: Sequence[Sentence], limit: int = MAX_EMBEDDED) -> list[Sentence]:
    """Return the `limit` sentences that share most words with a question, in the order they have."""
    if len(lines) <= limit:
        return list(lines)
    asked = set(question.terms)
    shared = [len(asked & said_of(question, line.titled)) for line in lines]
    kept = sorted(range(len(lines)), key=lambda i: (-shared[i], i))[:limit]
    return [lines[i] for i in sorted(kept)]

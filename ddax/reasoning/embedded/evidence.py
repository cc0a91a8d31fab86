"""How well each sentence read bears on a question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ddax.memory.embed.likeness import Vectors
from ddax.reasoning.embedded.follow import rarity
from ddax.reasoning.embedded.implied import implied
from ddax.reasoning.embedded.others import unmeant
from ddax.reasoning.embedded.sentences import Sentence, split
from ddax.reasoning.embedded.spans import Span, candidates
from ddax.text.question import Question, said_of
from ddax.text.words import denies, fold, term_of, words
from ddax.types import Passage

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")
_DENIED = re.compile(r"(?:\bnot|n['’]t)\s+(?:\w+ly\s+)?(\w+)")
MAX_EMBEDDED = 64
"""Sentences that are embedded for one question, about half a second of work."""


@dataclass(frozen=True)
class Weighed:
    """A sentence with its signs, each in [0, 1]: likeness, coverage of the question, fit of its best span.

    `unmeant` are the words of names that stand above it and that it is not about.
    """

    sentence: Sentence
    like: float
    cover: float
    fit: float
    terms: frozenset[str]
    spans: tuple[Span, ...]
    unmeant: frozenset[str] = frozenset()

    @property
    def score(self) -> float:
        """Add the signs with equal weight, scaled to [0, 1]."""
        return (self.like + self.cover + self.fit) / 3


def readable(passages: Sequence[Passage]) -> list[Passage]:
    """Keep passages that are part of a document: only they may be quoted."""
    return [passage for passage in passages if passage.source and passage.text.strip()]


def weigh(question: Question, passages: Sequence[Passage], vectors: Vectors) -> list[Weighed]:
    """Weigh every sentence of the passages, best first."""
    lines = lines_of(question, passages)
    if not lines:
        return []
    likes = vectors.likeness(question.text, [line.titled for line in lines])
    strange = [unmeant(question, line, lines[:place]) for place, line in enumerate(lines)]
    told = [_said(question, line) - own for line, own in zip(lines, strange, strict=True)]
    rare = rarity([*map(tuple, told), question.terms])
    whole = sum(rare[term] for term in question.terms) or 1.0
    found = []
    for line, like, own, other in zip(lines, likes, told, strange, strict=True):
        spans = candidates(question, line.text, line.passage.title)
        cover = sum(rare[term] for term in question.terms if term in own) / whole
        fit = max((span.fit for span in spans), default=0.0)
        fit = max(fit, fit_of_title(question, line))
        found.append(Weighed(line, float(np.clip(like, 0, 1)), cover, fit, own, tuple(spans), other))
    return sorted(found, key=lambda item: (-item.score, item.sentence.passage.source, item.sentence.start))


def _said(question: Question, line: Sentence) -> frozenset[str]:
    """Return the words of a sentence and of what stands above it, also those that it says by its form."""
    return said_of(question, f"{line.titled} {implied(question, line)}")


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
        meant = meant and not _has_it(question, title) and not _contrary(question, line)
    return float(meant)


def _has_it(question: Question, title: str) -> bool:
    """Tell whether a part of what a title names is asked for: "Which command of tidepool"."""
    part = rf"\b{re.escape(question.head)} (?:of|in|from) (?:the )?{re.escape(title)}\b"
    return re.search(part, question.text, re.IGNORECASE) is not None


def _contrary(question: Question, line: Sentence) -> bool:
    """Tell whether a sentence says without a "not" what a question says with one."""
    denied = {term_of(word) for word in _DENIED.findall(fold(question.text))}
    said = words(line.text)
    return not denied.isdisjoint(map(term_of, said)) and not denies(said)


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
    lines = split(readable(passages))
    if len(lines) <= MAX_EMBEDDED:
        return lines
    asked = set(question.terms)
    shared = [len(asked & _said(question, line)) for line in lines]
    kept = sorted(range(len(lines)), key=lambda i: (-shared[i], i))[:MAX_EMBEDDED]
    return [lines[i] for i in sorted(kept)]

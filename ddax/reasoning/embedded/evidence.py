"""How well each sentence read bears on a question, and how well all of them together support an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ddax.reasoning.embedded.follow import rarity
from ddax.reasoning.embedded.question import Question
from ddax.reasoning.embedded.sentences import Sentence, split
from ddax.reasoning.embedded.spans import Span, candidates
from ddax.reasoning.embedded.text import bare_title, contains_phrase, terms, words
from ddax.reasoning.embedded.vectors import Vectors
from ddax.types import Passage


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
    """Keep passages that are part of a document: only they may be quoted."""
    return [passage for passage in passages if passage.source and passage.text.strip()]


def weigh(question: Question, passages: Sequence[Passage], vectors: Vectors) -> list[Weighed]:
    """Weigh every sentence of the passages, best first."""
    lines = split(readable(passages))
    if not lines:
        return []
    likes = vectors.likeness(question.text, [line.titled for line in lines])
    said = [frozenset(terms(line.titled)) for line in lines]
    rare = rarity([*map(tuple, said), question.terms])
    whole = sum(rare[term] for term in question.terms) or 1.0
    found = []
    for line, like, own in zip(lines, likes, said, strict=True):
        spans = candidates(question, line.text, line.passage.title)
        cover = sum(rare[term] for term in question.terms if term in own) / whole
        fit = max((span.fit for span in spans), default=0.0)
        found.append(Weighed(line, float(np.clip(like, 0, 1)), cover, fit, own, tuple(spans)))
    return sorted(found, key=lambda item: (-item.score, item.sentence.passage.source, item.sentence.start))


@dataclass(frozen=True)
class Support:
    """How far what was read carries an answer; every part in [0, 1].

    `like` is the best sentence's likeness, `cover` the question terms the chosen documents hold,
    `names` the share of the question's names found in them, `fit` whether the kind of answer is there.
    """

    like: float
    cover: float
    names: float
    fit: float
    value: float


def support(question: Question, weighed: Sequence[Weighed]) -> Support:
    """Measure the support of the sentences read."""
    if not weighed:
        return Support(0.0, 0.0, 0.0, 0.0, 0.0)
    like = max(item.like for item in weighed)
    best = max(item.cover for item in weighed)
    said = frozenset[str]().union(*(item.terms for item in weighed))
    cover = sum(term in said for term in question.terms) / max(1, len(question.terms))
    names = named_share(question, [item.sentence for item in weighed])
    fit = max(item.fit for item in weighed[:5])
    return Support(like, cover, names, fit, (like + best + cover + names) / 4)


def named_share(question: Question, lines: Sequence[Sentence]) -> float:
    """Return the share of the question's names that stand in the sentences or titles; 1 where it has none."""
    if not question.names:
        return 1.0
    texts = [words(f"{bare_title(line.passage.title)} {line.text}") for line in lines]
    return sum(any(contains_phrase(text, words(name)) for text in texts) for name in question.names) / len(question.names)


def complete(question: Question, weighed: Sequence[Weighed]) -> bool:
    """Tell whether one document says every word of the question and holds the kind of answer asked for."""
    pages: dict[str, set[str]] = {}
    for item in weighed:
        pages.setdefault(item.sentence.passage.source, set()).update(item.terms)
    wanted = set(question.terms)
    whole = [source for source, said in pages.items() if wanted and wanted <= said]
    return any(item.fit > 0 for item in weighed if item.sentence.passage.source in whole)

"""Which document to read next: what the question says, and what the first findings name.

A candidate is any document a search found or a read page mentions. Five signs are added with equal
weight, each in [0, 1]: the search's own score, the likeness of the candidate to the question joined
with the best sentence read (the second hop), a link (one names the other's title), how much of the
part of the question that nothing read has covered yet it covers, and whether the question names its
title.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ddax.memory.embed.likeness import Vectors
from ddax.reasoning.embedded.sentences import Sentence
from ddax.text.question import Question
from ddax.text.words import bare_title, contains_phrase, terms, words
from ddax.types import MENTION, Passage

STEM = 5
"""Letters by which words of one family are known: Tunisia, Tunisian."""
LEAST_SHARE = 0.75
"""A title counts as partly named from this share of its words on."""


@dataclass(frozen=True)
class _Page:
    """A read page as words, its title as words, and the first letters of its terms."""

    words: list[str]
    title: list[str]
    starts: frozenset[str]


@dataclass(frozen=True)
class Weights:
    """How much each sign counts; equal by principle, not fitted."""

    search: float = 1.0
    hop: float = 1.0
    link: float = 1.0
    gap: float = 1.0
    title: float = 1.0


@dataclass(frozen=True)
class Candidate:
    """A document that could be read: the best search score seen for it, and its signs when ranked."""

    source: str
    title: str
    text: str
    search: float
    score: float = 0.0
    linked: bool = False


def rarity(texts: Sequence[Sequence[str]]) -> dict[str, float]:
    """Weigh terms by rarity over texts: log(1 + n/df), so that what every text says counts little."""
    df = Counter(term for text in texts for term in set(text))
    return {term: math.log(1 + len(texts) / count) for term, count in df.items()}


def candidates(hits: Sequence[Passage], read: Sequence[str]) -> list[Candidate]:
    """Group hits by document, unread ones only; a mention alone has no search score."""
    done, best = set(read), dict[str, Candidate]()
    for hit in hits:
        if not hit.source or hit.source in done:
            continue
        score = 0.0 if hit.id.startswith(MENTION) else hit.score
        old = best.get(hit.source)
        text = hit.text if old is None or len(hit.text) > len(old.text) else old.text
        best[hit.source] = Candidate(hit.source, hit.title, text, max(score, old.search if old else 0.0))
    return list(best.values())


def rank(
    question: Question,
    found: Sequence[Candidate],
    *,
    best: Sequence[Sentence],
    pages: Sequence[Passage],
    vectors: Vectors,
    weights: Weights,
) -> list[Candidate]:
    """Order candidates, best first; `best` are the sentences read that answer most, `pages` what was read."""
    if not found:
        return []
    asked, known = words(question.text), [_page(page) for page in pages]
    peak = max((item.search for item in found), default=0.0) or 1.0
    hops = _hops(question, found, best, vectors)
    gaps = _gaps(question, found, pages)
    ranked = []
    for item, hop, gap in zip(found, hops, gaps, strict=True):
        link = _link(item, known)
        named = contains_phrase(asked, words(bare_title(item.title)))
        score = (
            weights.search * item.search / peak + weights.hop * hop + weights.gap * gap
            + weights.link * link + weights.title * named
        )  # fmt: skip
        ranked.append(Candidate(item.source, item.title, item.text, item.search, score, link >= 1))
    return sorted(ranked, key=lambda item: (-item.score, item.source))


def _page(page: Passage) -> _Page:
    starts = frozenset(word[:STEM] for word in terms(page.text))
    return _Page(words(page.text), words(bare_title(page.title)), starts)


def _hops(
    question: Question, found: Sequence[Candidate], best: Sequence[Sentence], vectors: Vectors
) -> list[float]:
    """Likeness of each candidate to the question, joined with each best sentence where one was read."""
    texts = [f"{bare_title(item.title)}. {item.text}" for item in found]
    queries = [f"{question.text} {line.titled}" for line in best] or [question.text]
    likeness = np.stack([vectors.likeness(query, texts) for query in queries])
    return [float(value) for value in np.clip(likeness.max(axis=0), 0.0, 1.0)]


def _gaps(question: Question, found: Sequence[Candidate], pages: Sequence[Passage]) -> list[float]:
    """Share of the uncovered question terms, by rarity, that each candidate covers."""
    known = [set(terms(f"{item.title} {item.text}")) for item in found]
    weight = rarity([list(text) for text in known] + [list(question.terms)])
    read = {term for page in pages for term in terms(f"{page.title} {page.text}")}
    open_terms = [term for term in question.terms if term not in read] or list(question.terms)
    whole = sum(weight[term] for term in open_terms) or 1.0
    return [sum(weight[term] for term in open_terms if term in text) / whole for text in known]


def _link(item: Candidate, pages: Sequence[_Page]) -> float:
    """Return 1 where one names the other's title, else the share of the candidate's title a read page says.

    The share forgives what a title adds ("UNLV Rebels football") and other endings ("Tunisian",
    "Tunisia"); it counts from `LEAST_SHARE` on and for titles of several words only.
    """
    title, text = words(bare_title(item.title)), words(item.text)
    if any(contains_phrase(page.words, title) or contains_phrase(text, page.title) for page in pages):
        return 1.0
    starts = {word[:STEM] for word in terms(bare_title(item.title))}
    if len(starts) < 2:
        return 0.0
    share = max((len(starts & page.starts) / len(starts) for page in pages), default=0.0)
    return share if share >= LEAST_SHARE else 0.0

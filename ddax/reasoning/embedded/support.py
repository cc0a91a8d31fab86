"""How far what was read carries an answer, as a judge of results sees it, and when reading may stop.

Four signs with equal weight, each in [0, 1]:

* like    cosine of the question with the best sentence read
* cover   share of the question's words that anything read says
* joint   the same for the best two connected passages: of one document, one naming the other's title, or
          both named by the question
* about   whether a document is about what is asked: the share of its title, or of a heading, that the
          question says, or 1
          where its opening names something that the question names (a question without names: the share
          of its words that the opening says)

Whether an answer is claimed is not decided here: see `scorer`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.sentences import Sentence
from ddax.text.question import Question, said_of
from ddax.text.words import bare_title, contains_phrase, terms, words
from ddax.types import Passage

STOP_LIKE = 0.75
"""Cosine from which a sentence says nearly the same as the question, so that reading may stop."""
OPENING = 160
"""Characters in which a text says what it is about."""
_METHOD = re.compile(r"(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\s+(?=/)")
"""What the heading of an endpoint says of the request: "POST /orders" is about orders."""
MAX_PAIRED = 24
"""Passages that are tried in pairs, those with most of the question's words first."""


@dataclass(frozen=True)
class Support:
    """The four signs and their mean, each in [0, 1]."""

    like: float = 0.0
    cover: float = 0.0
    joint: float = 0.0
    about: float = 0.0

    @property
    def value(self) -> float:
        """Return the mean of the signs."""
        return (self.like + self.cover + self.joint + self.about) / 4


@dataclass(frozen=True)
class _Part:
    source: str
    title: list[str]
    words: list[str]
    said: frozenset[str]
    asked: bool


def measure(question: Question, weighed: Sequence[Weighed]) -> Support:
    """Measure how far the sentences read carry an answer."""
    if not weighed:
        return Support()
    like = max(item.like for item in weighed)
    passages = list({id(item.sentence.passage): item.sentence.passage for item in weighed}.values())
    parts = [_part(passage, question) for passage in passages]
    asked = max(1, len(question.terms))
    said = frozenset[str]().union(*(part.said for part in parts))
    return Support(
        like=like,
        cover=len(said) / asked,
        joint=len(_joint(parts)) / asked,
        about=max(
            *(_about(question, passage) for passage in passages),
            *(_under(question, item.sentence) for item in weighed),
        ),
    )


def complete(question: Question, weighed: Sequence[Weighed]) -> bool:
    """Tell whether reading may stop: one passage says every word asked and nearly the question itself."""
    wanted = set(question.terms)
    said: dict[int, set[str]] = {}
    for item in weighed:
        said.setdefault(id(item.sentence.passage), set()).update(item.terms)
    whole = {key for key, own in said.items() if wanted and wanted <= own}
    return any(item.like >= STOP_LIKE for item in weighed if id(item.sentence.passage) in whole)


def _part(passage: Passage, question: Question) -> _Part:
    told = said_of(question, f"{passage.title} {passage.text}") & frozenset(question.terms)
    asked = contains_phrase(words(question.text), words(bare_title(passage.title)))
    return _Part(passage.source, words(bare_title(passage.title)), words(passage.text), told, asked)


def _joint(parts: Sequence[_Part]) -> frozenset[str]:
    """Return the most question words that two connected passages say together."""
    chosen = sorted(parts, key=lambda part: (-len(part.said), part.source))[:MAX_PAIRED]
    best = max((part.said for part in chosen), key=len, default=frozenset[str]())
    for left in chosen:
        for right in chosen:
            both = left.said | right.said
            if len(both) > len(best) and _connected(left, right):
                best = both
    return best


def _connected(left: _Part, right: _Part) -> bool:
    """Tell whether two passages belong together: one document, a mention, or both named in the question."""
    if left.source == right.source or (left.asked and right.asked):
        return True
    return contains_phrase(left.words, right.title)


def _about(question: Question, passage: Passage) -> float:
    title = set(terms(bare_title(passage.title)))
    share = len(title & set(question.terms)) / len(title) if title else 0.0
    opening = words(_opening(passage))
    if not question.names:
        told = said_of(question, " ".join(opening)) & frozenset(question.terms)
        return max(share, len(told) / max(1, len(question.terms)))
    return max(share, float(any(contains_phrase(opening, words(name)) for name in question.names)))


def _opening(passage: Passage) -> str:
    """Return what of a passage stands in the opening of its document, from which orders are left out."""
    if not (passage.opens or passage.cut):
        return ""
    return passage.text[: max(0, OPENING - (passage.start - passage.cut))]


def _under(question: Question, line: Sentence) -> float:
    """Return the share of the heading above a sentence that the question says."""
    said = set(terms(_METHOD.sub("", line.heading.plain))) if line.heading is not None else set[str]()
    return len(said & set(question.terms)) / len(said) if said else 0.0

"""The answer: a claim where the scorer is sure of one, else the passages that come nearest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ddax.memory.embed.likeness import Vectors
from ddax.reasoning.embedded.candidates import Candidate, candidates
from ddax.reasoning.embedded.evidence import Weighed, fit_of_title
from ddax.reasoning.embedded.scorer import CLAIM, scorer
from ddax.reasoning.embedded.shown import nearest, pack
from ddax.text.question import Question
from ddax.text.words import terms
from ddax.types import Citation, Passage

MORE = 0.4
"""Probability from which another candidate is told beside the one that is claimed."""
SHORT_KINDS = frozenset({"person", "date", "number"})
"""Kinds whose spans can be told by their form; places and things cannot, without a model."""
LEAST_FIT = 0.8
"""Fit of a span from which it may be the short answer."""
_LABELLED = re.compile(r"([^\W\d_][^:\n]{0,40}):\s+(\S.*)")


@dataclass(frozen=True)
class Answer:
    """An answer text with the quotes it is made of; `found` is False where passages are shown instead."""

    text: str
    citations: tuple[Citation, ...]
    found: bool
    support: float
    short: str


def answer(question: Question, passages: Sequence[Passage], vectors: Vectors) -> Answer:
    """Claim what is right with a probability of `CLAIM` at least, or show the passages that come nearest."""
    order, likely = ranked(question, passages, vectors)
    if not order or likely[0] < CLAIM:
        return Answer(nearest(order), (), False, likely[0] if likely else 0.0, "")
    best, support = order[0], likely[0]
    more = [one for one, p in zip(order[1:], likely[1:], strict=True) if p >= MORE and not (best.op or one.op)]
    told = [*best.lines, *(line for one in more for line in one.lines)]
    text, citations = pack(told, asked=frozenset(question.terms))
    return Answer(text, citations, True, support, best.short or short_of(question, best.lines[0]))


def ranked(
    question: Question, passages: Sequence[Passage], vectors: Vectors
) -> tuple[list[Candidate], list[float]]:
    """Return what could answer, the likeliest first, and how likely each is right."""
    found = candidates(question, passages, vectors)
    if not found:
        return [], []
    signs = np.stack([one.signs for one in found])
    raw, likely = scorer().raw(signs), scorer().probability(signs)
    order = sorted(range(len(found)), key=lambda k: (-raw[k], k))
    return [found[k] for k in order], [float(likely[k]) for k in order]


def short_of(question: Question, item: Weighed) -> str:
    """Return the short answer that a sentence gives; "" where none or several are of the kind asked for."""
    line = item.sentence
    if question.kind == "name" and fit_of_title(question, line):
        return line.passage.title
    if question.german or question.kind in ("yes_no", "choice", "open"):
        return ""
    labelled = _LABELLED.fullmatch(line.plain)
    if labelled and set(terms(labelled[1])) <= set(question.terms):
        return labelled[2].rstrip(".")
    if question.kind not in SHORT_KINDS:
        return ""
    spans = dict.fromkeys(span.text for span in item.spans if span.fit >= LEAST_FIT)
    return next(iter(spans)) if len(spans) == 1 else ""

"""The answer: a claim where the scorer is sure of one, else the passages that come nearest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ddax.memory.embed.likeness import Vectors
from ddax.reasoning.embedded.candidates import Candidate, candidates
from ddax.reasoning.embedded.evidence import Weighed, fit_of_title
from ddax.reasoning.embedded.scorer import scorer
from ddax.reasoning.embedded.shown import NOT_FOUND, nearest, pack
from ddax.text.question import Question, said_of, unmet
from ddax.text.words import terms
from ddax.types import Citation, Passage

NEAR = 0.7
"""Log-odds below the claim within which another sentence is told beside it."""
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
    """Claim what is likely enough to be right, or show the passages that come nearest."""
    if not passages:
        missing = unmet(question.names, frozenset())
        text = nearest((), missing) if missing else f"{NOT_FOUND}: nothing was read."
        return Answer(text, (), False, 0.0, "")
    order, raw, likely = ranked(question, passages, vectors)
    if not order or likely < scorer().claim:
        read = " ".join(f"{page.title} {page.text}" for page in passages)
        return Answer(nearest(order, unmet(question.names, said_of(question, read))), (), False, likely, "")
    best = order[0]
    more = [one for one, own in zip(order[1:], raw[1:], strict=True) if raw[0] - own <= NEAR and not one.op]
    told = [*best.lines, *(line for one in more if not best.op for line in one.lines)]
    text, citations = pack(told, asked=frozenset(question.terms))
    return Answer(text, citations, True, likely, best.short or short_of(question, best.lines[0]))


def ranked(
    question: Question, passages: Sequence[Passage], vectors: Vectors
) -> tuple[list[Candidate], list[float], float]:
    """Return what could answer, the best first, with their log-odds, and how likely the best is right."""
    found = candidates(question, passages, vectors)
    if not found:
        return [], [], 0.0
    signs = np.stack([one.signs for one in found])
    raw = scorer().raw(signs)
    order = sorted(range(len(found)), key=lambda k: (-raw[k], k))
    return [found[k] for k in order], [float(raw[k]) for k in order], scorer().best(signs)


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

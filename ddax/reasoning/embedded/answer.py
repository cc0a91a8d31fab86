"""The answer: a claim where the scorer is sure of one, else the passages that come nearest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ddax.memory.embed.likeness import Vectors
from ddax.reasoning.embedded.candidates import Candidate, candidates
from ddax.reasoning.embedded.evidence import Weighed, fit_of_title
from ddax.reasoning.embedded.features import NAMES
from ddax.reasoning.embedded.nearest import nearest
from ddax.reasoning.embedded.scorer import scorer
from ddax.reasoning.embedded.shown import pack
from ddax.text.question import Question, said_of, unmet
from ddax.text.units import unit_before
from ddax.text.words import stem, terms, words
from ddax.types import Citation, Nearest, Passage

NEAR = 0.7
"""Log-odds below the claim within which another sentence is told beside it."""
SHORT_KINDS = frozenset({"person", "date", "number"})
"""Kinds whose spans can be told by their form; places and things cannot, without a model."""
LEAST_FIT = 0.8
"""Fit of a span from which it may be the short answer."""
NOT_FOUND = "Not found in the sources"
MOST_MISSING = 6
"""Words of names that are told as missing."""
_COUNTED = re.compile(r"\bhow many\s+([^\W\d_]+)|\bwie\s*viele\s+([^\W\d_]+)", re.IGNORECASE)
_MONEY_BEFORE = re.compile(r"[€$£]\s?\Z")
_LABELLED = re.compile(r"([^\W\d_][^:\n]{0,40}):\s+(\S.*)")


@dataclass(frozen=True)
class Answer:
    """An answer text with the quotes it is made of; `found` is False where passages are shown instead."""

    text: str
    citations: tuple[Citation, ...]
    found: bool
    support: float
    short: str
    nearest: tuple[Nearest, ...] = ()


def answer(question: Question, passages: Sequence[Passage], vectors: Vectors) -> Answer:
    """Claim what is likely enough to be right, or show the passages that come nearest."""
    order, raw, likely = ranked(question, passages, vectors)
    if not order or likely < scorer().claim or _is_uncounted(question, order[0]):
        shown = nearest([line for one in order for line in one.lines])
        return Answer(refusal(question, passages), (), False, likely, "", shown)
    firm = [one for one, own in zip(order, raw, strict=True) if raw[0] - own <= NEAR]
    text, citations, short = claim_of(question, firm)
    return Answer(text, citations, True, likely, short)


def _is_uncounted(question: Question, best: Candidate) -> bool:
    """Tell whether it is asked how many, and the best is a row of a table without a cell that says it."""
    return bool(best.lines[0].sentence.cells and not best.short and _COUNTED.search(question.text))


def claim_of(question: Question, order: Sequence[Candidate]) -> tuple[str, tuple[Citation, ...], str]:
    """Return the text of a claim, its quotes and its short answer.

    Behind a sentence stands the one that leads to it from another document, then others as likely.
    """
    best = order[0]
    lead = [best.lead] if best.lead else []
    told = [*best.lines, *lead, *(line for one in order[1:] if not (best.op or one.op) for line in one.lines)]
    text, citations = pack(told, asked=frozenset(question.terms))
    return text, citations, best.short or short_of(question, best.lines[0])


def refusal(question: Question, passages: Sequence[Passage]) -> str:
    """Say that the sources do not answer, and which names nothing mentions."""
    read = " ".join(f"{page.title} {page.text}" for page in passages)
    missing = unmet(question.names, said_of(question, read))[:MOST_MISSING]
    if missing:
        return f"{NOT_FOUND}: nothing read mentions {', '.join(missing)}."
    return f"{NOT_FOUND}: {'what was read does not carry an answer' if passages else 'nothing was read'}."


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
    best = found[order[0]]
    # Where a sentence leads to several documents, it is as likely that another one is meant.
    meant = float(best.signs[NAMES.index("led_few")]) if best.lead else 1.0
    return [found[k] for k in order], [float(raw[k]) for k in order], scorer().best(signs) * meant


def short_of(question: Question, item: Weighed) -> str:
    """Return the short answer that a sentence gives; "" where none or several are of the kind asked for."""
    line = item.sentence
    if question.kind == "name" and fit_of_title(question, line):
        return line.passage.title
    if question.german or question.kind in ("yes_no", "choice", "open"):
        return ""
    labelled = None if line.cells else _LABELLED.fullmatch(line.plain)
    if labelled and set(terms(labelled[1])) <= set(question.terms):
        return labelled[2].rstrip(".") if _fits(question, labelled[2]) else ""
    if question.kind not in SHORT_KINDS:
        return ""
    spans = dict.fromkeys(span.text for span in item.spans if span.fit >= LEAST_FIT)
    if len(spans) != 1 or not _counts(question, line.plain, number := next(iter(spans))):
        return ""
    return _with_unit(line.plain, number) if question.kind == "number" else number


def _with_unit(text: str, number: str) -> str:
    """Return a number as a text writes it with its unit: "12 euros", "$5"."""
    before, _, after = text.partition(number)
    sign = _MONEY_BEFORE.search(before)
    gap = after[: len(after) - len(after.lstrip(" -\u00a0"))]
    unit = unit_before(after[len(gap) :]) if len(gap) < 2 else ""
    plain = unit in ("", "in")  # "4 in total" says no inches
    return f"{sign[0] if sign else ''}{number}{'' if plain else gap + unit}"


def _fits(question: Question, value: str) -> bool:
    """Tell whether a value may be what is asked for: a number or a date has digits."""
    return question.kind not in ("number", "date") or bool(re.search(r"\d", value))


def _counts(question: Question, text: str, number: str) -> bool:
    """Tell whether a number counts what is asked for: of "how many seats" the seats, within three words."""
    counted = _COUNTED.search(question.text) if question.kind == "number" else None
    after = words(text[text.index(number) + len(number) :])[:3] if counted and number in text else []
    return not counted or stem((counted[1] or counted[2]).lower()) in map(stem, after)

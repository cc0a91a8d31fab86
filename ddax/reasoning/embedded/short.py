"""The short answer: the span that is told of what is asked, and of nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ddax.reasoning.embedded.evidence import Weighed, fit_of_title
from ddax.reasoning.embedded.sentences import of_one_part
from ddax.reasoning.embedded.touched import LEAST_FIT, of_relative, touched
from ddax.reasoning.embedded.whole import Told, two_named
from ddax.text.question import Question, unmet

SHORT_KINDS = frozenset({"person", "date", "number"})
"""Kinds whose spans can be told by their form; places and things cannot, without a model."""
DIRECT = 0.5
"""Share of the question, by rarity, that a sentence must say to decide a short answer."""


def short_of(question: Question, sure: Sequence[Told], more: Sequence[Told], order: Sequence[Weighed]) -> str:
    """Return the short answer of what is sure to answer, if any; empty where another says a different one."""
    if not sure:
        return short_answer(question, order)
    short = agreed(question, sure)
    return short if all(touched(question, told[-1]) in (short, "") for told in more) else ""


def agreed(question: Question, sure: Sequence[Told]) -> str:
    """Return the short answer of what is sure to answer; empty where two of them say different ones."""
    clear = (told for told in sure if not two_named(question, told))
    shorts = {short for told in clear if (short := short_answer(question, [_as_one(told)]))}
    return shorts.pop() if len(shorts) == 1 else ""


def _as_one(told: Told) -> Weighed:
    """Return the last of the sentences that answer together, which says all that is asked."""
    return replace(told[-1], cover=1.0, terms=frozenset[str]().union(*(item.terms for item in told)))


def short_answer(question: Question, order: Sequence[Weighed]) -> str:
    """Choose the short answer; empty where none is asked for or no one sentence says it."""
    if question.kind == "name" and order and fit_of_title(question, order[0].sentence) == 1:
        return order[0].sentence.passage.title
    if question.kind not in SHORT_KINDS or question.german:
        return ""
    direct = [
        item
        for item in order
        if item.cover >= DIRECT
        and item.spans
        and not unmet(question.names, item.terms)
        and not of_relative(question, item)
    ]
    if not direct or direct[0].sentence.cells or _rivalled(question, direct[0], order):
        return ""
    short, *others = (touched(question, item) for item in direct if item.cover >= direct[0].cover)
    return short if set(others) <= {short, ""} else ""


def _rivalled(question: Question, item: Weighed, order: Sequence[Weighed]) -> bool:
    """Tell whether another sentence of its part answers, and says a word asked that one leaves out."""
    left = frozenset(question.terms) - item.terms
    return any(
        of_one_part(other.sentence, item.sentence)
        and not left.isdisjoint(other.terms)
        and any(span.fit >= LEAST_FIT for span in other.spans)
        for other in order
    )

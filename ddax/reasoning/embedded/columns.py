"""Columns that are asked for by another word than they are called: heavy and weight, cost and price."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

from ddax.reasoning.embedded.question import Question
from ddax.reasoning.embedded.text import terms

PRICES, WEIGHT, LENGTH, HEIGHT, WIDTH, DEPTH, AGE, SPEED, TIME, MADE = (
    frozenset(terms(words))
    for words in (
        "cost costs price prices priced pay paid charge fee",
        "weight weigh weighs weighed mass heavy",
        "length long duration",
        "height high tall altitude elevation",
        "width wide breadth broad",
        "depth deep",
        "age old",
        "speed",
        "time duration",
        "year built born founded established opened launched",
    )
)
"""What columns that say the same are called, with the words by which they are asked for."""
_ALL = (PRICES, WEIGHT, LENGTH, HEIGHT, WIDTH, DEPTH, AGE)
_HOW = re.compile(r"\W*how ([^\W\d_]+) (?:is|are|was|were)\b", re.IGNORECASE)


def asked_column(question: Question, left: AbstractSet[str]) -> frozenset[str]:
    """Return what the column that the words `left` of a question ask for may be called; empty for any."""
    if question.kind not in ("number", "thing"):
        return frozenset()
    how = _HOW.match(question.text)
    if how and not left:
        left = PRICES if how[1].lower() == "much" else frozenset(terms(how[1]))
    return next((words for words in _ALL if not words.isdisjoint(left)), frozenset())

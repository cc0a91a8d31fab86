"""Columns that are asked for by another word than they are called: heavy and weight, cost and price."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

from ddax.text.question import Question
from ddax.text.words import terms

PRICES, WEIGHT, LENGTH, HEIGHT, WIDTH, DEPTH, AGE, NOISE, GRAVITY, SPEED, TIME, MADE = (
    frozenset(terms(words))
    for words in (
        "cost costs price prices priced pay paid charge fee preis preise kosten kostet teuer",
        "weight weigh weighs weighed mass heavy gewicht wiegt wiegen schwer",
        "length long duration länge lang",
        "height high tall altitude elevation höhe hoch",
        "width wide breadth broad breite breit",
        "depth deep tiefe tief",
        "age old alter",
        "noise noisy loud loudness lärm laut",
        "severity severe grave schwere",
        "speed geschwindigkeit tempo",
        "time duration dauer zeit",
        "year built born founded established opened launched jahr baujahr erbaut gebaut gegründet",
    )
)
"""What columns that say the same are called, with the words by which they are asked for."""
_ALL = (PRICES, WEIGHT, LENGTH, HEIGHT, WIDTH, DEPTH, AGE, NOISE, GRAVITY)
_SIZES = (WEIGHT, LENGTH, HEIGHT, WIDTH, DEPTH)
_MEASURED = re.compile(r"\d\s+[^\W\d_]+\s+([^\W\d_]+)")
"""A number, its unit and what it measures: "64 metres deep"."""
_ACTS = re.compile(
    r"\b(?:(?P<long>spans?|spanned|stretch(?:es|ed)?|extends?|extended)|(?P<high>rises?|rose|towers?|towered)"
    r"|(?P<heavy>weighs?|weighed))\s+(?:[^\W\d_]+\s+){0,2}\d", re.IGNORECASE,
)  # fmt: skip
"""What measures by its verb, and the size that it measures: "spans some 310 metres"."""
HOW = re.compile(r"\W*(?:how|wie) ([^\W\d_]+) (?:is|are|was|were|ist|sind|war|waren)\b", re.IGNORECASE)
_HOW_SO = re.compile(
    r"\bhow (long|high|tall|deep|wide|broad|heavy|old|loud|noisy|severe|grave)\b", re.IGNORECASE
)
_MEANT = {"much": PRICES, "alt": AGE}
"""Words behind "how" that no column is called by."""


def asked_column(question: Question, left: AbstractSet[str]) -> frozenset[str]:
    """Return what the column that the words `left` of a question ask for may be called; empty for any."""
    if question.kind not in ("number", "thing") and not (question.german and question.kind == "open"):
        return frozenset()
    how = HOW.match(question.text)
    if how and not left:
        left = _MEANT.get(how[1].lower(), frozenset(terms(how[1])))
    return next((words for words in _ALL if not words.isdisjoint(left)), frozenset())


def meant_by(said: AbstractSet[str]) -> list[frozenset[str]]:
    """Return what columns are called that words ask for, as "cost" asks for a price."""
    return [words for words in (*_ALL, SPEED) if not words.isdisjoint(said)]


def sizes_of(question: Question) -> frozenset[str]:
    """Return what the size is called that is asked for by an adjective: a duration, by "how long"."""
    how = _HOW_SO.search(question.text)
    asked = frozenset(terms(how[1])) if how else frozenset[str]()
    return next((words for words in _ALL if not words.isdisjoint(asked)), frozenset())


def of_other_size(question: Question, text: str) -> bool:
    """Tell whether a text measures another size than is asked for: how deep, and not how high."""
    how = HOW.match(question.text)
    asked = next((size for size in _SIZES if how and not size.isdisjoint(terms(how[1]))), None)
    if asked is None:
        return False
    said = [*_MEASURED.findall(text), *(str(match.lastgroup) for match in _ACTS.finditer(text))]
    told = {term for word in said for term in terms(word)}
    return told.isdisjoint(asked) and any(not told.isdisjoint(size) for size in _SIZES)

"""How high, how long or how heavy a thing is: which number measures it, and whether anything does."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from ddax.reasoning.embedded.columns import DEPTH, HEIGHT, LENGTH, WEIGHT, WIDTH, of_other_size
from ddax.reasoning.embedded.columns import SPEED as PACE
from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.spans import Span
from ddax.text.question import Question
from ddax.text.units import LENGTH as METRES
from ddax.text.units import MASS, SPEED, TIME, unit_before, unit_of
from ddax.text.words import terms

_HOW = re.compile(
    r"\bhow (high|tall|deep|wide|broad|thick|long|far|heavy|fast|old|big|large)\b", re.IGNORECASE
)
_WITHIN = re.compile(
    r"\b(?:within|in under|in less than) (?:(?:about|around) )?"
    r"(?:\d|[^\W\d_]+ (?:second|minute|hour|day|week|month)s?\b)",
    re.IGNORECASE,
)
"""What tells how fast something is done."""
_KINDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("high", "tall", "deep", "wide", "broad", "thick"), (METRES,)),
    **dict.fromkeys(("long", "far"), (METRES, TIME)),
    "heavy": (MASS,),
    "fast": (SPEED, TIME),
}
"""What is measured by its unit; an age and what is big or large are also told by a bare number."""
_NAMES: Mapping[str, frozenset[str]] = {
    "high": HEIGHT, "tall": HEIGHT, "deep": DEPTH, "wide": WIDTH, "broad": WIDTH, "thick": WIDTH,
    "long": LENGTH, "heavy": WEIGHT, "fast": PACE,
}  # fmt: skip
"""What a size is called beside a number that has no unit."""
_LASTS = re.compile(
    r"[ -](?:nights?|quarters?|seasons?|terms?|semesters?|decades?|centur(?:y|ies)|pages?|words?|lines?"
    r"|characters?|letters?|digits?|bytes?|entries|items|names|chapters?|episodes?|stops?|stations?|blocks?"
    r"|steps?)\b",
    re.IGNORECASE,
)
"""What counts how long or how far something is, without a unit."""
_ROUGHLY = re.compile(r"\b(?:an?|half|few|several|some|many|dozens of) ([^\W\d_]{3,})", re.IGNORECASE)
"""A measure without a number: "a mile", "half an hour"."""
_AMOUNT = re.compile(
    r"\b(?:rents?|fees?|fares?|deposits?|fines?|prices?|salar(?:y|ies)|tax(?:es)?|vat|costs?|rates?|tolls?|charges?"
    r"|budgets?|debts?|wages?|pay|incomes?|interest|temperatures?|pressures?|voltages?|scores?|risks?|speeds?"
    r"|shares?|doses?|levels?|turnout|grades?|quotas?|limits?|discounts?|penalt(?:y|ies)|rainfall|loss(?:es)?"
    r"|humidity|demand|number|percentage)\b",
    re.IGNORECASE,
)
"""What is high without being measured by its height."""
_SECOND = 1 / 60
"""Minutes of the longest unit of time that tells how fast something is."""
_UNTIL = re.compile(r"\b(?:until|till|through|between|since|from\b.{0,200}\bto)\b", re.IGNORECASE)
"""What bounds a time, which tells how long it is."""


def measures(question: Question, text: str, span: Span) -> bool:
    """Tell whether a number of a text can measure the size that is asked for; any can where none is."""
    size = _size(question)
    if not size:
        return True
    if size not in _KINDS:
        return any(map(str.isdigit, span.text)) or bool(_unit(text, span.end))
    behind = text[span.end :]
    if re.match(rf"[ -][^\W\d_]+[ -]{size}\b", behind, re.IGNORECASE):  # "12 fathoms deep"
        return True
    if size in ("long", "far") and _LASTS.match(behind):
        return True
    kind, factor = unit_of(_unit(text, span.end))
    return kind in _KINDS[size] and not (size == "fast" and kind == TIME and factor > _SECOND)


def _size(question: Question) -> str:
    """Return how a thing is, of which it is asked how much so; empty for a rent, which is high otherwise."""
    how = _HOW.search(question.text)
    return how[1].lower() if how and not _AMOUNT.search(question.text) else ""


def _unit(text: str, end: int) -> str:
    """Return the unit behind a number, also behind a hyphen; "in" is the word far more often."""
    unit = unit_before(text[end + (text[end : end + 1] in (" ", "-")) :])
    return "" if unit.lower() == "in" else unit


def unmeasured(question: Question, weighed: Sequence[Weighed], needed: AbstractSet[str]) -> bool:
    """Tell whether it is asked how high or the like a thing is, and nothing said of it measures this size.

    Of the thing is what stands in a document that says all words `needed`, where there is one.
    """
    if _size(question) not in _NAMES or not weighed:
        return False
    about = {source for source, said in _said(weighed).items() if needed <= said}
    near = [item for item in weighed if item.sentence.passage.source in about] or weighed
    return not any(measured(question, item) for item in near)


def _said(weighed: Sequence[Weighed]) -> dict[str, set[str]]:
    """Return the words that the sentences read of each document say."""
    found = dict[str, set[str]]()
    for item in weighed:
        found.setdefault(item.sentence.passage.source, set()).update(item.terms)
    return found


def measured_first(question: Question, order: Sequence[Weighed]) -> list[Weighed]:
    """Put what measures the size that is asked for first."""
    return sorted(order, key=lambda item: not measured(question, item))


def measured(question: Question, item: Weighed) -> bool:
    """Tell whether a sentence says a measure of the size asked for, or its name with a number.

    Any does where no size is asked for, or one that is also told without a measure.
    """
    size, line = _size(question), item.sentence
    if size not in _NAMES or (size == "long" and _UNTIL.search(line.text)):
        return True
    if size == "fast" and _WITHIN.search(line.text):
        return True
    rough = _ROUGHLY.findall(line.text) if size != "fast" else []
    if any(unit_of(unit.lower())[0] in _KINDS[size] for unit in rough):
        return True
    if of_other_size(question, line.text):
        return False
    named = not _NAMES[size].isdisjoint(terms(line.told))
    return any(
        measures(question, line.text, span) or (named and span.fit == 1 and span.text[:1].isdigit())
        for span in item.spans
    )

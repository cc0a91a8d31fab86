"""Answers that one line says outright: the hours of a day, the value behind a label, when a thing is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ddax.reasoning.embedded.cards import asked_label
from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.hours import asked_hours
from ddax.reasoning.embedded.queries import asked_rows
from ddax.reasoning.embedded.rows import asked_cell, unknown_row
from ddax.text.question import Question
from ddax.text.words import fold, stem

_WHEN_IS = re.compile(
    r"\W*(?:when|(?:at )?what time) (?:is|are) (?:the )?(?P<noun>[a-z][a-z-]+(?: [a-z-]+)?)(?: served)?\W*",
    re.IGNORECASE,
)
_HAS = re.compile(r"\W*(?:what|which) \w+ (?:is|are|was|were|has) ", re.IGNORECASE)
_TIMED = r"(?:the )?{noun}(?: (?:is|are|will be))?(?: (?:served|held))? (?:at|from|until|between) (?:\d|noon)"


def outright(question: Question, weighed: Sequence[Weighed]) -> tuple[tuple[Weighed, ...], str] | None:
    """Return the line that answers outright and the short answer; None where there is none."""
    said = (
        asked_rows(question, weighed)
        or asked_hours(question, weighed)
        or asked_label(question, weighed)
        or _timed(question, weighed)
    )
    return said or _of_table(question, weighed)


def _of_table(question: Question, weighed: Sequence[Weighed]) -> tuple[tuple[Weighed, ...], str] | None:
    """Find the row that says that a role has nobody, or the cell below the type that is asked for.

    "What type is the Kormoran?" is read as asking for a name in a program.
    """
    if unknown := unknown_row(question, weighed):
        return (unknown,), ""
    if question.kind != "name" or not _HAS.match(question.text):
        return None
    column = replace(question, kind="thing", terms=(*question.terms, stem(question.head)))
    cell = asked_cell(column, weighed)
    return ((cell[0],), cell[1]) if cell else None


def _timed(question: Question, weighed: Sequence[Weighed]) -> tuple[tuple[Weighed, ...], str] | None:
    """Find the only sentence that begins with the thing asked for and its time: "Dinner at 20:00"."""
    asked = _WHEN_IS.fullmatch(question.text)
    if asked is None or question.kind != "date":
        return None
    begins = re.compile(_TIMED.format(noun=re.escape(fold(asked["noun"]))))
    told = [item for item in weighed if begins.match(fold(item.sentence.plain)) and not item.sentence.aside]
    return ((told[0],), "") if len(told) == 1 else None

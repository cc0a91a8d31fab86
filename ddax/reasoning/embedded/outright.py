"""Answers that one line says outright: the hours of a day, the value behind a label."""

from __future__ import annotations

from collections.abc import Sequence

from ddax.reasoning.embedded.cards import asked_label
from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.hours import asked_hours
from ddax.reasoning.embedded.question import Question


def outright(question: Question, weighed: Sequence[Weighed]) -> tuple[tuple[Weighed, ...], str] | None:
    """Return the line that answers outright and the short answer; None where there is none."""
    return asked_hours(question, weighed) or asked_label(question, weighed)

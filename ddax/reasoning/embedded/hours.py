"""When something is open on a day of the week, opens or closes: "When does the library open on Saturday?".

Only a line is taken that says nothing but the days, the hours and what the question or its page names, so
that the hours of the café are not those of the library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal, TypeAlias

from ddax.reasoning.embedded.clock import Hours, days_in, hours_in, without_times
from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.spans import DATE
from ddax.text.question import Question
from ddax.text.words import terms

Side: TypeAlias = Literal["first", "last", "both", "whether"]
"""What is asked for: when it opens, when it closes, both, or whether it is open at all."""
_FORM = frozenset(
    terms(
        "opens opening opened closes closing closed shut shuts starts begins ends finishes hours hour times "
        "time o'clock day days daily usual usually normally regular regularly visit visiting visitors "
        "business work working surgery office consulting weekly late early until till also always only "
        "please bank public holiday holidays season summer winter"
    )
)  # fmt: skip
"""What says that hours are told, and nothing of whose they are."""
_REMARKS = frozenset(terms("note notes remark remarks comment comments"))
_OPENS = re.compile(r"(?m:^)(?>.*?\b(?:do|does|will|can)\b).*\b(?:open|start|begin)\b", re.IGNORECASE)
_CLOSES = re.compile(
    r"(?m:^)(?>.*?\b(?:do|does|will)\b).*\b(?:close|shut|end|finish)\b"
    r"|\b(?:until|till) (?:when|what time)\b|\bhow late\b",
    re.IGNORECASE,
)
_OPEN = re.compile(r"(?m:^)(?>.*?\b(?:is|are)\b).*\bopen\b", re.IGNORECASE)
_WHEN = re.compile(
    r"^\W*(?:(?:at|until|till|from|between) )?(?:when|what times?|how (?:late|early))\b", re.IGNORECASE
)
_HOURS = re.compile(r"^\W*what (?:is|are) .*\b(?:hours|opening times)\b", re.IGNORECASE)


def asked_hours(question: Question, weighed: Sequence[Weighed]) -> tuple[tuple[Weighed, ...], str] | None:
    """Find the line that tells the hours of the day that is asked for, and the short answer.

    None where lines tell different hours, where none tells them, and where several days are asked for; where
    none is, hours of one day alone are no answer.
    """
    side, days = _side(question), days_in(question.text)
    if not side or len(days) > 1 or (not days and side not in ("first", "last")):
        return None
    told = [(item, own) for item in weighed for own in _told(question, item)]
    found = [(item, own) for item, own in told if (days <= own.days if days else not own.days)]
    named = [(item, own) for item, own in found if _rest(question) <= set(terms(item.sentence.titled))]
    said = [(item, short) for item, own in named or found if (short := _short(side, own))]
    if len({short for _, short in said}) != 1:
        return None
    return (said[0][0],), said[0][1]


def _side(question: Question) -> Side | None:
    """Return what is asked for; None where no hours are."""
    text = question.text
    if question.kind == "yes_no":
        return "whether" if _OPEN.search(text) and not hours_in(text) else None
    if _HOURS.search(text):
        return "both"
    if not _WHEN.search(text):
        return None
    if _CLOSES.search(text):
        return "last"
    return "first" if _OPENS.search(text) else "both" if _OPEN.search(text) else None


def _short(side: Side, own: Hours) -> str:
    """Return what hours say of what is asked for; empty where they do not say it."""
    if side == "whether":
        return "no" if own.closed else "yes" if own.first or own.last else ""
    if own.closed:
        return "closed"
    if side == "both":
        return f"{own.first}–{own.last}" if own.first and own.last else ""
    return own.first if side == "first" else own.last


def _told(question: Question, item: Weighed) -> Iterator[Hours]:
    """Give the hours that a line tells of what is asked, with the days of its heading where it names none."""
    line = item.sentence
    heading = line.heading.plain if line.heading else ""
    above = terms(f"{line.subject} {line.passage.title}")
    if line.label or not _rest(question) <= {*above, *terms(line.passage.text)}:
        return
    known = {*question.terms, *above}
    about = without_times(heading) if line.heading and heading != line.subject else ""
    intro = "" if line.cells else line.intro
    for text in [_own_cells(line.cells, known)] if line.cells else _lines(line.text):
        full = text if days_in(text) or not days_in(heading) else f"{heading}: {text}"
        if _names_no_other(f"{without_times(full)} {about} {intro}", known):
            yield from hours_in(full)


def _lines(text: str) -> list[str]:
    """Return the lines of a text where each tells hours of its own, else the text as one line."""
    lines = text.split("\n")
    return lines if all(map(hours_in, lines)) else [" ".join(lines)]


def _rest(question: Question) -> frozenset[str]:
    """Return what is asked about: a question without its day, and without what asks for hours."""
    return frozenset(question.terms).intersection(terms(without_times(question.text))) - _FORM


def _own_cells(cells: Sequence[tuple[str, str]], known: AbstractSet[str]) -> str:
    """Return a row as it is said, without remarks and without the cells of columns that are another one's."""
    (_, first), *others = cells
    own = [
        f"{name} {value}"
        for name, value in others
        if not (hours_in(f"{name} {value}") and not _names_no_other(name, known))
        and _REMARKS.isdisjoint(terms(name))
    ]
    return f"{first}: {', '.join(own)}"


def _names_no_other(text: str, known: AbstractSet[str]) -> bool:
    """Tell whether a text says nothing but what is known and what only tells of hours, or of their season."""
    return known | _FORM >= set(terms(DATE.sub(" ", text)))

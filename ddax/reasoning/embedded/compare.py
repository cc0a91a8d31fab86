"""Yes-no questions and choices between two named things, decided by values read about each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isclose

from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.extremes import higher, value_asked
from ddax.reasoning.embedded.measures import asked_measures, measures
from ddax.reasoning.embedded.nations import same_nation
from ddax.text.question import Question
from ddax.text.words import bare_title, contains_phrase, denies, stem, terms, words

_YEAR = re.compile(r"\b(1\d{3}|20\d\d)\b")
_EARLIER = re.compile(r"\b(?:first|earlier|older|oldest|before)\b", re.IGNORECASE)
_LATER = re.compile(r"\b(?:later|younger|youngest|recently|last|after|newer)\b", re.IGNORECASE)
_LESS = re.compile(
    r"\b(?:fewer|less|smaller|smallest|lower|shorter|shortest|fewest|lighter|lightest)\b", re.IGNORECASE
)
_BIRTH = re.compile(r"\b(?:older|oldest|younger|youngest)\b", re.IGNORECASE)
_TOGETHER = re.compile(r"\b(?:and|both|same|than)\b", re.IGNORECASE)
"""What asks of two things alike; else the one is asked of the other: "Did Lee found Nordvik?"."""
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
Value = tuple[float, Weighed]


@dataclass(frozen=True)
class About:
    """A named thing and the sentences that are about it."""

    name: str
    lines: tuple[Weighed, ...]


def compared(question: Question, weighed: Sequence[Weighed]) -> tuple[str, list[Weighed]]:
    """Decide a choice or a yes-no question, and by which sentences; empty where it is open."""
    if question.kind == "choice":
        if rows := higher(question, weighed):
            said = [set(words(cell)) for _, cell in rows[0].sentence.cells]
            return next(name for name in question.options if set(words(name)) in said), rows
        return _choose(question, [_about(name, weighed) for name in question.options])
    sides = [about for name in question.names if (about := _about(name, weighed)).lines]
    if len(sides) < 2 or not _TOGETHER.search(question.text):
        return "", []
    return _agree(question, sides[:2]), []


def _about(name: str, weighed: Sequence[Weighed]) -> About:
    """Collect the sentences of documents titled by the name, else those that mention it."""
    wanted = words(_ARTICLE.sub("", name))
    titled = [item for item in weighed if contains_phrase(words(bare_title(item.sentence.subject)), wanted)]
    lines = titled or [item for item in weighed if contains_phrase(words(item.sentence.text), wanted)]
    return About(name, tuple(lines))


def _choose(question: Question, sides: Sequence[About]) -> tuple[str, list[Weighed]]:
    asked = question.text
    if _EARLIER.search(asked) or _LATER.search(asked):
        low = bool(_EARLIER.search(asked))
        if _BIRTH.search(asked):
            low = not re.search(r"\byoung", asked, re.IGNORECASE)
        values = [_year(side) for side in sides]
    else:
        low = bool(_LESS.search(asked))
        values = next(filter(None, (_sizes(question, kind, sides) for kind in asked_measures(asked))), [None])
    known = [value for value in values if value is not None]
    if (
        len(known) < len(sides)
        or isclose(known[0][0], known[1][0])
        or any(_denies(item) for _, item in known)
    ):
        return "", []
    order = sorted(range(2), key=lambda i: known[i][0], reverse=not low)
    return sides[order[0]].name, [known[i][1] for i in order]


def _year(side: About) -> Value | None:
    """Return the first year in the order of the document: openings state birth and release."""
    for item in sorted(side.lines, key=_reading):
        if match := _YEAR.search(item.sentence.text):
            return float(match.group(1)), item
    return None


def _sizes(question: Question, kind: str, sides: Sequence[About]) -> list[Value | None]:
    """Return the value of a kind that is told of each side; nothing where one has none, or several rows."""
    found = [_size(question, kind, side) for side in sides]
    return found if all(found) else []


def _size(question: Question, kind: str, side: About) -> Value | None:
    told = [
        (value, item)
        for item in sorted(side.lines, key=_reading)
        for own, value in _told(question, item)
        if own == kind
    ]
    # Rows of one name that differ are of two things: which one is meant, nobody says.
    rows = [value for value, item in told if item.sentence.cells]
    if any(not isclose(rows[0], value) for value in rows[1:]):
        return None
    return told[0] if told else None


def _told(question: Question, item: Weighed) -> Iterator[tuple[str, float]]:
    """Yield the values of a sentence; of a row that of the column by which a question compares."""
    if not item.sentence.cells:
        yield from measures(item.sentence.text)
    elif value := value_asked(question, item.sentence):
        yield value


def _agree(question: Question, sides: Sequence[About]) -> str:
    """Say yes where what is asked of both stands with both, no where it stands with one alone.

    Nothing is said where a sentence denies a word asked: of what, is not told without a model.
    """
    names = {term for name in question.names for term in terms(name)}
    asked = [term for term in question.terms if term not in names and term not in _VAGUE]
    if re.search(r"\bnationality\b|\bcountry\b", question.text, re.IGNORECASE):
        same = same_nation(*(_opening(side) for side in sides))
        return "" if same is None else "yes" if same else "no"
    held = [{term for term in asked if any(term in item.terms for item in side.lines)} for side in sides]
    told = [item for side in sides for item in side.lines if not item.terms.isdisjoint(asked)]
    if not asked or any(map(_denies, told)):
        return ""
    return "yes" if all(len(h) * 2 >= len(asked) for h in held) else "no"


_VAGUE = frozenset(
    stem(word)
    for word in ["same", "both", "also", "nationality", "country", "located", "considered", "type", "kind"]
)
OPENING = 3
"""Sentences in which a page says of which country its subject is."""


def _opening(side: About) -> str:
    """Return how a page begins, without the name itself: Jordan and French are names too."""
    first = sorted(side.lines, key=_reading)[:OPENING]
    return " ".join(item.sentence.text for item in first).replace(side.name, "")


def _denies(item: Weighed) -> bool:
    said = words(item.sentence.text)
    return denies(said) or "no" in said


def _reading(item: Weighed) -> tuple[str, int]:
    """Sort sentences as they stand in their documents."""
    return item.sentence.passage.source, item.sentence.start

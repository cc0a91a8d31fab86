"""Yes-no questions and choices between two named things, decided by values read about each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.question import Question
from ddax.reasoning.embedded.text import bare_title, contains_phrase, stem, terms, words

_YEAR = re.compile(r"\b(1\d{3}|20\d\d)\b")
_NUMBER = re.compile(r"\b(\d[\d,]*(?:\.\d+)?)\b")
_EARLIER = re.compile(r"\b(?:first|earlier|older|oldest|before)\b", re.IGNORECASE)
_LATER = re.compile(r"\b(?:later|younger|youngest|recently|last|after|newer)\b", re.IGNORECASE)
_MORE = re.compile(r"\b(?:more|larger|bigger|higher|taller|longer|greater|largest|most)\b", re.IGNORECASE)
_LESS = re.compile(r"\b(?:fewer|less|smaller|lower|shorter|fewest)\b", re.IGNORECASE)
_BIRTH = re.compile(r"\b(?:older|oldest|younger|youngest)\b", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)


@dataclass(frozen=True)
class About:
    """A named thing and the sentences that are about it."""

    name: str
    lines: tuple[Weighed, ...]


def compared(question: Question, weighed: Sequence[Weighed]) -> tuple[str, Weighed | None]:
    """Decide a choice or a yes-no question; empty where what was read does not decide it."""
    if question.kind == "choice":
        return _choose(question, [_about(name, weighed) for name in question.options])
    sides = [about for name in question.names if (about := _about(name, weighed)).lines]
    if len(sides) < 2:
        return "", None
    return _agree(question, sides[:2])


def _about(name: str, weighed: Sequence[Weighed]) -> About:
    """Collect the sentences of documents titled by the name, else those that mention it."""
    wanted = words(_ARTICLE.sub("", name))
    titled = [
        item for item in weighed if contains_phrase(words(bare_title(item.sentence.passage.title)), wanted)
    ]
    lines = titled or [item for item in weighed if contains_phrase(words(item.sentence.text), wanted)]
    return About(name, tuple(lines))


def _choose(question: Question, sides: Sequence[About]) -> tuple[str, Weighed | None]:
    asked = question.text
    by_year = _EARLIER.search(asked) or _LATER.search(asked)
    by_size = _MORE.search(asked) or _LESS.search(asked)
    if by_year:
        values = [_first(side, _YEAR) for side in sides]
    elif by_size:
        values = [_first(side, _NUMBER) for side in sides]
    else:
        return "", None
    if any(value is None for value in values):
        return "", None
    known = [value for value in values if value is not None]
    if known[0][0] == known[1][0]:
        return "", None
    low = bool(_EARLIER.search(asked)) if by_year else bool(_LESS.search(asked))
    if _BIRTH.search(asked):
        low = not re.search(r"\byoung", asked, re.IGNORECASE)
    order = sorted(range(2), key=lambda i: known[i][0], reverse=not low)
    return sides[order[0]].name, known[order[0]][1]


def _first(side: About, pattern: re.Pattern[str]) -> tuple[float, Weighed] | None:
    """Return the first value in the order of the document: openings state birth and release."""
    for item in sorted(side.lines, key=lambda item: (item.sentence.passage.source, item.sentence.start)):
        match = pattern.search(item.sentence.text)
        if match:
            return float(match.group(1).replace(",", "")), item
    return None


def _agree(question: Question, sides: Sequence[About]) -> tuple[str, Weighed | None]:
    """Say yes where what is asked of both stands with both, no where it stands with one alone."""
    names = {term for name in question.names for term in terms(name)}
    asked = [term for term in question.terms if term not in names and term not in _VAGUE]
    if "nationality" in question.text.lower() or "country" in question.text.lower():
        shared = _nation(sides[0]) & _nation(sides[1])
        known = _nation(sides[0]) and _nation(sides[1])
        return (("yes" if shared else "no"), sides[0].lines[0]) if known else ("", None)
    held = [{term for term in asked if any(term in item.terms for item in side.lines)} for side in sides]
    if not asked:
        return "", None
    return ("yes" if all(len(h) * 2 >= len(asked) for h in held) else "no"), sides[0].lines[0]


_VAGUE = frozenset(
    stem(word)
    for word in ["same", "both", "also", "nationality", "country", "located", "considered", "type", "kind"]
)
_NATION = re.compile(r"\b([A-Z][a-z]+(?:an|ish|ese|ch|i))\b")


def _nation(side: About) -> set[str]:
    return {match for item in side.lines[:3] for match in _NATION.findall(item.sentence.text)}

"""Sentences about another one than the question names, under a title that names the one asked for.

On a page about Vessa, "The town hall of Torsby was built in 1902" tells nothing of the town hall of Vessa.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import lru_cache

from ddax.reasoning.embedded.sentences import Sentence, goes_back
from ddax.reasoning.embedded.spans import names_in
from ddax.text.question import Question
from ddax.text.words import contains_phrase, fold, terms, words

_NUMBERED = re.compile(r"(?P<base>.*\D) (?P<number>\d[\d.]*)")
"""A name that a number tells from others: "Tessel 5.2"."""
_COUNTED = re.compile(
    r"\b(?:day|chapter|room|line|platform|step|section|article|paragraph|page|part|level|phase|stage|week|gate|seat"
    r"|row|table|figure|question|track|round|lesson|unit|house|bus|tram|train|item|rule|clause|annex|appendix"
    r"|version|release|season|episode|volume|grade|class|group|team|zone|floor|hall|studio|bay|pier|dock)"
    r" \d+(?:\.\d+)*\b"
)
"""One of several that a number tells apart: "day 4"."""
_LEAST = r"(?:(?:>=?|≥|(?:versions? )?(?:from|since|at least|between|newer than|above)|versions?|v) ?)?"
_TO = re.compile(
    r"(?P<open>\+| ?(?:and|or) (?:newer|later|higher|above|up|greater)\b)"
    r"| ?(?:[–—-]|(?:up )?to|through|until) ?v?(?P<most>\d+(?:\.\d+)*)",
    re.IGNORECASE,
)
"""What makes of a number the least one: "3.8 or newer", "3.8 to 3.11"."""
_IN_YEAR = re.compile(r"\b(?:in|of|for|during) (1\d{3}|20\d\d)\b", re.IGNORECASE)
_FROM_TO = re.compile(r"\b(1\d{3}|20\d\d)\s*(?:[–—-]|to|until|and)\s*(1\d{3}|20\d\d)\b")
_DOES = r"\b(?:do|does|did|has|have|had|can|will)\s+(?:the\s+)?"
"""What stands before the one who does what a question asks."""
_DONE = r"\b(?:was|were)\s+(?:the\s+)?%s\s+[a-z]+(?=\W*$|\s+(?:in|at|on|by|from|to)\b)"
"""How it is asked what was done with the one who is named, or where she was born."""
_BACK = frozenset(["it", "its", "he", "his", "him", "she", "her", "they", "their", "them", "this", "these"])
"""Words by which a sentence about another one may still speak of what its title names."""
_THE = re.compile(r"\bthe (\w+)", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;:]\s")


def unmeant(question: Question, line: Sentence, before: Sequence[Sentence]) -> frozenset[str]:
    """Return the terms of the names in a question that a sentence is not about, but of another one.

    `before` are the sentences that stand before it.
    """
    subject = _subject(line, before)
    if subject is None or line.label or line.cells:
        return frozenset()
    text = words(f"{subject.plain} {line.plain}" if subject is not line else line.plain)
    others = (
        name
        for name in question.names
        if (_BACK.isdisjoint(words(subject.plain)) and _of_another_number(name, subject.plain))
        or (not contains_phrase(text, words(name)) and _is_other(question, name, subject, line))
    )
    return frozenset(term for name in others for term in terms(name))


def _subject(line: Sentence, before: Sequence[Sentence]) -> Sentence | None:
    """Return the sentence that names what a sentence is about; None where that was not read."""
    own, rest = line, [one for one in before if one.passage == line.passage and not one.label]
    while goes_back(own):
        if not rest or rest[-1].place != own.place - 1 or rest[-1].heading != own.heading:
            return None
        own = rest.pop()
    return own


def _of_another_number(name: str, text: str) -> bool:
    """Tell whether a text says a name with another number, and not with its own: "Tessel 4"."""
    numbered = _NUMBERED.fullmatch(name)
    if numbered is None:
        return False
    said = re.findall(rf"\b{re.escape(numbered['base'])} (\d[\d.]*\b)", text, re.IGNORECASE)
    return bool(said) and not any(_is_part(numbered["number"], other) for other in said)


def said_otherwise(names: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Return the names of which texts say other numbers alone: Python 3.8, and never 3.9.

    A number counts where the text says the name as well, as does one that a range holds: "3.8 or newer".
    """
    found = [(name, match) for name in names if (match := _NUMBERED.fullmatch(name))]
    return [
        name
        for name, match in found
        if any(_of_another_number(name, text) for text in texts)
        and not any(
            _may_say(match, text) for text in texts if contains_phrase(words(text), words(match["base"]))
        )
    ]


def _may_say(numbered: re.Match[str], text: str) -> bool:
    """Tell whether a text that says a name says its number, or a range without an end that may hold it."""
    if numbered["number"] in words(text):
        return True
    least = re.compile(rf"\b{re.escape(numbered['base'])} ?{_LEAST}(\d+(?:\.\d+)*)", re.IGNORECASE)
    own = _version(numbered["number"])
    return any(
        _version(match[1]) <= own and (bool(to["open"]) or own <= _version(to["most"]))
        for match in least.finditer(text)
        if (to := _TO.match(text, match.end()))
    )


def _version(number: str) -> list[int]:
    """Return the parts of a number by which versions are ordered: 3.10 is more than 3.9."""
    return [int(part) for part in number.split(".") if part]


def uncounted(question: Question, texts: Sequence[str]) -> list[str]:
    """Return what a question asks of by its number, where texts say others of its kind alone: "day 4".

    One that a row of them may hold ("rooms 1 to 5") is not told.
    """
    found: list[str] = []
    for name in dict.fromkeys(_COUNTED.findall(question.text)):
        kind = name.split()[0]
        said = any(contains_phrase(words(text), words(name)) for text in texts)
        rows = re.compile(rf"\b{kind}s\s+\d|\b{kind}\s+\d+\s*(?:[-–,/&]|to\b|and\b|or\b)", re.IGNORECASE)
        others = re.compile(rf"\b{kind}\s+\d", re.IGNORECASE)
        if not said and any(map(others.search, texts)) and not any(map(rows.search, texts)):
            found.append(name)
    return found


def told_of_others(question: Question, texts: Sequence[str]) -> list[str]:
    """Return what a question asks of by a number, where texts tell of other numbers of its kind alone."""
    return [*said_otherwise(question.names, texts), *uncounted(question, texts)]


def unsaid_years(question: Question, texts: Sequence[str]) -> list[str]:
    """Return the years of which a question asks and that no text says, nor a time that holds them."""
    known = {word for text in texts for word in words(text)}
    times = [(int(first), int(last)) for text in texts for first, last in _FROM_TO.findall(text)]
    asked = dict.fromkeys(_IN_YEAR.findall(question.text))
    return [
        year
        for year in asked
        if year not in known and not any(first <= int(year) <= last for first, last in times)
    ]


def _is_part(number: str, other: str) -> bool:
    """Tell whether a number is another one or a part of it: 5.2 is one of 5."""
    return f"{number}.".startswith(f"{other}.") or f"{other}.".startswith(f"{number}.")


def _is_other(question: Question, name: str, subject: Sentence, line: Sentence) -> bool:
    """Tell whether a sentence that does not say a name is about another one like it."""
    text, own = subject.plain, set(terms(name))
    if not own.isdisjoint(terms(f"{text} {line.plain}")):
        return _is_namesake(name, text)
    if _of_noun(question, name, f"{text} {line.plain}"):
        return True
    led = _leading_name(subject)
    if not led or not set(terms(led)).isdisjoint(question.terms):
        return False
    rest = set(question.terms) - own
    if subject is not line and rest.isdisjoint(terms(text)):
        return True  # "Torsby lies inland. Its church ..."
    return _does(question.text, name) and bool(rest) and not _refers_back(line.plain[len(led) :], rest)


@lru_cache(maxsize=1024)  # every sentence is held against the question
def _does(asked: str, name: str) -> bool:
    own = re.escape(name)
    return any(re.search(form, asked, re.IGNORECASE) for form in (_DOES + own, _DONE % own))


def _refers_back(text: str, asked: Set[str]) -> bool:
    """Tell whether a clause speaks of what is known before: "it", "the film", but not what is asked."""
    clause = _CLAUSE.split(text)[0]
    known = (terms(noun) for noun in _THE.findall(clause))
    return not _BACK.isdisjoint(words(clause)) or not all(set(own) <= asked for own in known)


def _is_namesake(name: str, text: str) -> bool:
    """Tell whether a text names one with the same last word: Karl Lindquist, where Anne is asked for."""
    first, *middle, last = words(name) if " " in name else ("", "")
    if not first or first in words(text):
        return False
    named = [words(span.text) for span in names_in(text)]
    return any(len(own) > 1 and own[-1] == last and own[0] not in (first, *middle) for own in named)


def _of_noun(question: Question, name: str, text: str) -> bool:
    """Tell whether a text says the noun that is asked of a name of another one: "town hall of Torsby"."""
    asked = re.search(rf"\b(\w+) of (?:the )?{re.escape(name)}\b", question.text, re.IGNORECASE)
    owned = re.search(rf"\b{re.escape(name)}['’]s? (\w+)", question.text, re.IGNORECASE)
    noun = asked[1] if asked else owned[1] if owned else ""
    others = re.findall(rf"\b{re.escape(noun)} of (?:the )?([A-Z\u00c0-\u00de]\w+)", text) if noun else []
    return any(set(terms(other)).isdisjoint(question.terms) for other in others)


def _leading_name(line: Sentence) -> str:
    """Return the name with which a sentence begins, if its page says it elsewhere or it has two words."""
    text = line.plain
    span = next(iter(names_in(text)), None)
    if span is None or fold(text[: span.start]).strip() not in ("", "the"):
        return ""
    page = line.passage.text
    inside = re.search(rf"(?<=[a-z,] ){re.escape(span.text)}\b", page) is not None
    return text[: span.end] if " " in span.text or inside else ""

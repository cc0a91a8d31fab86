"""Spans of a sentence that could be a short answer: names, dates, numbers, and their fit to the kind."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ddax.text import german
from ddax.text.question import Question
from ddax.text.words import bare_title, fold, terms, words

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_NTH = r"\d{1,2}(?:st|nd|rd|th)?"
DATE = re.compile(
    rf"\b(?:{_NTH} (?:of )?{_MONTH}(?:,? \d{{4}})?|{_MONTH} {_NTH}\b(?:, \d{{4}})?|{_MONTH} \d{{4}}"
    r"|\d{4}-\d\d-\d\d|\d{1,2}(?:\.\d{1,2}\.|/\d{1,2}/)\d{4}"
    # A year that is a part of a day written otherwise is no date.
    r"|(?<!\b\d[./-])(?<!\b\d\d[./-])(?:1\d{3}s?|20\d\ds?)(?![./-]\d\d?\b))\b"
)
_IS_DATE = re.compile(rf"{_MONTH}(?: \d{{1,4}})?")
"""A date that has a capital as a name has."""
_DAY = re.compile(rf"\b(?:\d{{1,2}} {_MONTH}|{_MONTH} \d{{1,2}})\b")
"""A day that a question names: the same with its year is no answer."""
_YEAR = re.compile(r"\b(?:1\d{3}|20\d\d)\b")
COUNT = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen"
    "|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|dozen"
)
"""Numbers that are written as words, as alternatives of a pattern."""
_NUMBER = re.compile(
    rf"(?<!\[)\b(?:(?:\d[\d,.]*\d|\d)(?!st\b|nd\b|rd\b|th\b)(?:[a-z]{{1,3}}\b|\b)|{COUNT}\b)"
    rf"(?:[- ](?:million|billion|thousand|hundred|percent|{COUNT}))*\b",
    re.IGNORECASE,
)
"""A number with what is written onto it ("64k"); a footnote ("[1]") and a rank ("3rd") are none."""
_NAME = re.compile(
    r"[A-Z\u00c0-\u00de][\w'’&-]*(?:\.(?=\s[A-Z]))?"
    r"(?:(?:,? (?:of|the|and|de|la|von|van|da|del|for|in))*[ ]"
    r"[A-Z\u00c0-\u00de\d][\w'’&!-]*(?:\.(?=\s[A-Z]))?)*"
)
_PLACE_BEFORE = re.compile(r"\b(?:in|at|near|from|of|to|based in|located in|outside)\s+(?:the\s+)?$")
_PERSON_NEAR = re.compile(
    r"\b(?:by|actor|actress|singer|director|author|writer|born|starring|with|and|father|son)\b"
)
_BEHIND = re.compile(r"(?:,? and)?,? (?:in|for|on|since|from|until)\b.*$")
_DIGITS = re.compile(r"^[\d ]+")
"""What a run of capitalised words and numbers holds besides the names of people: a time, a place."""
_AND = re.compile(r",? and |, ")
_TITLES = frozenset(["dr", "prof", "mr", "mrs", "ms", "sir", "dame", "lady", "lord", "saint", "st"])
"""Words before a name that a question may leave out."""
_STOP_START = frozenset(
    ["the", "a", "an", "in", "it", "he", "she", "they", "this", "that", "his", "her", "its", "their",
     "on", "at", "for", "as", "after", "before", "when"]
)  # fmt: skip


@dataclass(frozen=True)
class Span:
    """A possible short answer: verbatim text, offsets in the sentence, and its fit to the kind in [0, 1]."""

    text: str
    start: int
    end: int
    fit: float


def candidates(question: Question, sentence: str, title: str) -> list[Span]:
    """List the spans of a sentence that could answer, those the question itself names left out."""
    sentence = sentence.replace("\n", " ")  # a name may go on in the next line
    asked = set(words(question.text))
    days = [set(words(match.group())) for match in _DAY.finditer(question.text)]
    found = _of_kind(question, sentence)
    own = set(words(bare_title(title)))
    kept = []
    for span in found:
        said = set(words(span.text))
        if question.german and question.kind == "person" and len(said - german.FUNCTION_WORDS - asked) < 2:
            continue  # German nouns have capitals too: of these, only several words are a name
        if said and not said - _TITLES <= asked and not any(day <= said for day in days):
            kept.append(Span(span.text, span.start, span.end, span.fit * (0.7 if said <= own else 1.0)))
    return kept


def _of_kind(question: Question, sentence: str) -> list[Span]:
    if question.kind == "date":
        wanted = _YEAR if re.search(r"\byear\b", question.text, re.IGNORECASE) else DATE
        return [Span(m.group(), m.start(), m.end(), 1.0) for m in wanted.finditer(sentence)]
    if question.kind == "number":
        days = [day.span() for day in DATE.finditer(sentence) if not _YEAR.fullmatch(day.group())]
        return [
            Span(m.group(), m.start(), m.end(), 0.4 if _YEAR.fullmatch(m.group()) else 1.0)
            for m in _NUMBER.finditer(sentence)
            if not any(start <= m.start() < end for start, end in days)
        ]
    found = people_in(sentence) if question.kind == "person" else names_in(sentence)
    return [_fitted(question, sentence, span) for span in found]


def names_in(sentence: str) -> list[Span]:
    """List the runs of capitalised words of a sentence."""
    found = []
    for match in _NAME.finditer(sentence):
        text, start = match.group(), match.start()
        first, _, rest = text.partition(" ")
        if first.lower() in _STOP_START:
            start, text = start + len(first) + 1, rest
        if len(text) > 1 and fold(text) not in _STOP_START and not _IS_DATE.fullmatch(text):
            found.append(Span(text, start, start + len(text), 0.5))
    return found


def people_in(sentence: str) -> list[Span]:
    """List the names of people of a sentence; those that are listed together are one span."""
    found: list[Span] = []
    for span in reversed(names_in(sentence)):
        text = _BEHIND.sub("", _DIGITS.sub("", span.text))
        start = span.start + span.text.index(text)
        own = Span(text, start, start + len(text), span.fit)
        last = found[-1] if found else own
        listed = sentence[own.end : last.start] == ", " and " and " in last.text
        if listed and not led_as_place(sentence, start):
            found[-1] = Span(sentence[start : last.end], start, last.end, span.fit)
        elif text and not DATE.fullmatch(text):
            found.append(own)
    return found[::-1]


def led_as_place(sentence: str, start: int) -> bool:
    """Tell whether what begins there stands where a place does: "in New York"."""
    return _PLACE_BEFORE.search(sentence[max(0, start - 24) : start].lower()) is not None


def _fits_person(question: Question, text: str, after: str) -> bool:
    """Tell whether a text is the full name of a person or of several, none of whom the question names."""
    asked = set(words(question.text))
    parts = _AND.split(text)
    named = any(set(words(part)) <= asked for part in parts)
    cut = after.startswith((" in ", " for ")) and " and " in after
    return not named and not cut and all(2 <= len(part.split()) <= 4 for part in parts)


def _fitted(question: Question, sentence: str, span: Span) -> Span:
    before, after = sentence[max(0, span.start - 24) : span.start], sentence[span.end : span.end + 24]
    fit = 0.5
    if question.kind == "place":
        fit = 1.0 if _PLACE_BEFORE.search(before) or after.startswith(", ") else 0.4
    elif question.kind == "person":
        fit = 0.8 if _fits_person(question, span.text, after) else 0.4
        fit += 0.2 if _PERSON_NEAR.search(f"{before} {after}") else 0.0
    elif question.head:
        near = set(terms(f"{sentence[max(0, span.start - 40) : span.start]} {span.text} {after}"))
        fit = 1.0 if set(terms(question.head)) & near else 0.5
    return Span(span.text, span.start, span.end, fit)

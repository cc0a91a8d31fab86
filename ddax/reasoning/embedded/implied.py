"""Words that a sentence says by its form: 26 °C is a temperature, and 2.3.1 above a list is a version."""

from __future__ import annotations

import re

from ddax.reasoning.embedded.question import Question
from ddax.reasoning.embedded.sentences import Sentence
from ddax.reasoning.embedded.spans import DATE

_FORMS = (
    (re.compile(r"\d\s*(?:°\s*[CF]\b|degrees (?:Celsius|Fahrenheit|centigrade)\b)"), "temperature"),
    (re.compile(r"\d\s*(?:km/h|kmh|mph|m/s|knots)\b"), "speed"),
    (re.compile(r"\b[A-Z][\w-]*(?: v| version)? ?\d+\.\d+"), "version"),
    (
        re.compile(r"\b(?:call|phone|ring|telephone)\b[^.;\d]{0,20}\+?\d[\d ()/-]{5,}\d", re.IGNORECASE),
        "phone number",
    ),
    (re.compile(r"\w@\w[\w.-]*\.\w"), "email address"),
    (
        re.compile(
            r"\b\d+[a-z]?,? (?:[A-Z][\w'’]+ ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Square|Quay|Drive|Way"
            r"|Place|Terrace|Boulevard|Court|Row)\b"
            r"|\b[A-Z]\w+(?:stra(?:ss|ß)e|weg|platz|gatan|vej| Street| Road) \d"
        ),
        "address",
    ),
)
_TIMES = (
    (re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE), "day"),
    (re.compile(r"\b\d{1,2}[:.]\d{2}\b|\b\d{1,2} ?[ap]\.?m\b|\bnoon\b", re.IGNORECASE), "time"),
    (
        re.compile(r"\b(?:takes? place|(?:is|are|be) held|starts?|begins?|happens?)\b", re.IGNORECASE),
        "start begin take place held happen",
    ),
)
"""What tells when something is, and of an event that it is."""
_VERSION = re.compile(r"#+ \[?v?\d+(?:\.\d+)+(?:[-.]\w+)*\]?\W*")
"""The heading of a version, as changelogs have it, up to its date: "## [2.3.1] - 2024-06-11"."""


def implied(question: Question, line: Sentence) -> str:
    """Return what a sentence, or the heading it stands under, says by its form."""
    forms = (*_FORMS, *_TIMES) if question.kind == "date" else _FORMS
    said = [word for form, word in forms if form.search(line.text)]
    return " ".join([*said, "version release released"] if _of_version(line) else said)


def released(line: Sentence) -> bool:
    """Tell whether a sentence stands under the heading of a version that says when it was released."""
    above = line.heading
    return not line.label and above is not None and _of_version(line) and DATE.search(above.text) is not None


def dated(line: Sentence) -> bool:
    """Tell whether a line is the heading of a version, with its date."""
    return line.label and _of_version(line) and DATE.search(line.text) is not None


def _of_version(line: Sentence) -> bool:
    heading = line if line.label else line.heading
    if heading is None or (name := _VERSION.match(heading.text)) is None:
        return False
    rest = heading.text[name.end() :].rstrip(") ")
    return not rest or DATE.fullmatch(rest) is not None

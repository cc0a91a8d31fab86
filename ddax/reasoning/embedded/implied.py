"""Words that a sentence says by its form: 26 °C is a temperature, and 2.3.1 above a list is a version."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ddax.reasoning.embedded.sentences import Sentence
from ddax.reasoning.embedded.spans import DATE
from ddax.text.question import Question
from ddax.text.units import PRICE

_FORMS = (
    (re.compile(r"\d\s*(?:°\s*[CF]\b|degrees (?:Celsius|Fahrenheit|centigrade)\b)"), "temperature"),
    (re.compile(r"\d\s*(?:km/h|kmh|mph|m/s|knots)\b"), "speed"),
    (re.compile(r"\d\s*(?:[kMG]?Hz|[kM]bit/s|[kMG]B/s|/s)\b|\d \w+ (?:a|per) second\b"), "rate frequency"),
    (re.compile(r"\bpp?\. ?\d+"), "published publication"),
    (re.compile(r"(?<![\w-])[A-Z](?:[\w-]*\d|[\w-]*+(?: v| version)? ?\d+)\.\d+"), "version"),
    (
        re.compile(r"\b(?:call|phone|ring|telephone)\b[^.;\d]{0,20}\+?\d[\d ()/-]{5,}\d", re.IGNORECASE),
        "phone number",
    ),
    (re.compile(r"\(\+?\d[\d /-]{6,}\d\)"), "phone number"),
    (
        re.compile(
            r"\b[Ii]f (?:\w+ ){1,3}(?:shows?|displays?|reads?|says?|reports?|prints?|blinks?|flashes) "
        ),
        "mean means",
    ),
    (re.compile(r"\w@\w[\w.-]*\.\w"), "email address"),
    (re.compile(r"(?:\b(?:localhost|\d{1,3}(?:\.\d{1,3}){3})|(?<![\w.:])):\d{2,5}\b"), "port"),
    (
        re.compile(
            r"\b(?:return|repl|answer|respond|fail)\w* (?:with )?[1-5]\d\d\b|\b[1-5]\d\d is returned\b"
        ),
        "status code",
    ),
    (
        re.compile(
            r"\b(?:decided (?:for|on|in favou?r of)|opted for|settled (?:for|on)|went (?:for|with)|picked"
            r"|selected|voted for)\b",
            re.IGNORECASE,
        ),
        "choose chosen decide select pick",
    ),
    (
        re.compile(
            r"\brenamed\b|\b(?:formerly|previously|originally)\b|\bnow (?:called|named)\b", re.IGNORECASE
        ),
        "called named known",
    ),
    (
        re.compile(
            r"\A(?>.*?\b(?:deprecated|obsolete|removed|superseded|replaced)\b).*\b(?:use|by|in favou?r of)\b",
            re.IGNORECASE | re.DOTALL,
        ),
        "instead",
    ),
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
_AMOUNTS = (
    (PRICE, "money"),
    (
        re.compile(
            r"\b(?:at most|up to|(?:no|not) more than|maximum|maximal|limit(?:s|ed)?)\b", re.IGNORECASE
        ),
        "allowed permitted possible maximum limit",
    ),
)
"""What an amount tells of itself: that it is money, or the most there may be."""
_LIMITS = re.compile(r"\b(?:limits?|quotas?|restrictions?)\b", re.IGNORECASE)
"""The heading of what says how much of something is allowed."""
_OF_KIND = {"date": _TIMES, "number": _AMOUNTS}
_NUMBER_OF = re.compile(r"\b(?P<what>[a-z]{3,}) (?:number|code)\b", re.IGNORECASE)
_LED_BY = re.compile(
    r"\W*(?P<by>from|at|to|in) (?:which|what) "
    r"(?P<what>station|stop|airport|harbou?r|pier|platform)\b",
    re.IGNORECASE,
)
"""What asks for a place by the word that stands before its name: "From which station does it leave?"."""
_VERSION = re.compile(r"#+ \[?v?\d+(?:\.\d+)+(?:[-.]\w+)*\]?\W*")
"""The heading of a version, as changelogs have it, up to its date: "## [2.3.1] - 2024-06-11"."""


def implied(question: Question, line: Sentence) -> str:
    """Return what a sentence, or the heading it stands under, says by its form."""
    forms = (*_FORMS, *_OF_KIND.get(question.kind, ()))
    said = [word for form, word in forms if form.search(line.text)]
    said += [word for form, word in _asked_forms(question) if form.search(line.text)]
    if question.kind == "number" and line.heading is not None and _LIMITS.search(line.heading.text):
        said.append("allowed permitted")
    return " ".join([*said, "version release released"] if _of_version(line) else said)


def _asked_forms(question: Question) -> Iterator[tuple[re.Pattern[str], str]]:
    """Give the forms of the one thing asked for: "policy 88-2231" says a number, "from Rossio" a station."""
    if asked := _NUMBER_OF.search(question.text):
        yield _of_noun(asked["what"]), "number code"
    if led := _LED_BY.match(question.text):
        yield re.compile(rf"\b(?i:{led['by']}) (?:the )?[A-Z\u00c0-\u00de]"), led["what"]


def numbered(question: Question, text: str) -> bool:
    """Tell whether a text says the number asked for, behind the word it is the number of: "grant 0442"."""
    asked = _NUMBER_OF.search(question.text)
    return asked is not None and _of_noun(asked["what"]).search(text) is not None


def _of_noun(noun: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?i:{re.escape(noun)}):? (?:(?:no|nr)\.? ?)?[A-Z]{{0,4}}[ -]?\d[\w/-]*")


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

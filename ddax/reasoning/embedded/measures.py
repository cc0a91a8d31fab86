"""Measured values in a sentence: what is counted or which unit follows a number."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ddax.text.units import AREA, LENGTH, MASS, PEOPLE, TIME, scaled, unit_before, unit_of
from ddax.text.words import stem, words

_NUMBER = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\d,.]*\d)[\s-]*")
_YEAR = re.compile(r"1\d{3}|20\d\d")
_DISTANCE = re.compile(
    r"[^\W\d_]+\s+(?:to the\s+)?(?:(?:north|south|east|west)\w*|from|away)\b", re.IGNORECASE
)
"""A length that tells how far off a thing is, and not how large."""
_WEIGHS = re.compile(r"\b(?:weigh\w*|mass)\b[^,.;]{0,30}$", re.IGNORECASE)
_HEAVY = re.compile(r"[\s-]*(?:heavy|in weight)\b", re.IGNORECASE)
"""What tells that a mass is that of a thing, and not of what it carries or eats."""
_SMALLER = re.compile(r"\s+(?:and\s+)?(?=\d)")
_LONGEST = 60.0
"""Minutes of the longest unit of time that tells how long a thing is: days and years in a text are others."""
_PAUSE = re.compile(r"[,.;:()]")
_BEFORE = re.compile(r"(?<!\w)(\w+)\s+(?:of|was|is|:)\s+(?:(?:about|some|around|over|nearly)\s+)?$")
_SIZES = (
    (re.compile(r"\b(?:longer|longest|shorter|shortest)\b", re.IGNORECASE), (LENGTH, TIME)),
    (re.compile(r"\b(?:heavier|heaviest|lighter|lightest)\b", re.IGNORECASE), (MASS,)),
    (re.compile(r"\b(?:taller|tallest|higher|highest|deeper|wider|lower)\b", re.IGNORECASE), (LENGTH,)),
    (re.compile(r"\b(?:larger|largest|bigger|biggest|smaller|smallest)\b", re.IGNORECASE), (AREA, PEOPLE)),
)
_COUNTED = re.compile(
    r"\b(?:more|most|fewer|fewest|less|greater|larger|largest|higher|smaller|lower)\s+([a-z]{3,})",
    re.IGNORECASE,
)
REACH = 2
"""Words behind a number in which stands what it counts."""


def asked_measures(question: str) -> tuple[str, ...]:
    """Return the kinds of values by which a question compares, the closest first."""
    counted = [f"count:{stem(noun.lower())}" for noun in _COUNTED.findall(question)]
    return (*counted, *(kind for pattern, kinds in _SIZES if pattern.search(question) for kind in kinds))


def measures(text: str) -> Iterator[tuple[str, float]]:
    """Yield the values of a text with their kinds, each kind in one unit."""
    for match in _NUMBER.finditer(text):
        value, after = float(match.group(1).replace(",", "")), text[match.end() : match.end() + 40]
        times, end = scaled(after)
        value, after = value * times, after[end:]
        kind, amount = _measured(value, after)
        if kind and _is_own(kind, text[: match.start()], after):
            yield kind, amount
        if not end and _YEAR.fullmatch(match.group(1)):
            continue
        yield from ((f"count:{stem(word)}", value) for word in words(_PAUSE.split(after)[0])[:REACH])
        if led := _BEFORE.search(text[: match.start()]):
            yield f"count:{stem(led.group(1).lower())}", value


def _measured(value: float, after: str) -> tuple[str, float]:
    """Return the kind of a number and its value, with what follows it in a smaller unit: "5 ft 11 in"."""
    unit = unit_before(after)
    kind, factor = unit_of(unit)
    if not kind or unit.lower() == "in" or (kind == TIME and factor > _LONGEST):
        return "", value
    gap = _SMALLER.match(after, len(unit))
    follows = _NUMBER.match(after, gap.end()) if gap else None
    if follows:
        other, less = unit_of(unit_before(after[follows.end() :]))
        if other == kind and less < factor:
            return kind, value * factor + float(follows.group(1).replace(",", "")) * less
    return kind, value * factor


def _is_own(kind: str, before: str, after: str) -> bool:
    """Tell whether a value is one of the thing itself: no length that tells how far off it is."""
    if kind == MASS:
        return bool(_WEIGHS.search(before) or _HEAVY.match(after, len(unit_before(after))))
    return kind != LENGTH or _DISTANCE.match(after) is None

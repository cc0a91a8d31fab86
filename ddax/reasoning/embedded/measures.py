"""Measured values in a sentence: what is counted or which unit follows a number."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ddax.reasoning.embedded.text import stem, words

LENGTH, AREA, TIME, PEOPLE = "length", "area", "time", "people"
HEADS = ("people", "inhabitants", "residents")
"""Words that count the same: who lives somewhere."""
_UNITS = {
    LENGTH: {
        "m metre metres meter meters": 1.0, "km kilometre kilometres kilometer kilometers": 1000.0,
        "mi mile miles": 1609.344, "ft foot feet": 0.3048,
        "cm centimetre centimetres centimeter centimeters": 0.01,
    },
    AREA: {
        "km2 km²": 1e6, "ha hectare hectares": 1e4, "acre acres": 4046.856, "m2 m²": 1.0,
        "mi2 mi²": 2589988.0,
    },
    TIME: {"minute minutes min": 1.0, "hour hours": 60.0},
    PEOPLE: {" ".join(HEADS): 1.0},
}  # fmt: skip
_UNIT = {
    unit: (kind, factor)
    for kind, rows in _UNITS.items()
    for row, factor in rows.items()
    for unit in row.split()
}
_NUMBER = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\d,.]*\d)[\s-]*")
_SQUARE = re.compile(
    r"(?:square|sq\.?)\s+(km|kilomet(?:re|er)s?|mi|miles?|met(?:re|er)s?|m)\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]+[²2]?")
_SCALE = re.compile(r"(thousand|million|billion)\b[\s-]*", re.IGNORECASE)
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
_YEAR = re.compile(r"1\d{3}|20\d\d")
_DISTANCE = re.compile(
    r"[^\W\d_]+\s+(?:to the\s+)?(?:(?:north|south|east|west)\w*|from|away)\b", re.IGNORECASE
)
"""A length that tells how far off a thing is, and not how large."""
_PAUSE = re.compile(r"[,.;:()]")
_BEFORE = re.compile(r"(\w+)\s+(?:of|was|is|:)\s+(?:(?:about|some|around|over|nearly)\s+)?$")
_SIZES = (
    (re.compile(r"\b(?:longer|longest|shorter|shortest)\b", re.IGNORECASE), (LENGTH, TIME)),
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
    """Yield the values of a text with their kinds; lengths in m, areas in m², times in minutes."""
    for match in _NUMBER.finditer(text):
        value, after = float(match.group(1).replace(",", "")), text[match.end() : match.end() + 40]
        scale = _SCALE.match(after)
        if scale:
            value, after = value * _SCALES[scale.group(1).lower()], after[scale.end() :]
        kind, factor = _unit(after)
        if kind and not (kind == LENGTH and _DISTANCE.match(after)):
            yield kind, value * factor
        if scale is None and _YEAR.fullmatch(match.group(1)):
            continue
        yield from ((f"count:{stem(word)}", value) for word in words(_PAUSE.split(after)[0])[:REACH])
        if led := _BEFORE.search(text[: match.start()]):
            yield f"count:{stem(led.group(1).lower())}", value


def _unit(after: str) -> tuple[str, float]:
    """Return the kind of what follows a number and how much one of it is."""
    if square := _SQUARE.match(after):
        return _UNIT[f"{_short(square.group(1))}2"]
    word = _WORD.match(after)
    return _UNIT.get(word.group().lower(), ("", 1.0)) if word else ("", 1.0)


def _short(unit: str) -> str:
    return "km" if unit.lower().startswith("k") else "mi" if unit.lower().startswith("mi") else "m"

"""Dates, months and times as orders and pages write them."""

from __future__ import annotations

import re
from datetime import date

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip

_SHORT = tuple(name[:3] for name in MONTHS)
_MONTH = rf"({'|'.join(MONTHS)}|sept|{'|'.join(_SHORT)})"
_NUMERIC = re.compile(r"\b(\d{1,2})/(\d{1,2})/(\d{4})\b")
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_WORDS = re.compile(rf"\b{_MONTH}\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})\b", re.IGNORECASE)
_POINTS = re.compile(r"\b(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})\b")
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\.?\s+{_MONTH}\.?,?\s+(\d{{4}})\b", re.IGNORECASE)
_PLACES = {_NUMERIC: (3, 1, 2), _ISO: (1, 2, 3), _POINTS: (3, 2, 1), _WORDS: (3, 1, 2), _DAY_FIRST: (3, 2, 1)}
"""The forms of a date, in the order they are tried, with the places of the year, the month and the day."""
_FORM = re.compile(r"\b(?:dd[ ./-]mm[ ./-]yyyy|mm[ ./-]dd[ ./-]yyyy|yyyy[ ./-]mm[ ./-]dd)\b", re.IGNORECASE)
_TIME = re.compile(r"\b(\d{1,2}):(\d{2})\s*([AaPp]\.?[Mm]\.?)?")
_NAMED = re.compile(rf"\b{_MONTH}\b", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_MONTH_FIRST = re.compile(r"(?<!\d)(\d{1,2})[\s/.-]+(\d{4})(?!\d)")
_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})[\s/.年-]+(\d{1,2})(?!\d)")


def find_date(text: str) -> date | None:
    """Return the first date in a text; 04/08/2016 is the eighth of April, 04.08.2016 the fourth of August."""
    said = _said(text)
    return _date(*said) if said else None


def no_day(text: str) -> str:
    """Return the day that a text says and no calendar has, as 31 February 2026; empty where it says none."""
    said = _said(text)
    if said is None or find_date(text) is not None:
        return ""
    year, month, day = said
    return f"{day} {MONTHS[month - 1].title()} {year}" if 1 <= month <= 12 else f"month {month}"


def _said(text: str) -> tuple[int, int, int] | None:
    """Return the year, the month and the day as a text writes them."""
    found = _written(text)
    if found is None:
        return None
    year, month, day = (found[place] for place in _PLACES[found.re])
    return int(year), month_of(month) if month.isalpha() else int(month), int(day)


def _written(text: str) -> re.Match[str] | None:
    return next(filter(None, (form.search(text) for form in _PLACES)), None)


def shows_form(sample: str) -> bool:
    """Tell whether a field shows the form of a day, as “DD/MM/YYYY”."""
    return _FORM.search(sample) is not None


def as_shown(day: date, sample: str) -> str:
    """Write a day in the form that a field shows, as “DD/MM/YYYY”; empty where it shows none."""
    found = _FORM.search(sample)
    if found is None:
        return ""
    parts = {"d": f"{day.day:02}", "m": f"{day.month:02}", "y": f"{day.year:04}"}
    return "".join(
        parts.get(part[:1].casefold(), part) for part in re.split(r"([^a-z]+)", found[0], flags=re.I)
    )


def find_month(text: str) -> tuple[int, int] | None:
    """Return the year and the month that a text names, as “Dec 2026”, “12/2026” or “2026-12”."""
    year = _YEAR.search(text)
    if year and _NAMED.search(text):
        return int(year[0]), month_of(text)
    if found := _YEAR_FIRST.search(text) or _MONTH_FIRST.search(text):
        first, second = int(found[1]), int(found[2])
        named = (first, second) if first > second else (second, first)
        return named if 1 <= named[1] <= 12 else None
    return None


def month_of(text: str) -> int:
    """Return the month that a text names or is the number of, 0 where it is none."""
    found = _NAMED.search(text)
    if found:
        return _SHORT.index(found[1].lower()[:3]) + 1
    return int(text) if text.isdecimal() and 1 <= int(text) <= 12 else 0


def writes(text: str, day: date) -> bool:
    """Tell whether a text writes a day, in whatever order and with however many digits."""
    parts, named = re.findall(r"\d+", text), _NAMED.search(text)
    years = [part for part in parts if len(part) == 4]
    left = [int(part) for part in parts if len(part) != 4]
    if named and month_of(named[0]) != day.month:
        return False
    for number in (day.day, *(() if named else (day.month,))):
        if number not in left:
            return False
        left.remove(number)
    return str(day.year) in years if years else day.year % 100 in left


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def find_time(text: str) -> str:
    """Return the first time in a text as 14:05, empty where there is none."""
    found = _TIME.search(text)
    if not found:
        return ""
    hour, minute, half = int(found[1]), found[2], (found[3] or "").lower()[:1]
    hour = hour % 12 + (12 if half == "p" else 0) if half else hour
    return f"{hour:02d}:{minute}"

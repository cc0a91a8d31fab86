"""Days of the week and times of the day in a text: which days it names, and when what opens and closes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

_SHORT = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?\b\.?"
_TO = r"\s*(?:[-–—]|to|till?|until|through|thru)\s*"
_GROUPS = re.compile(
    rf"\b(?P<first>{_DAY}){_TO}(?P<last>{_DAY})|\b(?P<one>{_DAY})"
    r"|\b(?P<all>daily|every ?day|each day|all week|7 days a week|seven days a week)\b"
    r"|\b(?P<work>week ?days|working days)\b|\b(?P<rest>weekends?)\b",
    re.IGNORECASE,
)
_HALF = r"(?:[ap]m\b|[ap]\.m\.)"
_HOUR = rf"(?:\d{{1,2}}[:.]\d{{2}}(?:\s?{_HALF})?|\d{{1,2}}\s?(?:{_HALF}|o['’]clock)|noon|midnight|midday)"
_SPAN = re.compile(rf"\b(?P<first>{_HOUR}|\d{{1,2}})\s*+(?:h\b)?{_TO}(?P<last>{_HOUR})", re.IGNORECASE)
_BARE = re.compile(
    rf"{_DAY}s?:?\s+(?P<span>(?P<first>\d{{1,2}})\s?[-–—]\s?(?P<last>\d{{1,2}})(?=\s*(?:h\b|[,;.)]|$)))",
    re.IGNORECASE,
)
"""Two numbers right behind a day: "Mon-Fri 9-17"."""
_AND = re.compile(rf"\bbetween (?P<first>{_HOUR}|\d{{1,2}}) and (?P<last>{_HOUR})", re.IGNORECASE)
_FROM = re.compile(
    rf"\b(?:(?:open(?:s|ing)?|starts?|begins?)(?: (?:at|from))?|from) (?P<first>{_HOUR})", re.IGNORECASE
)
_UNTIL = re.compile(
    rf"\b(?:clos(?:es?|ing)|shuts?|ends?|finish(?:es)?)(?: at)? (?P<last>{_HOUR})"
    rf"|\b(?:until|till?) (?P<till>{_HOUR})",
    re.IGNORECASE,
)
_CLOSED = re.compile(r"\bclosed\b", re.IGNORECASE)
_BUT = re.compile(r"\b(?:except|but not|not|apart from|other than|excluding)\b[^.;]{0,12}$", re.IGNORECASE)
_JOINED = re.compile(r"(?:\s*+(?:(?:,|and|&|or|/|on|s)\s*+)++)?+", re.IGNORECASE)
"""What stands between days that are told together."""
_PARTS = re.compile(r"[;,.]\s|\band\b", re.IGNORECASE)
"""What parts a time from the days of another one."""


@dataclass(frozen=True)
class Hours:
    """When something is open on some days, 0 for Monday; `first` and `last` as they are written.

    An empty one is not told; both are empty where it is `closed`.
    """

    days: frozenset[int]
    first: str = ""
    last: str = ""
    closed: bool = False


_Mark: TypeAlias = tuple[int, int, "frozenset[int] | Hours"]
"""Days or a time in a text, with where they start and end."""


def days_in(text: str) -> frozenset[int]:
    """Return the days of the week that a text names, 0 for Monday."""
    return frozenset(day for _, days, _ in _day_groups(text) for day in days)


def without_times(text: str) -> str:
    """Return a text without its days of the week and times of the day."""
    for start, end, _ in sorted(_times(text), key=lambda mark: mark[0], reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return _GROUPS.sub(" ", text)


def hours_in(text: str) -> list[Hours]:
    """Return what a text says of when something is open: each time with the days it goes with.

    Those are the days beside it, where nothing stands between that parts them, else those of the time before:
    "on Tuesday it opens at 10:00 and closes at 18:00". One that has none is told without days.
    """
    marks: list[_Mark] = [(start, end, days) for start, days, end in _day_groups(text)]
    marks = sorted([*marks, *_times(text)], key=lambda mark: mark[0])
    told: list[Hours] = []
    for place, (start, end, mark) in enumerate(marks):
        if not isinstance(mark, Hours):
            continue
        before, after = marks[place - 1] if place else None, marks[place + 1 : place + 2]
        days = told[-1].days if told else frozenset[int]()
        parted = before is not None and _PARTS.search(text[before[1] : start]) is not None
        if before is not None and not isinstance(before[2], Hours):
            days = before[2]
        if after and not isinstance(after[0][2], Hours) and (before is None or parted or not days):
            days = days if days and _PARTS.search(text[end : after[0][0]]) else after[0][2]
        told.append(replace(mark, days=days))
    return _merged(told)


def _merged(told: list[Hours]) -> list[Hours]:
    """Put an opening and a closing that are told apart together: "opens at 10:00 and closes at 18:00"."""
    merged: list[Hours] = []
    for one in told:
        last = merged[-1] if merged else None
        if last and last.days == one.days and last.first and one.last and not last.last and not one.first:
            merged[-1] = replace(last, last=one.last)
        else:
            merged.append(one)
    return merged


def _day_groups(text: str) -> Iterator[tuple[int, frozenset[int], int]]:
    """Give each run of days that are told together: where it starts, the days, where it ends."""
    start, end, held = 0, -1, frozenset[int]()
    for match in _GROUPS.finditer(text):
        days, less = _days_of(match), _BUT.search(text[: match.start()]) is not None
        joined = held and _JOINED.fullmatch(text[end : match.start()]) is not None
        if less:
            held, end = held - days, match.end()
        elif joined:
            held, end = held | days, match.end()
        else:
            if held:
                yield start, held, end
            start, end, held = match.start(), match.end(), days
    if held:
        yield start, held, end


def _days_of(match: re.Match[str]) -> frozenset[int]:
    if match["one"]:
        return frozenset({_day(match["one"])})
    if match["first"]:
        first, last = _day(match["first"]), _day(match["last"])
        return frozenset((first + step) % 7 for step in range((last - first) % 7 + 1))
    return (
        frozenset(range(7)) if match["all"] else frozenset(range(5)) if match["work"] else frozenset({5, 6})
    )


def _day(word: str) -> int:
    return _SHORT.index(word[:3].lower())


def _times(text: str) -> list[_Mark]:
    """Return the times of a text, each with where it starts and ends."""
    found: list[_Mark] = []
    for pattern in (_SPAN, _AND, _BARE, _FROM, _UNTIL, _CLOSED):
        for match in pattern.finditer(text):
            said = match.groupdict("")
            start, end = match.span("span" if "span" in said else 0)
            if any(first < end and start < last for first, last, _ in found):
                continue
            last = said.get("last") or said.get("till") or ""
            found.append((start, end, Hours(frozenset(), said.get("first", ""), last, pattern is _CLOSED)))
    return found

"""Dates and times as orders write them, and the way to one through a calendar."""

from __future__ import annotations

import re
from datetime import date

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.words import MONTHS, plain

_NUMERIC = re.compile(r"\b(\d{1,2})/(\d{1,2})/(\d{4})\b")
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_WORDS = re.compile(rf"\b({'|'.join(MONTHS)})\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})\b", re.IGNORECASE)
_POINTS = re.compile(r"\b(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})\b")
_DAY_FIRST = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\.?\s+({'|'.join(MONTHS)}),?\s+(\d{{4}})\b", re.IGNORECASE
)
_TIME = re.compile(r"\b(\d{1,2}):(\d{2})\s*([AaPp]\.?[Mm]\.?)?")
_HEAD = re.compile(rf"\b({'|'.join(MONTHS)})\s+(\d{{4}})\b", re.IGNORECASE)
MAX_MONTHS = 40


def find_date(text: str) -> date | None:
    """Return the first date in a text; 04/08/2016 is the eighth of April, 04.08.2016 the fourth of August."""
    found = _NUMERIC.search(text)
    if found:
        return _date(int(found[3]), int(found[1]), int(found[2]))
    found = _ISO.search(text)
    if found:
        return _date(int(found[1]), int(found[2]), int(found[3]))
    found = _POINTS.search(text)
    if found:
        return _date(int(found[3]), int(found[2]), int(found[1]))
    found = _WORDS.search(text)
    if found:
        return _date(int(found[3]), MONTHS.index(found[1].lower()) + 1, int(found[2]))
    found = _DAY_FIRST.search(text)
    return _date(int(found[3]), MONTHS.index(found[2].lower()) + 1, int(found[1])) if found else None


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


async def pick_date(pilot: Pilot, opener: Node, wanted: date) -> bool:
    """Open a calendar, turn its pages to a month, and press the day."""
    await pilot.do("click", opener.id)
    for _ in range(MAX_MONTHS):
        shown = _shown_month(pilot)
        if shown is None:
            return False
        away = (wanted.year - shown[0]) * 12 + wanted.month - shown[1]
        if away == 0:
            return await _press_day(pilot, wanted.day)
        turn = _turner(pilot, forward=away > 0)
        if turn is None or await pilot.do("click", turn.id) != "changed":
            return False
    return False


def _shown_month(pilot: Pilot) -> tuple[int, int] | None:
    found = _HEAD.search(" ".join(node.own or node.name for node in pilot.seen.nodes))
    return (int(found[2]), MONTHS.index(found[1].lower()) + 1) if found else None


def _turner(pilot: Pilot, *, forward: bool) -> Node | None:
    names = (
        ("next", ">", "›", "»", "next month")
        if forward
        else ("prev", "previous", "<", "‹", "«", "previous month")
    )
    pool = pilot.nodes({"link", "button", "clickable"})
    return next((n for n in pool if plain(n.name) in names or n.name.strip() in names), None)


async def _press_day(pilot: Pilot, day: int) -> bool:
    days = [
        n
        for n in pilot.seen.nodes
        if n.name.strip() == str(day) and n.role in ("link", "button", "gridcell", "cell", "clickable")
    ]
    order = {"link": 0, "button": 0, "clickable": 1, "gridcell": 2, "cell": 3}
    best = min(days, key=lambda n: order[n.role], default=None)
    return best is not None and await pilot.do("click", best.id) == "changed"

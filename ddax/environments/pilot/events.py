"""Things with a day and a time: “Create a new event "Dinner" on 5 May 2027 at 19:30”."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import replace

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.asked import asked_of
from ddax.environments.pilot.dates import find_date, find_time
from ddax.environments.pilot.deeds import fits
from ddax.environments.pilot.fields import fill, is_dated
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.naming import agrees
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import click, press_node
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.words import FIELD

_MAKES = frozenset({"create", "add", "schedule", "new", "make", "plan"})
_WHEN = re.compile(r"(?<!\s)\s+(?:on|for|at)\s+(?=[^_\d]{0,200}\d)[^_]{0,200}$", re.IGNORECASE)
"""The day and the time at the end of an order."""
_TITLES = frozenset({"title", "name", "subject", "event", "summary", "what", "description"})


async def make_event(pilot: Pilot, order: Order) -> bool | None:
    """Press what makes a new thing, fill its name, day and time, and save it; None for another order."""
    when = _WHEN.search(order.outside)
    if order.word not in _MAKES or len(order.quotes) != 1 or when is None:
        return None
    said = when[0]
    day, time = find_date(said), find_time(said)
    bare = re.sub(r"(?<!\s)\s*\b(?:called|named|titled)?\s*_+", " ", order.outside[: when.start()]).strip()
    rows = fits(pilot, asked_of(replace(order, text=bare, outside=bare, quotes=()))) if day or time else []
    if len(rows) != 1:
        return None
    known = {node.id for node in pilot.seen.nodes}
    if await click(pilot, rows[0].control) == "refused":
        return False
    wanted = {"name": order.quote, "day": day.isoformat() if day else "", "time": time}
    return await _fill_came(pilot, wanted, known) and await _save(pilot, known)


async def _fill_came(pilot: Pilot, wanted: dict[str, str], known: Set[str]) -> bool:
    """Write each value into the only field that came for it; False where one has none or several."""
    for kind, value in wanted.items():
        came = [n for n in pilot.nodes(FIELD) if n.id not in known and _kind(n) == kind] if value else []
        titled = [n for n in came if _TITLES & set(words_of(label_of(n) or n.sample))]
        meant = titled if kind == "name" and len(came) > 1 else came
        if value and (len(meant) != 1 or not await fill(pilot, meant[0], value)):
            return False
    return True


def _kind(field: Node) -> str:
    """Return what a field is for: a time, a day or a name."""
    if field.type == "time" or "time" in words_of(label_of(field)):
        return "time"
    return "day" if is_dated(field) else "name"


async def _save(pilot: Pilot, known: Set[str]) -> bool:
    came = [n for n in pilot.nodes({"button", "link", "clickable"}) if n.id not in known and agrees(n)]
    return len(came) == 1 and await press_node(pilot, came[0])

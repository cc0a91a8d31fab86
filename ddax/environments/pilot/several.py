"""Orders that name several things at once, as one order for each of them; none where that is not sure."""

from __future__ import annotations

import re
from dataclasses import replace

from ddax.environments.pilot.asked import asked_of
from ddax.environments.pilot.bulk import done_with_ticked
from ddax.environments.pilot.deeds import deed, fits, menu_rows
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import is_called
from ddax.environments.pilot.words import content

_AND = re.compile(
    r"(?:(?<!\s)\s+)?,\s*(?:(?:and|then)\b\s*)*|(?<!\s)\s+(?:and\s+then|and|then)\s+", re.IGNORECASE
)
_WHERE = re.compile(r"(?P<things>.+?)(?P<where>(?<!\s)\s+(?:to|from|in|into|on)\s(?s:.+))?", re.IGNORECASE)


def pressed_each(pilot: Pilot, order: Order) -> list[Order]:
    """Return an order to press each of several controls, the first of which is called so; none for one.

    What comes behind it may show only once it was pressed.
    """
    if order.quotes:
        bare = content(_AND.sub(" ", order.outside).replace("_", " "))
        each = order.quotes if len(order.quotes) > 1 and not bare else ()
        return [replace(order, text=one, quotes=(one,), outside="_") for one in each]
    parts = [part.strip() for part in _AND.split(order.text.strip(" .")) if content(part)]
    named = len(parts) > 1 and is_called(pilot, parts[0]) and not is_called(pilot, order.text)
    return [replace(order, text=part, outside=part) for part in parts] if named else []


def done_each(pilot: Pilot, order: Order) -> list[Order]:
    """Return an order for each thing that something is to be done with; none where one fits no control."""
    said = _WHERE.fullmatch(order.text.strip(" ."))
    if said is None or order.quotes:
        return []
    parts = [part.strip() for part in _AND.split(said["things"]) if part.strip()]
    texts = [f"{part}{said['where'] or ''}" for part in parts]
    orders = [replace(order, text=text, outside=text) for text in texts]
    meant = [_meant(pilot, one) for one in orders]
    one = {row.control.id for row in fits(pilot, asked_of(order))}  # it may be a part of what is said
    sure = "" not in meant and len(set(meant)) == len(meant) and one <= set(meant)
    return orders if len(orders) > 1 and sure else []


def _meant(pilot: Pilot, order: Order) -> str:
    """Return the id of the only control, or menu of a row, that an order means; empty for none or several."""
    rows = fits(pilot, asked_of(order)) or menu_rows(pilot, asked_of(order))
    return rows[0].control.id if len(rows) == 1 else ""


async def deeds(pilot: Pilot, order: Order) -> bool:
    """Do what an order says with each thing that it names."""
    for one in done_each(pilot, order) or [order]:
        if not (done := await done_with_ticked(pilot, one)) and (done is False or not await deed(pilot, one)):
            return False
    return True

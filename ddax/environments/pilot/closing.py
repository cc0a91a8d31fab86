"""Close a box, or the one of several things that an order names: “Close ticket 2002”."""

from __future__ import annotations

from ddax.environments.pilot.asked import asked_of
from ddax.environments.pilot.deeds import deed, fits
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import press_named
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.words import EMPTY, KINDS, numbers


async def close(pilot: Pilot, order: Order) -> bool:
    """Press what closes what an order names; nothing where it says a number that is not on the page."""
    if set(words_of(order.text)) - EMPTY - KINDS and len(fits(pilot, asked_of(order))) == 1:
        return await deed(pilot, order)
    shown = {
        number for node in pilot.seen.nodes for number in numbers(f"{node.name} {node.own} {node.value}")
    }
    if not set(numbers(order.outside)) <= shown:
        return False
    return await press_named(pilot, order.quote or "close", frozenset({"button"}))

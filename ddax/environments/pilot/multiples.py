"""Lists of which several options may be chosen, set to those that an order says."""

from __future__ import annotations

import re

from ddax.environments.pilot.fields import select
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.values import given
from ddax.environments.pilot.words import plain

_AND = re.compile(r"(?:(?<!\s)\s+)?,\s*(?:and\s+)?|(?<!\s)\s+and\s+", re.IGNORECASE)


async def set_several(pilot: Pilot, order: Order) -> bool | None:
    """Set the list that an order names to all that it says; None where it is none, or not all are options."""
    said = given(order) if order.word in ("set", "change") else None
    if said is None:
        return None
    values = list(order.quotes) if len(order.quotes) > 1 else _AND.split(said[1].strip(" ."))
    named = re.sub(r"^(?:the|my)\s+", "", said[0].strip(), flags=re.IGNORECASE)
    lists = [n for n in pilot.nodes({"listbox"}) if n.options and plain(label_of(n)) == plain(named)]
    if len(values) < 2 or len(lists) != 1:
        return None
    options = {plain(option) for option in lists[0].options}
    return await select(pilot, lists[0], values) if {plain(value) for value in values} <= options else None

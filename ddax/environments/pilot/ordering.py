"""Order several things by the plus of each."""

from __future__ import annotations

import re

from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import click, submit


async def order_items(pilot: Pilot, order: Order) -> bool:
    """Press the plus of each item that is named."""
    names = [part.strip(" .") for part in re.split(r",\s*", order.text.split(":", 1)[-1])]
    for name in names:
        rows = pilot.match.rows([name])
        plus = [n for n in pilot.seen.nodes if n.name.strip() == "+"]
        if not rows or not plus:
            return False
        if await click(pilot, pilot.match.near(rows[0], plus)[0]) == "refused":
            return False
    return await submit(pilot)

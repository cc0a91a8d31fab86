"""Orders that are one thing to do, though a page has several fields and a control for it."""

from __future__ import annotations

from ddax.environments.pilot.addresses import fill_address
from ddax.environments.pilot.covering import cover
from ddax.environments.pilot.events import make_event
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.sending import change_password, choose_each, send_form


async def carried_whole(pilot: Pilot, order: Order) -> bool | None:
    """Carry out an order that fills and sends at once; None for any other order."""
    for way in (change_password, make_event, choose_each, fill_address, cover, send_form):
        done = await way(pilot, order)
        if done is not None:
            return done
    return None

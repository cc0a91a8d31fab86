"""Orders of one move: open what is closed, set the focus, mark a text, scroll; and work out a sum."""

from __future__ import annotations

from ddax.environments.pilot.doors import doors
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import SURE, click
from ddax.environments.pilot.values import worked_out
from ddax.environments.pilot.words import FIELD, content, likeness, nth, ordinal, tokens


async def expand(pilot: Pilot, order: Order) -> bool:
    """Open what is closed, unless a later order looks behind it anyway."""
    if any(later.verb in ("press", "find") and (later.quotes) for later in pilot.orders):
        return True
    closed, wanted = doors(pilot), order.quote or content(order.text)
    if wanted:
        closed = [n for n in closed if likeness(wanted, pilot.match.label(n)) >= SURE]
    return bool(closed) and await pilot.do("click", closed[0].id) == "changed"


async def focus(pilot: Pilot, order: Order) -> bool:
    """Press the field at the place that an order counts to."""
    field = nth(pilot.nodes(FIELD), ordinal(order.text) or 1)
    return field is not None and await click(pilot, field) != "refused"


async def mark_text(pilot: Pilot, order: Order) -> bool:
    """Mark the text of a paragraph."""
    pool = [
        n for n in pilot.seen.nodes if n.role in ("text", "paragraph") and len(tokens(n.name or n.own)) > 1
    ]
    text = nth(pool, ordinal(order.text) or 1)
    return text is not None and await pilot.do("mark", text.id) != "refused"


async def scroll(pilot: Pilot, order: Order) -> bool:
    """Scroll what can be scrolled to where an order says."""
    pool = [n for n in pilot.seen.nodes if n.scrolls[1]]
    where = next((word for word in ("bottom", "top", "up", "down") if word in tokens(order.text)), "down")
    return await pilot.do("scroll", pool[0].id if pool else "page", where) != "refused"


async def solve(pilot: Pilot, order: Order) -> bool:
    """Keep what the sum or the equation of a page comes to, for the order behind."""
    pilot.clip = worked_out(pilot) or ""
    return bool(pilot.clip)

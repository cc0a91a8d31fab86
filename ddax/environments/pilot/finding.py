"""Look for what an order names, for the one behind it; a form that searches is filled and sent."""

from __future__ import annotations

from ddax.environments.pilot.forms import search
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import explore
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.values import long_text, word_of
from ddax.environments.pilot.words import FIELD, ordinal, roles


async def find(pilot: Pilot, order: Order) -> bool:
    """Look for what is named; a word of a text is kept for what is written next."""
    low = order.outside.casefold()
    if "word in" in low or "word of" in low:
        pilot.clip = word_of(long_text(pilot), ordinal(order.text) or 1)
        return bool(pilot.clip)
    if any(later.verb in ("press", "choose") for later in pilot.behind[:1]) and not order.quotes:
        name = _subject(order)
        if not name:
            return True
        pilot.focus = await explore(pilot, name, frozenset())
        return True
    if order.quotes:
        found = await explore(pilot, order.quote, roles(order.text.replace(order.quote, "")))
        pilot.focus = found
        return found is not None
    searches = [n for n in pilot.nodes({"button"}) if words_of(n.name)[:1] in (["search"], ["find"])]
    return not (searches and pilot.nodes(FIELD)) or await search(pilot, order)


def _subject(order: Order) -> str:
    names = [word.strip(".,") for word in order.text.split() if word[:1].isupper()]
    return names[0] if names else ""

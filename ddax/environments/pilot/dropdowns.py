"""Lists that are built of a button and what it opens: open the one that is named, and take what it offers."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import press_node
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.words import EMPTY, plain

_OF = re.compile(r"\b(?:as|for|from|in)\s+(?:the\s+|my\s+)?(?P<name>[^_]+)$", re.IGNORECASE)
_OFFERED = frozenset({"option", "menuitem", "menuitemradio", "radio"})


async def take_offered(pilot: Pilot, value: str, order: Order) -> bool | None:
    """Choose what a button's list offers; None where an order names no such button."""
    where = _OF.search(order.outside)
    words = set(words_of(where["name"])) - EMPTY if where else set[str]()
    opens = [n for n in built(pilot) if words and words <= set(words_of(label_of(n)))]
    if len(opens) != 1:
        return None
    known = {node.id for node in pilot.seen.nodes}
    if not await press_node(pilot, opens[0]):
        return False
    offered = [n for n in pilot.nodes(_OFFERED) if n.id not in known and plain(n.name) == plain(value)]
    return len(offered) == 1 and await press_node(pilot, offered[0])


def built(pilot: Pilot) -> list[Node]:
    """Return the closed lists of a page that are no lists of HTML."""
    closed = [n for n in pilot.nodes({"button", "combobox"}) if "collapsed" in n.state]
    return [n for n in closed if n.tag not in ("select", "input")]

"""Go to an address, to what is named on a page, or into the tab in which something is to be done."""

from __future__ import annotations

import re
from dataclasses import replace

from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import SURE, press_named, press_node
from ddax.environments.pilot.words import content, plain

_TAB = re.compile(
    r"(?<!\s)\s*+(?:,\s*+)?\b(?:in|on|under) the (?P<name>[^_,]{1,40}?) tab[\s.]*$", re.IGNORECASE
)


async def go_to(pilot: Pilot, order: Order) -> bool:
    """Go to an address, or to what is named on the page."""
    address = re.search(r"https?://\S+", order.text)
    if address:
        return await pilot.do("goto", "page", address[0]) == "changed"
    wanted = order.quote or content(order.text) or order.text
    among = pilot.nodes({"link", "tab", "button", "menuitem", "clickable", "summary"})
    sure = [one for one in pilot.match.rank(wanted, frozenset({"link"}), among=among) if one.score >= SURE]
    page = re.search(r"\bpage (\d+)", order.text)
    if page:
        sure = [one for one in sure if plain(one.node.name) in (page[1], f"page {page[1]}")]
    if sure or page:
        return bool(sure) and await press_node(pilot, sure[0].node)
    return await press_named(pilot, wanted, frozenset({"link"}))


async def in_tab(pilot: Pilot, order: Order) -> Order:
    """Open the tab in which an order says that something is to be done; return the order without that."""
    said = _TAB.search(order.outside)
    tabs = [n for n in pilot.nodes({"tab"}) if said and plain(n.name) == plain(said["name"])]
    if said is None or len(tabs) != 1 or not order.text[: said.start()].strip():
        return order
    if "selected" not in tabs[0].state and await pilot.do("click", tabs[0].id) == "refused":
        return order
    end = said.start()
    return replace(order, text=order.text[:end].strip(), outside=order.outside[:end].strip())

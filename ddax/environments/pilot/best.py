"""Press what goes with the most or the least of something: the cheapest flight, the longest ticket."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.paging import goes_on
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import is_called, press_node
from ddax.environments.pilot.prices import price_in
from ddax.environments.pilot.rows import node_words, words_of
from ddax.environments.pilot.words import EMPTY, FIELD, plain, tokens

BUYS = frozenset({"buy", "book", "order"})
"""Words of the control that buys something."""
MOST = frozenset({"greatest", "largest", "highest", "biggest", "longest", "maximum", "most"})
LEAST = frozenset({"smallest", "lowest", "least", "shortest", "cheapest", "minimum", "fewest", "fastest"})
AGE = frozenset({"latest", "newest", "earliest", "oldest"})
_MEASURES = frozenset({"price", "cost", "duration", "time", "ticket", "expensive", "possible"})
"""Words for what is measured, which need not stand on a page."""


async def press_best(pilot: Pilot, order: Order) -> bool | None:
    """Press what goes with the most or the least of something; None where nothing of the kind is asked.

    Where a list goes on it is not known, nor by the numbers of a page what is the latest.
    """
    words = set(tokens(order.outside))
    if not words & (MOST | LEAST | AGE) or is_called(pilot, order.quote or order.text):
        return None
    if words & AGE or goes_on(pilot) or (order.verb == "buy" and _unmet(pilot, order)):
        return False
    weighed = measures(pilot, order.text)
    if len(weighed) < 2:
        return None
    low = bool(words & LEAST)
    _, anchor = (min if low else max)(weighed, key=lambda pair: pair[0])
    buttons = pilot.nodes({"button", "link"})
    inside = [n for n in buttons if plain(n.name) not in ("submit", "back", "cancel")]
    if order.verb == "buy":
        inside = [n for n in inside if BUYS & set(words_of(n.name))]
        if not inside:
            return False
    if anchor.role in ("button", "link", "clickable") or not inside:
        return await press_node(pilot, anchor)
    below = [n for n in inside if n.box[1] >= anchor.box[1] - 1]
    return await press_node(pilot, min(below or inside, key=lambda n: abs(n.box[1] - anchor.box[1])))


def _unmet(pilot: Pilot, order: Order) -> set[str]:
    """Return the words of what is to be bought that stand nowhere on the page."""
    asked = set(words_of(order.text)) - EMPTY - MOST - LEAST - _MEASURES
    return asked - node_words(pilot.seen.nodes) - set(words_of(pilot.seen.title))


def measures(pilot: Pilot, text: str) -> list[tuple[float, Node]]:
    """Return the amounts a page shows of what a text speaks of, each with its element."""
    words = set(tokens(text))
    time = bool(words & {"duration", "shortest", "longest", "fastest"})
    money = bool(words & {"price", "cheapest", "cost", "ticket"}) and not time
    found: list[tuple[float, Node]] = []
    for node in pilot.seen.nodes:
        said = node.own or node.name
        if time:
            span = re.search(r"(?<!\d)(?:(\d+)\s*h\s*)?(\d+)\s*m(?:in)?\b|(?<!\d)(\d+)\s*h\b", said)
            if span and node.role in ("text", "cell", "clickable"):
                found.append((60 * int(span[1] or span[3] or 0) + int(span[2] or 0), node))
        elif money:
            price = price_in(said)
            if price is not None:
                found.append((price, node))
        elif re.fullmatch(r"-?\d+(?:\.\d+)?", said.strip()) and node.role not in FIELD:
            found.append((float(said), node))
    return found

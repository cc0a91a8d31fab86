"""Fields that hold a colour: “Select green with the color picker”."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.fields import fill
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.words import FIELD, color_table, tokens

_HEX = re.compile(r"#?[0-9a-f]{6}", re.IGNORECASE)
_SAYS = re.compile(r"colou?r", re.IGNORECASE)


async def pick_colour(pilot: Pilot, order: Order) -> bool | None:
    """Write the colour that an order names into the only field for one; None where there is none."""
    names = [word for word in tokens(order.text) if word in color_table()]
    fields = [n for n in pilot.nodes(FIELD | {"color"}) if _holds_colour(n)]
    if len(names) != 1 or len(fields) != 1 or not _SAYS.search(order.outside):
        return None
    node = fields[0]
    sign = "#" if node.type == "color" or node.value.startswith("#") else ""
    value = sign + "{:02x}{:02x}{:02x}".format(*color_table()[names[0]])
    if not await fill(pilot, node, value):
        return False
    return node.type == "color" or await pilot.do("press", node.id, "Tab") != "refused"  # closes its picker


def _holds_colour(node: Node) -> bool:
    said = _SAYS.search(f"{node.hints} {label_of(node)}")
    return node.type == "color" or bool(said and _HEX.fullmatch(node.value))

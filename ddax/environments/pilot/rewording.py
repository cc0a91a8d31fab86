"""Orders in other words: “Switch the language to Deutsch”, “Use the slider to set …”, “Read more about …”."""

from __future__ import annotations

import re
from dataclasses import replace

from ddax.environments.pilot.labelled import labelled
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order, read_orders
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.words import EMPTY, FIELD

_SWITCHED = re.compile(r"(?:(?P<what>.+?)\s+)?to\s+(?P<to>.+)", re.IGNORECASE)
_USED = re.compile(r"(?P<tool>.+?)\s+to\s+(?P<rest>\w+\s+.+)", re.IGNORECASE)
_MORE = re.compile(r"more\b(?:\s+(?:about|on|of))?\s*", re.IGNORECASE)


def reworded(pilot: Pilot, order: Order) -> Order:
    """Return an order that says what is to be done to the page; the same where it does already."""
    if order.word == "switch" and order.verb == "find":
        return _switched(pilot, order)
    if order.word == "use" and (used := _USED.fullmatch(order.text.strip(" ."))) and not order.quotes:
        inner = read_orders(used["rest"])
        return inner[0] if len(inner) == 1 and inner[0].verb not in ("goal", "use") else order
    if order.word == "read" and (more := _MORE.match(order.outside)) and order.outside[more.end() :]:
        end = more.end()
        return replace(order, verb="press", word="open", text=order.text[end:], outside=order.outside[end:])
    return order


def _switched(pilot: Pilot, order: Order) -> Order:
    """Return an order to set a field that is called so, else to press what is switched to."""
    said = _SWITCHED.fullmatch(order.outside.strip(" ."))
    if said is None:
        return order
    start = said.start("to")
    to = replace(order, word="set", text=order.text[start:], outside=order.outside[start:])
    if offered := labelled(pilot, to):
        node, option = offered
        text = f"{label_of(node)} to {option}"
        return replace(to, verb="enter", text=text, outside=text, quotes=())
    named = set(words_of(said["what"] or "")) - EMPTY
    fields = pilot.nodes(FIELD | {"combobox", "listbox"})
    if named and any(named <= set(words_of(label_of(node))) for node in fields):
        return replace(order, verb="enter", word="set")
    return replace(to, verb="press", word="click")

"""Orders that say a field by its label and the value right behind it: “Filter by customer “Birch””."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.rows import words_of, words_of_name
from ddax.environments.pilot.words import EMPTY, FIELD

_LEADS = frozenset({"view", "set", "filter", "search", "use"})
"""Verbs that the label of a field may leave out."""
_HOW = frozenset({"into", "in", "as", "to", "with"})


def labelled(pilot: Pilot, order: Order) -> tuple[Node, str] | None:
    """Return the only field whose label an order says whole, with the quote or the number beside it."""
    text = f"{order.word} {order.text}".strip(" .")
    said = set(words_of(text)) - EMPTY
    lists = [n for n in pilot.nodes({"combobox"}) if n.tag == "select" and not order.quotes]
    offers = [(n, one) for n in lists for one in n.options if _is_whole(n, one, said)]
    if offers:
        return offers[0] if len(offers) == 1 else None
    values = [order.quote] if order.quotes else re.findall(r"(?<![\w.])\d+(?![\w.])", text)
    if len(values) != 1 or len(order.quotes) > 1:
        return None
    said = set(words_of(text.replace(values[0], " ", 1))) - EMPTY
    fields = [n for n in pilot.nodes(FIELD | {"combobox"}) if _is_said(n, said)]
    takes = [n for n in fields if n.tag != "select" or values[0] in n.options]
    return (takes[0], values[0]) if len(takes) == 1 else None


def _is_whole(node: Node, option: str, said: set[str]) -> bool:
    """Tell whether words are the label of a list and one of its options."""
    words = set(words_of(option)) - EMPTY
    return bool(words) and words <= said and _is_said(node, said - words)


def _is_said(field: Node, said: set[str]) -> bool:
    label = set(words_of_name(label_of(field))) - EMPTY
    return bool(label) and label <= said <= label | _LEADS


def led(order: Order, fields: list[Node]) -> tuple[Node, str] | None:
    """Return the field that stands before what is to be entered, as in “the code 4829”, with that value.

    Its words are in lower case, so that of “City Hall” nothing is cut off.
    """
    words = order.text.strip(" .").split()
    if order.quotes or _HOW & set(words) or order.word in ("set", "change", "fill", "put"):
        return None
    count = next((at for at, word in enumerate(words) if not word.islower()), len(words))
    for size in range(min(count, len(words) - 1), 0, -1):
        named = set(words_of(" ".join(words[:size]))) - EMPTY - {"field"}
        found = [n for n in fields if named and named <= set(words_of_name(label_of(n)))]
        if found:
            return (found[0], " ".join(words[size:])) if len(found) == 1 else None
    return None

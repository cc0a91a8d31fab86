"""Fields that take one entry after the other by the Enter key: “Add the tag alps” beside “Add a tag”."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.asked import asked_of
from ddax.environments.pilot.deeds import fits
from ddax.environments.pilot.fields import fill
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.suggest import is_search
from ddax.environments.pilot.words import EMPTY, FIELD, plain, tokens

_AND = re.compile(r"(?:(?<!\s)\s+)?,\s*(?:and\s+)?|(?<!\s)\s+and\s+")
_ADDS = frozenset({"add", "new"})
"""Words by which a field says that what is written into it becomes one more."""


async def add_entry(pilot: Pilot, order: Order) -> bool | None:
    """Write what is to be added into the field that says so, and press Enter; None where none does."""
    found = [] if fits(pilot, asked_of(order)) else _fields(pilot, order) or _only(pilot, order)
    if len(found) != 1:
        return None
    node, value = found[0]
    for one in _each(order, node, value):
        now = pilot.seen.node(node.id)
        if now is None or not await _add(pilot, now, one):
            return False
    return True


def _each(order: Order, node: Node, value: str) -> list[str]:
    """Return each of several values, where an order speaks of several: “the tags alps and skiing”."""
    words = set(tokens(_label(node)))
    several = not order.quotes and any(f"{word}s" in tokens(order.text) for word in words)
    return [one for one in _AND.split(value) if one] if several else [value]


def takes_more(field: Node) -> bool:
    """Tell whether a field is there to add one more of something, and may be empty."""
    return bool(_ADDS & set(words_of(field.sample)[:1]))


def _label(field: Node) -> str:
    """Return what a field is called, or what it shows while it is empty, where that says to add to it."""
    return field.sample if takes_more(field) else label_of(field) or field.sample


async def _add(pilot: Pilot, node: Node, value: str) -> bool:
    shown = _shows(pilot, node, value)
    if not await fill(pilot, node, value) or await pilot.do("press", node.id, "Enter") != "changed":
        return False
    after = pilot.seen.node(node.id)
    return (after is None or plain(after.value) != plain(value)) and _shows(pilot, node, value) > shown


def _fields(pilot: Pilot, order: Order) -> list[tuple[Node, str]]:
    """Return the fields whose whole label an order says, each with the words behind it."""
    found: list[tuple[Node, str]] = []
    for node in pilot.nodes(FIELD):
        label = set(words_of(_label(node))) - EMPTY
        words = f"{order.word} {order.text}".split()
        said = [word for word in words if set(words_of(word)) - EMPTY]
        head = said[: len(label)]
        if label & _ADDS and set(words_of(" ".join(head))) == label and len(said) > len(head):
            rest = order.quote or " ".join(words[words.index(head[-1]) + 1 :]).strip(" .")
            found.append((node, rest))
    return found


def _only(pilot: Pilot, order: Order) -> list[tuple[Node, str]]:
    """Return the only field of a page without a button to add, for a quote to be added to its list."""
    fields = [n for n in pilot.nodes(FIELD) if not is_search(n) and "readonly" not in n.state]
    adds = any(set(words_of(n.name)[:1]) & _ADDS for n in pilot.nodes({"button", "link", "clickable"}))
    listed = any(n.role == "listitem" for n in pilot.seen.nodes)
    one = order.word == "add" and len(order.quotes) == 1 and len(fields) == 1
    return [(fields[0], order.quote)] if one and listed and not adds and not fields[0].form[0] else []


def _shows(pilot: Pilot, field: Node, value: str) -> int:
    """Return how many elements say a value, but for the field that it is written into."""
    wanted = plain(value)
    return sum(wanted in plain(n.own or n.name) for n in pilot.seen.nodes if n.id != field.id)

"""Orders that give a value which a page asks for once a control was pressed: “Rename a.txt to b.txt”."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import replace

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.fields import fill
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import press_node
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.words import FIELD

_RENAMED = re.compile(r"(?>(?P<thing>.+?)(?<!\s)\s+(?:to|as|into)\s+)(?P<name>.+)", re.IGNORECASE)
_CALLED = re.compile(r"(?<!\s)\s*\b(?:called|named|titled|with the (?:name|title)|to|as)?\s*_+", re.I)
_SAID = re.compile(
    r"(?P<thing>[^,]+?)(?<!\s)\s+(?:called|named|titled)\s+"
    r"(?P<name>(?:(?!\b(?:to|in|into|on|with|from|for|and)\b)[^,])+)",
    re.IGNORECASE,
)
"""What is made, and its name without quotes."""
_SHARED = re.compile(
    r"(?P<what>(?:share|invite)\b.*?)(?<!\s)\s+(?:with\s+)?(?P<name>[^\s@]++@[^\s@]+\.\w+)", re.IGNORECASE
)
"""What is shared, and with whom."""
_NAMES = frozenset({"add", "create", "rename", "make"})
"""Verbs behind which stands how a thing is called."""
_AGREES = frozenset(
    "ok save add new rename done apply continue submit create send invite share".split()  # noqa: SIM905
)
"""Words of a control by which a name is taken; others may stand beside them."""


def named(order: Order) -> tuple[Order, str]:
    """Return an order without the name that it gives, and that name; empty where it gives none."""
    shared = _SHARED.fullmatch(f"{order.word} {order.text}".strip(" ."))
    if shared and not order.quotes:
        return replace(order, word="", text=shared["what"], outside=shared["what"]), shared["name"]
    if order.word not in _NAMES and words_of(order.text)[:1] != ["new"]:
        return order, ""
    if len(order.quotes) == 1:
        text = _CALLED.sub(" ", order.outside, count=1).strip(" .")
        return replace(order, text=text, outside=text, quotes=()), order.quote
    if order.word in ("create", "make") and (said := _SAID.fullmatch(order.text.strip(" ."))):
        return replace(order, word="create", text=said["thing"], outside=said["thing"]), said["name"]
    found = _RENAMED.fullmatch(order.text.strip(" .")) if order.word == "rename" else None
    if found is None or order.quotes:
        return order, ""
    return replace(order, text=found["thing"], outside=found["thing"]), found["name"]


async def give_name(pilot: Pilot, name: str, known: Set[str]) -> bool:
    """Write a name into the only field that came, and press the only control that came and takes it."""
    came = [n for n in pilot.seen.nodes if n.id not in known and "disabled" not in n.state]
    fields = [n for n in came if n.role in FIELD]
    if len(fields) != 1 or not await fill(pilot, fields[0], name):
        return False
    again = [n for n in pilot.seen.nodes if n.id not in known and n.role in ("button", "link", "clickable")]
    takes = [n for n in again if "disabled" not in n.state and agrees(n)]
    if takes:
        return len(takes) == 1 and await press_node(pilot, takes[0])
    return await pilot.do("press", fields[0].id, "Enter") == "changed"


def agrees(node: Node) -> bool:
    """Tell whether a control takes what was written."""
    words = set(words_of(node.name))
    return bool(words & _AGREES)

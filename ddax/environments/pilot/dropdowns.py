"""Lists that are built of a button and what it opens: open the one that is named, and take what it offers."""

from __future__ import annotations

import re
from dataclasses import replace

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import press_node
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.words import EMPTY, plain

_OF = re.compile(r"\b(?:as|for|from|in)\s+(?:the\s+|my\s+)?(?P<name>[^_]+)$", re.IGNORECASE)
_SET = re.compile(r"(?>(?:(?:the|my)\s++)?(?P<name>.+?)(?<!\s)\s+to\s+)(?P<value>.+)", re.IGNORECASE)
"""What is to be set, and to what."""
_PROMPT = re.compile(
    r"(?:please )?(?:select|choose|pick)\b.{0,30}(?:…|\.\.\.|[▾▼⌄])?$|.{1,30}[▾▼⌄]$", re.IGNORECASE
)
"""What a closed list of plain boxes says: “Select…”."""
_OFFERED = frozenset({"option", "menuitem", "menuitemradio", "radio"})


async def set_offered(pilot: Pilot, order: Order) -> bool | None:
    """Choose “High” of a button's list for “Set the priority to High”; None where no list is called so."""
    said = None if order.quotes else _SET.fullmatch(order.text.strip(" ."))
    if said is None:
        return None
    text = f"{said['value']} for the {said['name']}"
    return await take_offered(pilot, said["value"], replace(order, text=text, outside=text))


async def take_offered(pilot: Pilot, value: str, order: Order) -> bool | None:
    """Choose what a button's list offers; None where an order names no such button."""
    where = _OF.search(order.outside)
    words = set(words_of(where["name"])) - EMPTY if where else set[str]()
    opens = [n for n in built(pilot) if words and words <= set(words_of(_label(pilot, n)))]
    if len(opens) != 1:
        return None
    known = {node.id for node in pilot.seen.nodes}
    if not await press_node(pilot, opens[0]):
        return False
    kinds = _OFFERED | ({"clickable"} if opens[0].role == "clickable" else frozenset())
    wanted = {plain(value), plain(order.text[: where.start()])} if where else {plain(value)}
    offered = [n for n in pilot.nodes(kinds) if n.id not in known and plain(n.name) in wanted]
    return len(offered) == 1 and await press_node(pilot, offered[0])


def built(pilot: Pilot) -> list[Node]:
    """Return the closed lists of a page that are no lists of HTML."""
    closed = [n for n in pilot.nodes({"button", "combobox"}) if "collapsed" in n.state]
    plainly = [n for n in pilot.nodes({"clickable"}) if _PROMPT.match(n.name or n.own)]
    return [n for n in (*closed, *plainly) if n.tag not in ("select", "input")]


def _label(pilot: Pilot, node: Node) -> str:
    """Return what a list is called; one of plain boxes by the text that stands right before it."""
    if node.role != "clickable":
        return label_of(node)
    before = list(pilot.seen.nodes)[: list(pilot.seen.nodes).index(node)]
    last = before[-1] if before else node
    return last.own or last.name if last.role in ("text", "label", "paragraph", "heading") else ""

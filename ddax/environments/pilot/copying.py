"""Copy what a field or a text of the page says, to the letter, and paste it into another field."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.fields import NO_NAME, fill, the_field
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.values import long_text, looked_up
from ddax.environments.pilot.words import FIELD, LIKE, content, likeness, nth, ordinal, plain, tokens

_INTO = re.compile(r"(?<!\s)\s+(?:into|onto|to)\s+")
_OF_A_TEXT = NO_NAME | frozenset({"value", "contents", "content", "all", "whole", "entire", "there", "first"})
"""Words of an order to copy that do not say how the thing to copy is called."""


async def copy(pilot: Pilot, order: Order) -> bool:
    """Copy what an order names; where it says into which field as well, paste it there."""
    what, into = _parts(pilot, order)
    name = order.quote if order.quote in what and order.quote else _name(what)
    node = source(pilot, what, name)
    pilot.origin = node.id if node else ""
    pilot.clip = held(node) if node else _text(pilot, what, name)
    if not pilot.clip or pilot.failed or (not node and pilot.clip.endswith("…")):  # else it may be cut
        return False
    return await _into(pilot, order, f"into {into}") if into else True


def _parts(pilot: Pilot, order: Order) -> tuple[str, str]:
    """Return the words for what to copy and those for where to: none of a quote, or where a paste follows."""
    after = pilot.behind
    found = None if after and after[0].verb == "paste" else _INTO.search(order.outside)
    return (order.text[: found.start()], order.text[found.end() :]) if found else (order.text, "")


async def paste(pilot: Pilot, order: Order) -> bool:
    """Paste what was copied into the field an order names, never into the one it comes from."""
    return bool(pilot.clip) and await _into(pilot, order, order.text)


async def _into(pilot: Pilot, order: Order, where: str) -> bool:
    fields = [n for n in pilot.nodes(FIELD) if n.id != pilot.origin and "readonly" not in n.state]
    node = the_field(pilot, where, fields, pilot.clip)
    if node is None or not await fill(pilot, node, pilot.clip):
        return False
    after = pilot.seen.node(node.id)
    if after is None or after.tag not in ("input", "textarea") or after.type == "password":
        return True
    meant = pilot.clip if after.tag == "textarea" else pilot.clip.replace("\n", " ")
    return held(after) == meant


def held(node: Node) -> str:
    """Return what a field holds to the letter; nothing of a password, or of what is cut."""
    is_cut = not node.whole and node.value.endswith("…")
    return "" if is_cut or node.type == "password" else node.whole or node.value


def source(pilot: Pilot, what: str, name: str) -> Node | None:
    """Return the field that words name as the one to copy, by its name or its place."""
    fields = [n for n in pilot.seen.nodes if n.role in FIELD]
    place, words = ordinal(what), set(tokens(what))
    if name:
        best = max(fields, key=lambda n: likeness(name, label_of(n)), default=None)
        return best if best is not None and likeness(name, label_of(best)) > LIKE else None
    if "paragraph" in words:
        return None
    one_line = words & {"field", "input", "textbox"} and not words & {"area", "textarea"}
    pool = fields if one_line else [n for n in fields if n.tag == "textarea"]
    if place:
        return nth(pool, place)
    filled = [n for n in pool if n.value]
    if len(filled) > 1:
        pilot.unclear(filled)
    return filled[0] if len(filled) == 1 else None


def _name(what: str) -> str:
    return " ".join(word for word in content(what, mail=True).split() if plain(word) not in _OF_A_TEXT)


def _text(pilot: Pilot, what: str, name: str) -> str:
    """Return the text that words name: beside a label, or the paragraph of a place."""
    return (looked_up(pilot.match, name) or "") if name else long_text(pilot, ordinal(what))

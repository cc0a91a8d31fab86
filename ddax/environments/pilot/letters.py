"""Write a message of one's own, or answer the one that is open: “Write an email to …”, “Reply “Yes.””."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.fields import fill
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import press_node
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.words import FIELD, tokens

_LETTER = re.compile(
    r"(?:write|send|compose|create)\s+(?:an?\s+)?(?:new\s+)?(?:e-?mail|mail|message)\s+to\s+(?P<to>\S+)(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_BEGINS = (frozenset({"compose"}), frozenset({"new", "message"}), frozenset({"new", "email"}))
"""What the control that begins a message is called, in any order."""
_PARTS = {
    "subject": frozenset({"subject", "title"}),
    "body": frozenset({"message", "body", "text", "content"}),
}
_SAID = {
    "subject": re.compile(r"\b(?:subject|title)\b[^_]*$", re.IGNORECASE),
    "body": re.compile(r"\b(?:text|body|message|content|saying|says?|that)\b[^_]*$", re.IGNORECASE),
}
"""Words that stand before the quote of each part."""


async def letter(pilot: Pilot, order: Order) -> bool | None:
    """Write a message to somebody, with all parts that an order says; None where it says none of that."""
    said = _LETTER.fullmatch(f"{order.word} {order.outside}".strip(" ."))
    parts = _parts(order) if said else {}
    if said is None or len(parts) != len(order.quotes) or not parts:
        return None
    if not _field(pilot, frozenset({"to", "recipient"})):
        begins = [n for n in pilot.nodes({"button", "link", "clickable"}) if set(words_of(n.name)) in _BEGINS]
        if len(begins) != 1 or not await press_node(pilot, begins[0]):
            return False
    named = [(frozenset({"to", "recipient"}), said["to"].rstrip(".,"))]
    for names, value in [*named, *((_PARTS[part], value) for part, value in parts.items())]:
        field = _field(pilot, names)
        if field is None or not await fill(pilot, field, value):
            return False
    return order.word != "send" or await _send(pilot)


def _parts(order: Order) -> dict[str, str]:
    """Return the quotes of an order by the part of a message that each is said to be."""
    found: dict[str, str] = {}
    before = re.split(r"_+", order.outside)
    for quote, words in zip(order.quotes, before, strict=False):
        part = next((part for part, form in _SAID.items() if form.search(words)), "")
        if part and part not in found:
            found[part] = quote
    return found


def _field(pilot: Pilot, names: frozenset[str]) -> Node | None:
    """Return the field for a part of a message; of several the last, whose message was begun last."""
    found = [n for n in pilot.nodes(FIELD | {"combobox"}) if names & set(tokens(label_of(n)))]
    return found[-1] if found else None


async def answer(pilot: Pilot, order: Order) -> bool | None:
    """Answer the message that is open with what stands in quotes; None where none is, or it is not said."""
    begins = [n for n in pilot.nodes({"button", "link", "clickable"}) if words_of(n.name) == ["reply"]]
    if order.word not in ("reply", "respond", "answer") or len(order.quotes) != 1 or len(begins) != 1:
        return None
    known = {node.id for node in pilot.seen.nodes}
    if not await press_node(pilot, begins[0]):
        return False
    came = [n for n in pilot.nodes({"textbox"}) if n.id not in known]
    bodies = [n for n in came if n.tag != "input"] or came
    return len(bodies) == 1 and await fill(pilot, bodies[0], order.quote) and await _send(pilot)


async def _send(pilot: Pilot) -> bool:
    """Press the only control that is called Send."""
    sends = [
        n for n in pilot.nodes({"button", "clickable"}) if words_of(n.name) in (["send"], ["send", "reply"])
    ]
    return len(sends) == 1 and await press_node(pilot, sends[0])

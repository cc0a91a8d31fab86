"""Write a message of one's own, or answer the one that is open: “Write an email to …”, “Reply “Yes.””."""

from __future__ import annotations

import re
from dataclasses import replace

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.fields import fill
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.posting import ways_of
from ddax.environments.pilot.pressing import click, press_node
from ddax.environments.pilot.rows import rows_of, words_of
from ddax.environments.pilot.suggest import is_search
from ddax.environments.pilot.words import EMPTY, FIELD, KINDS, tokens

_LETTER = re.compile(
    r"(?:write|send|compose|create)\s+(?:an?\s+)?(?:new\s+)?(?:e-?mail|mail|message)\s+to\s+(?P<to>\S+)(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_CHAT = re.compile(
    r"(?:send|write|message)\s+(?:(?:an?|the)\s+)?(?:message\s+)?_+\s+to\s+(?P<who>[^_]+)"
    r"|(?:write\s+to|tell|message)\s+(?P<whom>[^_:]+?)(?<!\s)\s*+(?::\s*+)?_+",
    re.IGNORECASE,
)
_WRITE_TO = re.compile(
    r"(?:write|message)(?:\s+to)?\s+(?P<whom>\w(?:[\w ]*\w)?)\s*:\s*(?P<text>.+)", re.IGNORECASE | re.DOTALL
)
"""A message to somebody without quotes, behind a colon."""
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
    if order.word not in ("reply", "respond", "answer") or len(order.quotes) != 1 or not begins:
        return None
    if len(begins) > 1:
        rest = set(words_of(order.outside.replace("_", " "))) - EMPTY - KINDS - {"reply", "saying"}
        found = [row.control for row in rows_of(pilot.seen, begins) if rest and rest <= row.words()]
        if len(found) != 1:
            pilot.unclear(begins)
            return False
        begins = found
    known = {node.id for node in pilot.seen.nodes}
    if not await press_node(pilot, begins[0]):
        return False
    came = [n for n in pilot.nodes({"textbox"}) if n.id not in known]
    bodies = [n for n in came if n.tag != "input"] or came
    if len(bodies) != 1 or not await fill(pilot, bodies[0], order.quote):
        return False
    return await sent(pilot, pilot.seen.node(bodies[0].id) or bodies[0], known)


async def chat(pilot: Pilot, order: Order) -> bool | None:
    """Write what stands in quotes to the one whose name opens a conversation; None where none does."""
    said = _CHAT.fullmatch(f"{order.word} {order.outside}".strip(" ."))
    told = None if order.quotes else _WRITE_TO.fullmatch(f"{order.word} {order.text}")
    if told:
        text = f"{told['text']} to {told['whom']}"
        masked = f"{'_' * len(told['text'])} to {told['whom']}"
        return await chat(pilot, replace(order, text=text, outside=masked, quotes=(told["text"],)))
    who = (said["who"] or said["whom"]) if said and len(order.quotes) == 1 else ""
    name = set(words_of(who)) - {"the"}
    opens = [
        n
        for n in pilot.nodes({"button", "link", "clickable"})
        if name and set(words_of(n.name)) - {"the"} == name
    ]
    if len(opens) != 1 or await click(pilot, opens[0]) == "refused":
        return False if opens else None
    fields = [n for n in pilot.nodes({"textbox"}) if not is_search(n) and "readonly" not in n.state]
    bodies = [n for n in fields if n.tag != "input"] or fields
    if len(bodies) != 1 or bodies[0].value or not await fill(pilot, bodies[0], order.quote):
        return False
    return await sent(pilot, pilot.seen.node(bodies[0].id) or bodies[0], set())


async def sent(pilot: Pilot, field: Node, known: set[str]) -> bool:
    """Press what sends the text of a field: the nearest control for it that is not `known`, else Send."""
    ways = [n for n in ways_of(pilot, field) if n.id not in known]
    if len(ways) == 1:
        return await press_node(pilot, ways[0])
    return await _send(pilot)


async def _send(pilot: Pilot) -> bool:
    """Press the only control that is called Send."""
    sends = [
        n for n in pilot.nodes({"button", "clickable"}) if words_of(n.name) in (["send"], ["send", "reply"])
    ]
    return len(sends) == 1 and await press_node(pilot, sends[0])

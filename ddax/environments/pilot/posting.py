"""Write a comment, a reply or a review, and send it: one that is only written is not posted."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.fields import fill
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import click
from ddax.environments.pilot.rows import above_of, holders_of, inside, words_of, words_of_name
from ddax.environments.pilot.words import EMPTY, FIELD

_KINDS = "comment|reply|review|remark|feedback"
_WHOSE = r"(?:(?:an?|the|my|this|your|another) )?(?:(?:new|short|public) )?"
_POSTS = re.compile(
    r"(?:write|add|leave|post|make|publish|send|submit) "
    rf"(?:{_WHOSE}(?P<kind>{_KINDS})\b|_+ as {_WHOSE}(?P<as>{_KINDS})\b)"
    r"|(?P<verb>comment)(?: on (?:it|this|the \w+)(?: with)?)?(?: _+$|: ?\S)",
    re.IGNORECASE,
)
"""An order to post something; “Type … into the comment field” only writes it."""
_SAYING = re.compile(
    r"\b(?:saying|that says|which says|with the text)[: ]++(.+)$|^[^:]*:\s*+(.+)$", re.IGNORECASE
)
_SENDS = frozenset(words_of("post send submit publish reply comment add share review"))


def posts(order: Order) -> bool:
    """Tell whether an order is to post a comment or the like, and says its text."""
    return bool(_kind(order) and _text(order))


async def post(pilot: Pilot, order: Order) -> bool | None:
    """Write what is to be posted and press what sends it; None where the page has no one field for it."""
    kind = _kind(order)
    field = _field(pilot, kind)
    if field is None:
        return None
    if not await fill(pilot, field, _text(order)):
        return False
    if _is_sent_next(pilot, order):
        return True
    ways = ways_of(pilot, pilot.seen.node(field.id) or field, kind)
    if len(ways) == 1:
        return await click(pilot, ways[0]) == "changed"
    if ways:
        pilot.unclear(ways)
    else:
        pilot.misread(f"the {kind} is written, and nothing is known to post it", "Say which button posts it")
    return False


def _is_sent_next(pilot: Pilot, order: Order) -> bool:
    """Tell whether a later order presses what sends the text."""
    return any(
        later.verb == "submit"
        or later.word == "send"
        or (later.verb == "press" and _SENDS & set(words_of(later.text)))
        for later in pilot.behind
    )


def _kind(order: Order) -> str:
    """Return what is to be posted, as a comment; empty where nothing is."""
    found = _POSTS.match(f"{order.word} {order.outside}".strip())
    return (found["kind"] or found["as"] or found["verb"]).lower() if found else ""


def _text(order: Order) -> str:
    """Return the text that is to be posted: the only quote, or what stands behind “saying”."""
    if order.quotes:
        return order.quote if len(order.quotes) == 1 else ""
    said = _SAYING.search(order.text)
    return next(filter(None, said.groups()), "").strip() if said else ""


def _field(pilot: Pilot, kind: str) -> Node | None:
    """Return the one field that is called so, else the one for more than a line."""
    fields = [n for n in pilot.nodes(FIELD) if "readonly" not in n.state]
    called = [n for n in fields if kind in words_of(label_of(n))]
    pool = called or [n for n in fields if n.tag == "textarea"]
    return pool[0] if len(pool) == 1 else None


def ways_of(pilot: Pilot, field: Node, kind: str = "") -> list[Node]:
    """Return the buttons that may send what stands in a field, a `kind` of text, of those nearest to it."""
    buttons = [n for n in pilot.nodes({"button", "clickable"}) if n.form[0] == field.form[0]]
    named = ((n, set(words_of_name(n.name)) - EMPTY) for n in buttons)
    pool = [n for n, words in named if words & _SENDS and words <= _SENDS | {kind}]
    for group in above_of(field, holders_of(pilot.seen)):
        held = {node.id for node in inside(pilot.seen, group)}
        if near := [n for n in pool if n.id in held]:
            return near
    return pool

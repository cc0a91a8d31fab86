"""What is agreed to, or wished, on a form before it is sent: terms, to stay signed in."""

from __future__ import annotations

import re
from dataclasses import replace

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import click
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.sending import SENDING, values_said
from ddax.environments.pilot.switches import is_on
from ddax.environments.pilot.words import EMPTY, FIELD, KINDS

_AGREES = frozenset({"accept", "agree", "tick", "check", "confirm"})
_STAYS = re.compile(
    r"(?:stay|keep me|remain) (?:signed|logged)[ -]?in|remember (?:me|my login)", re.IGNORECASE
)


def agree_first(pilot: Pilot) -> None:
    """Put an order to agree before the one that comes next, if that sends the form its box stands on.

    So “Register with the name Ann. Accept the terms.”: sent first, there would be nothing to agree to.
    """
    sends, behind = pilot.orders[pilot.place - 1], pilot.behind[:1]
    said_by = _boxes_of(pilot, behind[0]) if behind and sends.verb in SENDING else []
    fields = (n for n in pilot.nodes(FIELD) if said_by and n.form[0] == said_by[0].form[0])
    if len(said_by) == 1 and any(fields) and (sends.verb == "login" or values_said(pilot, sends)):
        name = label_of(said_by[0]) or said_by[0].after
        agree = replace(
            behind[0], verb="choose", word="tick", text=name, outside="_" * len(name), quotes=(name,)
        )
        pilot.orders[pilot.place - 1 : pilot.place + 1] = [agree, sends]


def _boxes_of(pilot: Pilot, order: Order) -> list[Node]:
    """Return the boxes that an order to agree means, or to stay signed in."""
    boxes = [(n, label_of(n) or n.after) for n in pilot.nodes({"checkbox"})]
    if _STAYS.search(f"{order.word} {order.text}"):
        return [n for n, label in boxes if _STAYS.search(label)]
    words = set(words_of(order.text)) - EMPTY - KINDS - {"first"}
    agrees = order.word in _AGREES and not order.quotes and bool(words)
    return [n for n, label in boxes if agrees and words <= set(words_of(label))]


async def stay_signed_in(pilot: Pilot, order: Order) -> bool:
    """Tick the box to stay signed in where an order says so; False where there is no such box."""
    if not _STAYS.search(order.outside):
        return True
    boxes = _boxes_of(pilot, order)
    if len(boxes) != 1:
        pilot.misread("no box to stay signed in is known", "Leave that out")
        return False
    return is_on(boxes[0]) or await click(pilot, boxes[0]) != "refused"

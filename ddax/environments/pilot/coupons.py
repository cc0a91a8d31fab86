"""Codes that take something off a price: “Apply the coupon SAVE10”."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.fields import fill
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import click
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.words import FIELD

_CODE = re.compile(
    r"(?:use|apply|redeem)\s+(?:the\s+|my\s+|a\s+)?"
    r"(?:(?:coupon|voucher|promo|promotion|promotional|discount|gift)(?:\s+card)?(?:\s+code)?|code)\s+(?P<code>\S+)",
    re.IGNORECASE,
)
_FIELDS = frozenset({"coupon", "voucher", "promo", "promotion", "promotional", "discount", "gift", "code"})
_TAKES = frozenset({"apply", "redeem", "use", "add", "ok", "activate"})
"""Words of a control that takes a code."""


async def redeem(pilot: Pilot, order: Order) -> bool | None:
    """Write a code into the only field for one and press what takes it; None where an order says no code."""
    said = _CODE.fullmatch(f"{order.word} {order.text}".strip(" ."))
    fields = [n for n in pilot.nodes(FIELD) if _FIELDS & set(words_of(label_of(n) or n.sample))]
    if said is None or len(fields) != 1:
        return None
    if not await fill(pilot, fields[0], said["code"].strip("\"“”'")):
        return False
    takes = _taking(pilot, fields[0])
    if len(takes) > 1:
        pilot.unclear(takes)
    if takes:
        return len(takes) == 1 and await click(pilot, takes[0]) != "refused"
    return await pilot.do("press", fields[0].id, "Enter") == "changed"


def _taking(pilot: Pilot, field: Node) -> list[Node]:
    """Return the controls that take a code: those of its form, else those behind it up to the next field."""
    nodes = list(pilot.seen.nodes)
    place = next(at for at, node in enumerate(nodes) if node.id == field.id)
    stop = next((at for at in range(place + 1, len(nodes)) if nodes[at].role in FIELD), len(nodes))
    named = [n for n in pilot.nodes({"button", "link", "clickable"}) if _TAKES & set(words_of(n.name))]
    own = [n for n in named if field.form[0] and n.form[0] == field.form[0]]
    return own or [n for n in nodes[place:stop] if n in named]

"""What is chosen before something is pressed: “Add a blue T-shirt in size L to the cart”."""

from __future__ import annotations

from collections import Counter

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.fields import select
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import click
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.switches import is_on
from ddax.environments.pilot.words import EMPTY, tokens

_TAKES = frozenset({"add", "buy", "order", "book", "get", "put", "reserve", "vote"})
"""Verbs of what comes in sizes, colours or kinds."""


async def choose_options(pilot: Pilot, order: Order) -> bool:
    """Choose every option that an order says of what it takes; False where two of one group are said.

    What is chosen already stays, and an order that says no option has none chosen.
    """
    if tokens(f"{order.word} {order.text}")[:1] not in ([verb] for verb in _TAKES):
        return True
    said = set(words_of(order.text)) - EMPTY
    radios = [n for n in pilot.nodes({"radio"}) if _is_said(label_of(n) or n.after, said)]
    if any(count > 1 for count in Counter(group_of(pilot, n) for n in radios).values()):
        pilot.unclear(radios)
        return False
    for node in radios:
        if not is_on(node) and await click(pilot, node) == "refused":
            return False
    for node, option in _listed(pilot, said):
        if node.value != option and not await select(pilot, node, [option]):
            return False
    return True


def _listed(pilot: Pilot, said: set[str]) -> list[tuple[Node, str]]:
    """Return the lists of which one option is said, with it; how many is told otherwise."""
    lists = [n for n in pilot.nodes({"combobox"}) if n.tag == "select"]
    found = [(n, [one for one in n.options if _is_said(one, said)]) for n in lists]
    return [(node, options[0]) for node, options in found if len(options) == 1]


def _is_said(label: str, said: set[str]) -> bool:
    words = set(words_of(label)) - EMPTY
    return bool(words) and words <= said and not all(word.isdecimal() for word in words)


def group_of(pilot: Pilot, radio: Node) -> str:
    """Return the id of what a radio, a box, or the label around it stands in; empty for the page."""
    above = pilot.seen.node(radio.parent)
    return above.parent if above is not None and above.role == "label" else radio.parent

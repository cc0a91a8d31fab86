"""Press a name in the row that an order says, and move a row by the entry of its menu."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import ACTED_ON, Node
from ddax.environments.pilot.asked import Asked, names_of
from ddax.environments.pilot.deeds import in_rows, menu_rows
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import click
from ddax.environments.pilot.rows import above_of, beside, holders_of, node_words, words_of, words_of_name
from ddax.environments.pilot.words import EMPTY, FIELD, KINDS, ROLE_WORDS, ordinal

_TO = re.compile(r"(?>(?P<what>.+?)(?<!\s)\s+(?:to|into)\s+)(?P<to>.+)", re.IGNORECASE)
"""What is to be moved, and where."""


async def press_in_row(pilot: Pilot, order: Order) -> bool | None:
    """Press the control of a name in the row that an order says; None where none is said, or it is alone.

    So “Click Delete beside Borealis”. Where no row fits, or more than one, none of them is pressed. A single
    quote is what the control is called.
    """
    quote = set(words_of(order.quote)) if len(order.quotes) == 1 else set[str]()
    said = set(words_of(order.text)) - EMPTY - set(ROLE_WORDS)
    whole = any(said <= set(words_of(n.name)) for n in pilot.nodes(ACTED_ON) if n.name)
    if whole or ordinal(order.outside):
        return None
    groups: dict[frozenset[str], list[Node]] = {}
    for node in pilot.nodes({"button", "link", "clickable"}):
        words = names_of(node, "")
        if node.name and words and words <= said and quote in (set(), set(words_of_name(node.name))):
            groups.setdefault(frozenset(words), []).append(node)
    name = max(groups, key=len, default=frozenset())
    rest = said - name - KINDS
    controls = groups.get(name, [])
    if not rest or (len(controls) < 2 and not any(_is_beside(pilot, node, rest) for node in controls)):
        return None
    found = in_rows(pilot, controls, rest)
    if len(found) != 1:
        pilot.unclear(controls)
        return False
    return await click(pilot, found[0].control) != "refused"


def _is_beside(pilot: Pilot, control: Node, rest: set[str]) -> bool:
    """Tell whether some words stand in a row beside that of a control."""
    others = beside(pilot.seen, above_of(control, holders_of(pilot.seen)))
    return bool(rest & node_words(node for node in pilot.seen.nodes if node.id in others))


async def move_by_menu(pilot: Pilot, order: Order) -> bool | None:
    """Move a row or card by the entry of its menu that names the place; None where it has no menu."""
    said = None if order.word != "move" else _TO.fullmatch(order.text.strip(" ."))
    rows = menu_rows(pilot, Asked(("move", *words_of(said["what"])))) if said else []
    if said is None or len(rows) != 1:
        return None
    place, before = set(words_of(said["to"])) - EMPTY, {node.id for node in pilot.seen.nodes}
    if await pilot.do("click", rows[0].control.id) != "changed":
        return False
    came = [n for n in pilot.nodes(ACTED_ON - FIELD) if n.id not in before and n.name]
    known = [n for n in came if place <= names_of(n, "") <= place | {"move"}]
    return len(known) == 1 and await click(pilot, known[0]) == "changed"

"""What is done with the rows that are ticked: “Delete b.docx” by its box and “Delete selected”."""

from __future__ import annotations

from dataclasses import replace

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.asked import asked_of
from ddax.environments.pilot.boxes import words_of_row
from ddax.environments.pilot.deeds import deed, fits
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import click
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.switches import is_on
from ddax.environments.pilot.words import EMPTY, KINDS

_TICKED = frozenset({"selected", "checked", "marked", "ticked"})
_THEM = frozenset({"them", "it", "those", "these"})


async def done_with_ticked(pilot: Pilot, order: Order) -> bool | None:
    """Tick the one row that an order names and press what is for all that are ticked; None for no such page.

    “Download them” is about what was ticked before. Where other rows are ticked already nothing is done.
    """
    asked = asked_of(order)
    buttons = [n for n in pilot.nodes({"button"}) if _is_for_ticked(n, asked.verb)]
    boxes = {n.id: n for n in pilot.nodes({"checkbox"}) if words_of_row(pilot, n)}
    if order.quotes or len(buttons) != 1 or not boxes or fits(pilot, asked):
        return None
    ticked = {n.id for n in boxes.values() if is_on(n)}
    said = set(asked.words[1:]) - EMPTY - KINDS - _THEM - _TICKED
    if said:
        rows = [n for n in boxes.values() if said <= words_of_row(pilot, n)]
        if len(rows) != 1 or ticked - {rows[0].id}:
            return None
        if not is_on(rows[0]) and await click(pilot, rows[0]) == "refused":
            return False
    elif not ticked:
        return None
    name = buttons[0].name.partition(" ")[2]
    return await deed(pilot, replace(order, word=asked.verb, text=name, outside=name))


def _is_for_ticked(button: Node, verb: str) -> bool:
    """Tell whether a button does what a verb says with all that is ticked."""
    words = words_of(button.name)
    return words[:1] == [verb] and bool(_TICKED & set(words[1:]))

"""Cells of a table that become fields when they are pressed twice: “Change the price of oil to 3”."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.fields import fill
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.rows import inside, node_words, words_of
from ddax.environments.pilot.words import EMPTY, FIELD

_SETS = re.compile(
    r"(?:set|change|edit|update)\s++(?>(?P<what>.+?)(?<!\s)\s+to\s+)(?P<value>.+)", re.IGNORECASE
)
_CELLS = frozenset({"cell", "gridcell"})


async def edit_cell(pilot: Pilot, order: Order) -> bool | None:
    """Press the only cell that an order names by its row and column twice, and write into what comes.

    None where no cell is named, or no field comes.
    """
    said = _SETS.fullmatch(f"{order.word} {order.text}".strip(" ."))
    cell = _cell(pilot, set(words_of(said["what"])) - EMPTY) if said else None
    if said is None or cell is None:
        return None
    known = {node.id for node in pilot.seen.nodes}
    if await pilot.do("click", cell.id, "double") == "refused":
        return None
    came = [n for n in pilot.nodes(FIELD | {"combobox"}) if n.id not in known]
    if len(came) != 1:
        return None
    if not await fill(pilot, came[0], said["value"].strip("\"“”' ")):
        return False
    held = pilot.seen.node(came[0].id)  # a page may take it as soon as it is written
    return held is None or await pilot.do("press", held.id, "Enter") == "changed"


def _cell(pilot: Pilot, words: set[str]) -> Node | None:
    """Return the only cell whose column and row together say some words, each of them some."""
    heads = [n for n in pilot.nodes({"columnheader"}) if _said(n) and _said(n) <= words]
    found = [
        cell
        for row in pilot.nodes({"row"})
        for head in heads
        if words - _said(head) and words - _said(head) <= node_words(inside(pilot.seen, row.id))
        for cell in pilot.nodes(_CELLS)
        if cell.parent == row.id and _below(head, cell)
    ]
    return found[0] if len(found) == 1 else None


def _said(head: Node) -> set[str]:
    return set(words_of(head.name or head.own)) - EMPTY


def _below(head: Node, cell: Node) -> bool:
    middle = cell.box[0] + cell.box[2] / 2
    return head.box[0] <= middle <= head.box[0] + head.box[2] and cell.box[1] > head.box[1]

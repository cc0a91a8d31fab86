"""Sort a list or a table by what an order names, and see that it is sorted."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.asked import asked_of
from ddax.environments.pilot.deeds import deed, fits
from ddax.environments.pilot.lists import sort_list
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import click
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.words import EMPTY, FIELD, numbers

_DOWN = re.compile(
    r"\b(?:descending|decreasing|high\s+to\s+low|reversed?(?:\s+alphabetical(?:ly)?)?"
    r"|(?:highest|largest|most expensive|newest|latest|z)\s+(?:first|to\s+\w+))\b",
    re.IGNORECASE,
)
_UP = re.compile(
    r"\b(?:ascending|increasing|alphabetical(?:ly)?|low\s+to\s+high"
    r"|(?:lowest|smallest|cheapest|oldest|a)\s+(?:first|to\s+\w+))\b",
    re.IGNORECASE,
)
EDGE = 12
"""Pixels by which the head of a column without a table is off from what stands below it at most."""
TURNS = 3
"""Presses of the head of a column at most: many of them go from up to down to none."""
_BY = re.compile(r"\bby\s+(.+)", re.IGNORECASE)
_IN_ORDER = re.compile(r"\bin\s+(?:an?\s+)?order\b", re.IGNORECASE)
"""What is left of “in ascending order” without its direction."""


async def sort(pilot: Pilot, order: Order) -> bool:
    """Choose the order in a list of orders, or press the head of the column until its cells stand so."""
    found = _BY.search(order.text)
    if found is None:
        ways = _UP.search(order.text) or _DOWN.search(order.text)
        by_hand = ways and not fits(pilot, asked_of(order))
        put = await sort_list(pilot, down=bool(_DOWN.search(order.text))) if by_hand else None
        return put if put is not None else await deed(pilot, order)
    way = "down" if _DOWN.search(order.text) else "up" if _UP.search(order.text) else ""
    name = order.quote or _IN_ORDER.sub(" ", _UP.sub(" ", _DOWN.sub(" ", found[1]))).strip(" ,()")
    listed = await _by_list(pilot, order.quote or found[1], name, way)
    return listed if listed is not None else await _by_column(pilot, name, way)


async def _by_list(pilot: Pilot, said: str, name: str, way: str) -> bool | None:
    """Choose in a list that is called for sorting; None where there is none."""
    lists = [
        n for n in pilot.nodes({"combobox"}) if n.tag == "select" and "sort" in words_of(n.name or n.before)
    ]
    if len(lists) != 1:
        return None
    asked, named = set(words_of(said)) - EMPTY, set(words_of(name)) - EMPTY
    options = [one for one in lists[0].options if asked <= set(words_of(one)) and way in ("", _way(one))]
    options = options or [one for one in lists[0].options if named <= set(words_of(one)) and _way(one) == way]
    if len(options) != 1:
        return False
    pilot.focus = lists[0]
    if await pilot.do("select", lists[0].id, options[0]) == "refused":
        return False
    after = pilot.seen.node(lists[0].id)
    return after is None or after.value == options[0]


def _way(option: str) -> str:
    return "down" if _DOWN.search(option) else "up" if _UP.search(option) else ""


async def _by_column(pilot: Pilot, name: str, way: str) -> bool:
    """Press the head of a column, as often as it takes until its cells rise or fall as is asked."""
    wanted = set(words_of(name)) - EMPTY
    for _ in range(TURNS):
        head = _head(pilot, wanted)
        if head is None or await click(pilot, head) == "refused":
            return False
        head = _head(pilot, wanted)  # drawn anew, or elsewhere since the page was scrolled to it
        if head is not None and _is_sorted(_column(pilot, head), down=way == "down"):
            return True
    return False


def _head(pilot: Pilot, wanted: set[str]) -> Node | None:
    """Return the only head of a column that is called so."""
    marks = {"▲", "▼", "↑", "↓", "⇅"}
    heads = [head for head in _heads(pilot) if wanted and set(words_of(head.name)) - marks == wanted]
    return heads[0] if len(heads) == 1 else None


def _heads(pilot: Pilot) -> list[Node]:
    """Return what heads the columns of tables: each first row, and the controls in it."""
    rows: dict[str, str] = {}
    for node in pilot.seen.nodes:
        if node.role == "row":
            rows.setdefault(node.parent, node.id)
    first = set(rows.values())
    cells = {n.id for n in pilot.seen.nodes if n.parent in first}
    inner = [n for n in pilot.nodes({"button", "link", "clickable"}) if n.parent in cells]
    own = [n for n in pilot.nodes({"columnheader", "clickable"}) if n.parent in first]
    held = {n.parent for n in inner}
    known = {n.id for n in (*inner, *own)} | cells
    loose = [n for n in pilot.nodes({"button", "link", "clickable"}) if n.id not in known]
    return [*inner, *(n for n in own if n.id not in held), *(n for n in loose if _aligned(pilot, n))]


def _column(pilot: Pilot, head: Node) -> list[str]:
    """Return what stands below the head of a column."""
    middle = head.box[0] + head.box[2] / 2
    cells = [n for n in pilot.seen.nodes if n.role in ("cell", "gridcell", "rowheader")]
    below = [n for n in cells if n.box[0] <= middle <= n.box[0] + n.box[2] and n.box[1] > head.box[1]]
    return [n.name or n.own for n in below or _aligned(pilot, head)]


def _aligned(pilot: Pilot, head: Node) -> list[Node]:
    """Return what stands below a control at its left edge, one in each of several boxes of one kind."""
    texts = [n for n in pilot.seen.nodes if n.role == "text" and n.box[1] > head.box[1]]
    below = [n for n in texts if abs(n.box[0] - head.box[0]) < EDGE]
    rows: dict[str, dict[str, list[Node]]] = {}
    for node in below:
        for box in node.boxes:
            rows.setdefault(box.kind, {}).setdefault(box.id, []).append(node)
    cells = list(max(rows.values(), key=len, default={}).values())
    return [one[0] for one in cells] if len(cells) > 1 and all(len(one) == 1 for one in cells) else []


def _is_sorted(cells: list[str], *, down: bool) -> bool:
    """Tell whether cells stand in an order: as numbers where each is one, else as words."""
    if len(cells) < 2:
        return False
    counted = [numbers(cell) for cell in cells]
    keys: list[float] | list[str] = [one[0] for one in counted if len(one) == 1]
    if len(keys) < len(cells):
        keys = [cell.casefold() for cell in cells]
    return keys == sorted(keys, reverse=down)


async def press_sorted(pilot: Pilot, *, down: bool) -> bool:
    """Press everything that shows a number, in the order of the numbers."""
    pool = [
        n
        for n in pilot.seen.nodes
        if re.fullmatch(r"-?\d+(?:\.\d+)?", n.name.strip()) and n.role not in FIELD
    ]
    rising = sorted(pool, key=lambda n: float(n.name), reverse=down)
    came = [await click(pilot, node) for node in rising]
    return bool(pool) and "refused" not in came

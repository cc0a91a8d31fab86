"""Drag to a place told by where it is: up by one, the 3rd position, the top left; sort by dragging."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.finding.match import label
from ddax.environments.pilot.orders.frames import Frame
from ddax.environments.pilot.pilot import NotDone, Pilot
from ddax.environments.pilot.words import keys, ordinal

STEPS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_COLUMNS = {"left": 0.0, "right": 1.0}
_ROWS = {"top": 0.0, "bottom": 1.0}
_MIDDLE = frozenset({"center", "centre", "middle"})
_NUMBERED = frozenset({"position", "place", "spot", "slot"})
_PLACES = _NUMBERED | {"list", "corner"}
FREE = 40
"""Pixels that a thing without others beside it is dragged by."""
_BESIDE = 4
"""Pixels that the edges of things in one row or column may differ by."""


def place_of(frame: Frame) -> tuple[float | None, float | None] | int | None:
    """Return what place an order tells: a number from 1 or -1, or how far right and down; None for none."""
    solid = [word for word in frame.to if word.key in _COLUMNS or word.key in _ROWS or not word.is_stop]
    if not solid or any(word.group >= 0 for word in solid):
        return None
    rest = [word for word in solid if word.key not in _PLACES and not ordinal([word])]
    if (number := ordinal(solid)) and not rest:
        return number
    words = {word.key for word in rest}
    bare = any(word.key in _NUMBERED for word in solid)
    if not words or bare or number or words - {*_COLUMNS, *_ROWS, *_MIDDLE}:
        return None
    across = next((_COLUMNS[word] for word in words if word in _COLUMNS), None)
    down = next((_ROWS[word] for word in words if word in _ROWS), None)
    return (across, down)


async def drag_by(pilot: Pilot, thing: Node, way: str, count: int) -> None:
    """Drag a thing by some places, or where nothing of its kind stands beside it, by some pixels."""
    thing = row_of(pilot, thing)
    x, y = STEPS[way]
    beside = sorted(_in_line(pilot, thing, vertical=bool(y)), key=lambda node: node.box[bool(y)])
    at = next((n for n, node in enumerate(beside) if node.id == thing.id), 0) + count * (x + y)
    if len(beside) < 2:
        await _drag_free(pilot, thing, x * FREE, y * FREE)
        return
    if not 0 <= at < len(beside):
        raise NotDone(f"“{label(thing)}” has no place further {way}")
    await drag_onto(pilot, thing, beside[at])


async def _drag_free(pilot: Pilot, thing: Node, x: int, y: int) -> None:
    await pilot.do("drag", thing.id, f"{x},{y}")
    now = pilot.node(thing.id)
    if now is None or (now.box[0] - thing.box[0]) * x + (now.box[1] - thing.box[1]) * y <= 0:
        raise NotDone(f"“{label(thing)}” was dragged, and did not move that way")


async def drag_to_place(pilot: Pilot, thing: Node, place: tuple[float | None, float | None] | int) -> None:
    """Drag a thing to a place among those of its kind, and see that it stands there."""
    thing = row_of(pilot, thing)
    every = _alike(pilot, thing)
    if isinstance(place, int):
        if abs(place) > len(every):
            raise NotDone(f"there are only {len(every)} places")
        await drag_onto(pilot, thing, every[place - 1 if place > 0 else place])
        return
    if place == (None, None) and min(len({node.box[axis] for node in every}) for axis in (0, 1)) < 3:
        raise NotDone("there is no middle among them")
    lows = [min(node.box[axis] for node in every) for axis in (0, 1)]
    highs = [max(node.box[axis] for node in every) for axis in (0, 1)]
    wanted = [
        low + (high - low) * (0.5 if part is None else part)
        for low, high, part in zip(lows, highs, place, strict=True)
    ]
    there = min(every, key=lambda node: abs(node.box[0] - wanted[0]) + abs(node.box[1] - wanted[1]))
    await drag_onto(pilot, thing, there)


async def drag_onto(pilot: Pilot, thing: Node, other: Node) -> None:
    """Drag a thing to where another one of its kind stands, and see that it has that place among them."""
    if thing.id == other.id:
        pilot.settled = True
        return
    place = [node.id for node in _alike(pilot, thing)].index(other.id)
    down = other.box[1] - thing.box[1] + (3 if other.box[1] > thing.box[1] else -3)
    across = other.box[0] - thing.box[0]
    across += 3 * (across > 0) - 3 * (across < 0)
    await pilot.do("drag", thing.id, f"{across:g},{down:g}")
    now = pilot.node(thing.id)
    if now is None or [node.id for node in _alike(pilot, now)].index(now.id) != place:
        raise NotDone(f"“{label(thing)}” was dragged, and does not stand where it was to")


def row_of(pilot: Pilot, thing: Node) -> Node:
    """Return the row of a list that a text is the whole of; the thing itself where it stands in none."""
    holder = pilot.page.by_id.get(thing.parent)
    whole = holder is not None and keys(holder.name or holder.own) == keys(thing.name or thing.own)
    return holder if holder is not None and whole and holder.role in ("listitem", "option", "row") else thing


def _alike(pilot: Pilot, thing: Node) -> list[Node]:
    """Return what stands beside a thing and is of its kind, with it, as it is read."""
    return [
        node
        for node in pilot.seen.nodes
        if (node.role, node.tag, node.parent, node.boxes)
        == (thing.role, thing.tag, thing.parent, thing.boxes)
    ]


def _in_line(pilot: Pilot, thing: Node, *, vertical: bool) -> list[Node]:
    axis = 0 if vertical else 1
    return [n for n in _alike(pilot, thing) if abs(n.box[axis] - thing.box[axis]) <= _BESIDE]


async def sort_by_drag(pilot: Pilot, *, down: bool) -> bool:
    """Bring the rows of the only list that can be dragged into order; False where there is no such list."""
    rows = [node for node in pilot.seen.nodes if node.role == "listitem" and _moves(node)]
    if len(rows) < 2 or len(_alike(pilot, rows[0])) != len(rows):
        return False
    for at in range(len(rows) - 1):
        now = _alike(pilot, pilot.node(rows[0].id) or rows[0])
        wanted = sorted(now[at:], key=lambda node: amount(node.name or node.own), reverse=down)[0]
        if wanted.id != now[at].id:
            await drag_onto(pilot, wanted, now[at])
    return True


def _moves(node: Node) -> bool:
    return node.drags or bool({"sortable", "draggable"} & set(node.hints.casefold().split()))


def amount(text: str) -> tuple[int, float, str]:
    """Return what a text is sorted by: its number, or where it has none, itself."""
    number = re.fullmatch(r"[^\d-]*(-?[\d,]*\.?\d+)\D*", text)
    return (0, float(number[1].replace(",", "")), "") if number else (1, 0.0, text.casefold())

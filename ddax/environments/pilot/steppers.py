"""Steppers without a field: a number on the page between a minus and a plus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.amounts import DOWN, MAX_STEPS, NEAR, NUMBER, UP, bring, gap, is_control
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.rows import rows_of, words_of
from ddax.environments.pilot.values import given
from ddax.environments.pilot.words import EMPTY, NUMBERS

_COUNTED = frozenset({"quantity", "number", "amount", "count"})
"""Words for how many, and for nothing that is counted."""


@dataclass(frozen=True)
class Stepper:
    """What shows a number, and what makes it less and more; a field needs no more than itself."""

    shows: Node
    less: Node | None = None
    more: Node | None = None


def count_of(words: Iterable[str]) -> int:
    """Return the first whole number among some words, 0 where there is none."""
    for word in words:
        if word.isascii() and word.isdigit():
            return int(word)
        if word in NUMBERS:
            return NUMBERS[word]
    return 0


def stepper(pilot: Pilot, parts: Sequence[Node]) -> Stepper | None:
    """Return the stepper among some elements; None where there is none, or more than one."""
    fields = [n for n in parts if n.role == "spinbutton" or (n.tag == "select" and _counts(n))]
    fields = [n for n in fields if not {"disabled", "readonly"} & n.state]
    if fields:
        return Stepper(fields[0]) if len(fields) == 1 else None
    found: list[Stepper] = []
    for shows in parts:
        if NUMBER.fullmatch((shows.own or shows.name).strip()) and shows.role in ("text", "status", "output"):
            less, more = (_beside(parts, shows, way) for way in (DOWN, UP))
            if less and more:
                found.append(Stepper(shows, less, more))
    return found[0] if len(found) == 1 else None


def _counts(node: Node) -> bool:
    """Tell whether a list offers numbers alone, as 1, 2, 3."""
    return len(node.options) > 1 and all(option.strip().isdigit() for option in node.options)


def _beside(parts: Sequence[Node], shows: Node, way: frozenset[str]) -> Node | None:
    """Return the control right beside a number that leads a way and says nothing else."""
    near = [n for n in parts if n.role in ("button", "clickable", "icon") and gap(n, shows) <= NEAR]
    near = [n for n in near if _leads(n, way)]
    return near[0] if len(near) == 1 else None


def _leads(node: Node, way: frozenset[str]) -> bool:
    return node.own.strip() in way or is_control(node, way, set())


async def set_count(pilot: Pilot, order: Order) -> bool | None:
    """Bring the stepper of what an order names to its number; None where the page has none for it."""
    name = given(order)
    if name is None or not name[1].isdigit():
        return None
    words = set(words_of(name[0])) - EMPTY - _COUNTED
    adders = [n for n in pilot.nodes({"button", "clickable", "icon"}) if _leads(n, UP)]
    rows = [(row, stepper(pilot, row.parts)) for row in rows_of(pilot.seen, adders)]
    meant = [steps for row, steps in rows if words and steps and words <= row.words()]
    return await to_count(pilot, meant[0], int(name[1])) if len(meant) == 1 else None


async def to_count(pilot: Pilot, steps: Stepper, count: int) -> bool:
    """Bring a stepper to a number, step by step; False where it is too far or a step brings it no nearer."""
    if steps.shows.tag == "select":
        offered = [option for option in steps.shows.options if option.strip() == str(count)]
        return bool(offered) and await pilot.do("select", steps.shows.id, offered[0]) != "refused"
    if steps.less is None or steps.more is None:
        return await bring(pilot, steps.shows, float(count))
    now = _number(pilot, steps)
    if now is None or abs(now - count) > MAX_STEPS:
        return False
    pilot.settled |= now == count
    while now != count:
        pilot.max_moves += 1
        way = steps.more if now < count else steps.less
        before, came = now, await pilot.do("click", _again(pilot, way).id)
        now = _number(pilot, steps)
        if came == "refused" or now is None or abs(now - count) >= abs(before - count):
            return False
    return True


def _number(pilot: Pilot, steps: Stepper) -> int | None:
    """Return the number that a stepper shows."""
    now = _again(pilot, steps.shows)
    text = (now.own or now.name).strip()
    return int(text) if text.lstrip("-").isdigit() else None


def _again(pilot: Pilot, node: Node) -> Node:
    """Return an element as it is now, also where the page has drawn it anew at the same place."""
    same = pilot.seen.node(node.id)
    if same is not None:
        return same
    x, y = node.box[:2]
    near = [
        n
        for n in pilot.seen.nodes
        if n.role == node.role and abs(n.box[1] - y) < 4 and abs(n.box[0] - x) < 12
    ]
    return min(near, key=lambda n: abs(n.box[0] - x), default=node)

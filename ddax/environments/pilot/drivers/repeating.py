"""Press what changes the page until it shows what the order says: “until it shows 5”, “a number below 7”."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.finding.locate import locate, meant, pressed
from ddax.environments.pilot.finding.match import FIELDS, usable
from ddax.environments.pilot.finding.relations import NOWHERE
from ddax.environments.pilot.orders.frames import Until
from ddax.environments.pilot.pilot import NotDone, Pilot
from ddax.environments.pilot.words import Word, has_phrase, keys, said

LOOKS, BETWEEN = 600, 0.1
"""How often a page is looked at for what is waited for, and every how many seconds."""
MOST = 60
"""Presses until a page shows what is wanted at most."""
_NUMBER = re.compile(r"[^\d-]*(-?\d+(?:\.\d+)?)\D*")


async def press_until(pilot: Pilot, order: Sequence[Word], until: Until) -> None:
    """Press what an order names until the page shows what is said; raises NotDone where it never does."""
    if until.of:
        await _press_when(pilot, order, until)
        return
    if until.text and _shows(pilot, until.text):
        pilot.settled = True
        return
    node = await locate(pilot, order, pressed)
    display: set[str] = set()
    for _ in range(MOST):
        before = _numbers(pilot)
        await pilot.do("click", node.id)
        now = _numbers(pilot)
        display |= {id for id, number in now.items() if before.get(id) != number and id != node.id}
        if until.text and _shows(pilot, until.text):
            return
        if len(display) > 1:
            raise NotDone("it is not said which number is meant: more than one changes")
        if not until.text and any(until.met(now[id]) for id in display if id in now):
            return
    raise NotDone(f"pressed {MOST} times, and the page does not show {until.said or said(order)}")


async def _press_when(pilot: Pilot, order: Sequence[Word], until: Until) -> None:
    """Wait until what the order names is as it says, and press then."""
    node = await _presser(pilot, order)
    for _ in range(LOOKS):
        shown = _number_of(pilot, keys(until.of))
        if shown is not None and until.met(shown):
            try:
                await pilot.do("click", node.id)
            finally:
                _see_still(pilot, until)
            return
        await asyncio.sleep(BETWEEN)
        await pilot.look()
    raise NotDone(f"the {until.of} did not become {until.said} in time")


def _see_still(pilot: Pilot, until: Until) -> None:
    """See that a number was not another one when what waited for it was pressed."""
    shown = _number_of(pilot, keys(until.of))
    if shown is not None and not until.met(shown):
        raise NotDone(f"the {until.of} is {shown:g} now: it is not seen what it was as it was pressed")


async def _presser(pilot: Pilot, order: Sequence[Word]) -> Node:
    """Return what is to be pressed: what is called so, or the one of that verb on a page about the rest."""
    about = [word.key for word in order[1:] if not word.is_stop]
    if all(pilot.page.saying((one,)) for one in about):
        found = meant(pilot, order[:1], pressed)
        if found is not None:
            return found
    return await locate(pilot, order, pressed)


def _number_of(pilot: Pilot, name: Sequence[str]) -> float | None:
    """Return the one number that stands nearest to its name."""
    found = [
        (pilot.page.level(node, name), float(number[1]))
        for node in pilot.seen.nodes
        if node.role not in ("button", "link", "option") and (number := _NUMBER.fullmatch(node.own))
    ]
    near = [number for size, number in found if size == min(found)[0] < NOWHERE]
    return near[0] if len(near) == 1 else None


def _numbers(pilot: Pilot) -> dict[str, float]:
    """Return what shows a number alone, as the display of a counter."""
    nodes = [node for node in pilot.seen.nodes if node.role not in ("button", "link", "option")]
    found = {node.id: _NUMBER.fullmatch(node.value if node.role in FIELDS else node.own) for node in nodes}
    return {id: float(number[1]) for id, number in found.items() if number}


def _shows(pilot: Pilot, text: str) -> bool:
    wanted = keys(text)
    nodes = usable(pilot.page, lambda node: node.role != "option")
    return any(has_phrase(keys(node.text or node.value), wanted) for node in nodes)

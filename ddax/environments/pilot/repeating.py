"""Press what changes the page until it shows what the order says: “until it shows 5”, “a number below 7”."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ddax.environments.pilot.frames import Frame, Until
from ddax.environments.pilot.locate import locate, pressed
from ddax.environments.pilot.match import FIELDS, usable
from ddax.environments.pilot.pilot import NotDone, Pilot
from ddax.environments.pilot.words import Word, has_phrase, keys, said

MOST = 60
"""Presses until a page shows what is wanted at most."""
_NUMBER = re.compile(r"[^\d-]*(-?\d+(?:\.\d+)?)\D*")


async def press_until(pilot: Pilot, frame: Frame, order: Sequence[Word], until: Until) -> None:
    """Press what an order names until the page shows what is said; raises NotDone where it never does."""
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


def _numbers(pilot: Pilot) -> dict[str, float]:
    """Return what shows a number alone, as the display of a counter."""
    nodes = [node for node in pilot.seen.nodes if node.role not in ("button", "link", "option")]
    found = {node.id: _NUMBER.fullmatch(node.value if node.role in FIELDS else node.own) for node in nodes}
    return {id: float(number[1]) for id, number in found.items() if number}


def _shows(pilot: Pilot, text: str) -> bool:
    wanted = keys(text)
    nodes = usable(pilot.page, lambda node: node.role != "option")
    return any(has_phrase(keys(node.own or node.name or node.value), wanted) for node in nodes)

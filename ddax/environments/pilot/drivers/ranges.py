"""Bring a slider or a spinner to a number by its keys, and see that it stands there."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.finding.match import label
from ddax.environments.pilot.pilot import NotDone, Pilot

_SAID = re.compile(
    r"[$€£¥]?\s?(-?(?:\d{1,3}(?:,\d{3}){1,6}|\d{1,30})(?:\.\d{1,30})?)\s?(?:[^\W\d]{1,20}|[%°$€£¥])?"
)
MOST = 110
"""Presses on the way to a number at most."""


async def bring(pilot: Pilot, node: Node, text: str) -> None:
    """Bring an element to a number; refused before anything is pressed where it does not take that number."""
    found = _SAID.fullmatch(text.strip())
    if found is None:
        raise NotDone(f"“{text}” is no number")
    number = found[1].replace(",", "")
    wanted = float(number)
    low, high = (_number(bound) for bound in (*node.bounds, "", "")[:2])
    if (low is not None and wanted < low) or (high is not None and wanted > high):
        raise NotDone(
            f"“{label(node)}” goes from {low:g} to {high:g}"
            if low is not None and high is not None
            else "too far"
        )
    display = ""
    if node.tag == "input" and node.type == "range":
        await pilot.do("type", node.id, number)
    else:
        display = node.id if _value(node) is not None else await _display(pilot, node)
        await _by_keys(pilot, node, display, wanted)
    now = pilot.node(display or node.id)
    if now is None or _value(now) != wanted:
        raise NotDone(f"“{label(node)}” stands at {now.value if now else 'nothing'}, not at {number}")


async def _display(pilot: Pilot, node: Node) -> str:
    """Return the id of what shows the number of a slider that has none itself: what one step changes."""
    before = {one.id: one.own for one in pilot.seen.nodes if _number(one.own) is not None}
    for arrow in ("ArrowRight", "ArrowLeft"):
        await pilot.do("press", node.id, arrow)
        changed = [one.id for one in pilot.seen.nodes if one.id in before and one.own != before[one.id]]
        if len(changed) == 1:
            return changed[0]
    raise NotDone(f"“{label(node)}” does not show where it stands")


async def _by_keys(pilot: Pilot, node: Node, display: str, wanted: float) -> None:
    """Step towards a number as long as each step comes nearer, by the keys up and down, or right and left."""
    up, down = ("ArrowUp", "ArrowDown") if node.role == "spinbutton" else ("ArrowRight", "ArrowLeft")
    for _ in range(MOST):
        value = _value(pilot.node(display))
        if value is None or value == wanted:
            return
        await pilot.do("press", node.id, up if wanted > value else down)
        moved = _value(pilot.node(display))
        if moved is None or moved == value or (moved - wanted) * (value - wanted) < 0:
            return


def _value(node: Node | None) -> float | None:
    if node is None:
        return None
    found = _number(node.value)
    return found if found is not None else _number(node.own)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None

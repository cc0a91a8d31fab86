"""Press a control several times where the page counts along: “Add two Tiramisu” beside one button Add."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import Node, PageSeen
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import click

MOST = 20
"""How often a control is pressed for one order at most."""
COUNTED = frozenset({"add"})
"""Verbs that do one more each time."""
_PLUS = frozenset({"+", "＋", "➕"})
_ONE_NUMBER = re.compile(r"\D*(\d+)\D*")


def is_plus(node: Node) -> bool:
    """Tell whether a control shows a plus and nothing else."""
    return (node.own or node.name).strip() in _PLUS


async def press_times(pilot: Pilot, control: Node, times: int, *, sure: bool = False) -> bool:
    """Press a control so often, as long as a number that the page shows rises by one each time.

    To be `sure` it must rise with the last press too: what a plus does is not said on it.
    """
    if not 0 < times <= MOST:
        return False
    for done in range(1, times + 1):
        before = pilot.seen
        now = _again(pilot, control)
        if now is None or await click(pilot, now) != "changed":
            return False
        if (sure or done < times) and not _rose(before, pilot.seen, done):
            pilot.misread(f"it was pressed {done} of {times} times: the page does not count", "Say it once")
            return False
    return True


def _again(pilot: Pilot, control: Node) -> Node | None:
    """Return a control as it is now, also where the page has drawn it anew at the same place."""
    same = [n for n in pilot.seen.nodes if (n.role, n.name) == (control.role, control.name)]
    by_id = [n for n in same if n.id == control.id]
    there = [n for n in same if abs(n.box[0] - control.box[0]) + abs(n.box[1] - control.box[1]) < 4]
    return next(iter(by_id or there), None)


def _rose(before: PageSeen, after: PageSeen, done: int) -> bool:
    """Tell whether a number rose by one, or one came that says how often it was pressed."""
    known = _numbers(before)
    return any(
        number == known[id] + 1 if id in known else number == done for id, number in _numbers(after).items()
    )


def _numbers(seen: PageSeen) -> dict[str, int]:
    """Return the number of each element that shows one alone."""
    found = {n.id: _ONE_NUMBER.fullmatch(n.own or n.name or n.value) for n in seen.nodes}
    return {id: int(one[1]) for id, one in found.items() if one}

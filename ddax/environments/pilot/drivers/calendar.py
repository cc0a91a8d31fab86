"""Pick a day in the calendar of a field: open it, turn to the month, press the day, see that it is held."""

from __future__ import annotations

import re
from datetime import date

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.finding.locate import pressed
from ddax.environments.pilot.finding.match import label, names, usable
from ddax.environments.pilot.orders.dates import find_month, writes
from ddax.environments.pilot.pilot import NotDone, Pilot
from ddax.environments.pilot.words import keys, plain

TURNS = 120
_OPENS = re.compile(
    r"\b(?:calendar|date ?picker|choose date|pick a date|select date|open date|date)\b|📅", re.IGNORECASE
)
_DONE = frozenset({"ok", "apply", "done", "select", "set"})
_FORWARD, _BACK = ("next", "›", ">", "»", "→"), ("prev", "previous", "‹", "<", "«", "←")


async def pick_day(pilot: Pilot, node: Node, day: date) -> None:
    """Pick a day; raises NotDone where the calendar does not lead there."""
    if _month(pilot) is None:
        await _open(pilot, node)
    for _ in range(TURNS):
        shown = _month(pilot)
        if shown is None:
            raise NotDone(f"“{label(node)}” opened no calendar")
        if shown == (day.year, day.month):
            break
        turn = _turner(pilot, forward=shown < (day.year, day.month))
        if turn is None or not await pilot.do("click", turn.id):
            raise NotDone(f"the calendar of “{label(node)}” does not turn to {day:%B %Y}")
    await _press_day(pilot, node, day)
    now = pilot.node(node.id)
    if now is None or not writes(now.value, day):
        raise NotDone(f"“{label(node)}” does not hold {day.isoformat()}")


async def _open(pilot: Pilot, node: Node) -> None:
    near = [n for n in usable(pilot.page, pressed) if n.id != node.id and _OPENS.search(" ".join(names(n)))]
    opener = near[0] if len(near) == 1 else node
    await pilot.do("click", opener.id)
    if _month(pilot) is None and opener.id != node.id:
        await pilot.do("click", node.id)


def _month(pilot: Pilot) -> tuple[int, int] | None:
    """Return the month that a calendar shows now."""
    for node in pilot.seen.nodes:
        text = node.text
        if (
            len(text) <= 30
            and node.role not in ("textbox", "option", "combobox")
            and (found := find_month(text))
        ):
            return found
    text = " ".join(node.text for node in pilot.seen.nodes if "month" in node.hints or "year" in node.hints)
    return find_month(text)


def _turner(pilot: Pilot, *, forward: bool) -> Node | None:
    signs = _FORWARD if forward else _BACK
    found = []
    for node in usable(pilot.page, lambda one: pressed(one) or one.role == "text"):
        said = plain(" ".join([*names(node), node.hints if pressed(node) else ""]))
        if any(sign in (said.split() if sign.isalpha() else said) for sign in signs) and "year" not in said:
            found.append(node)
    found.sort(key=lambda node: not pressed(node))  # some turn their pages by a text
    return found[0] if found else None


async def _press_day(pilot: Pilot, node: Node, day: date) -> None:
    """Press the cell of a day, and what takes it where the calendar asks for that."""
    cells = [
        n
        for n in usable(pilot.page, lambda n: "disabled" not in n.state)
        if keys(n.text) == (str(day.day),) and n.role not in ("textbox", "option", "row")
    ]
    grid = [n for n in cells if _in_table(pilot, n)] or cells
    if not grid:
        raise NotDone(f"the calendar shows no day {day.day}")
    inner = [n for n in grid if n.role in ("button", "link", "gridcell", "clickable")] or grid
    cell = inner[0] if day.day < 15 else inner[-1]  # the days of the months beside it stand at both ends
    await pilot.do("click", cell.id)
    now = pilot.node(node.id)
    if now is not None and writes(now.value, day):
        return
    takes = [
        n for n in usable(pilot.page, pressed) if n.role == "button" and " ".join(keys(label(n))) in _DONE
    ]
    if len(takes) == 1:
        await pilot.do("click", takes[0].id)


def _in_table(pilot: Pilot, node: Node) -> bool:
    holders = (pilot.page.by_id.get(holder) for holder in pilot.page.holders(node))
    return any(one is not None and one.role in ("grid", "table", "dialog") for one in holders)

"""A page's question is accepted where an order says yes, and nowhere by accident."""

from __future__ import annotations

import pytest

from ddax.environments.browser.seen import Node
from tests.unit.test_pilot import done, page
from tests.unit.test_pilot_opposites import Asking

pytestmark = pytest.mark.asyncio
NODES = page(("button", "Delete"), ("textbox", "Note")).nodes


@pytest.mark.parametrize(
    "task",
    ["Click Delete and confirm.", "Click Delete. Confirm it.", "Click Delete, then click OK",
     "Click Delete and accept the question", "Press Delete and confirm the dialog."],
)  # fmt: skip
async def test_an_order_behind_says_yes(task: str) -> None:
    world = Asking(list(NODES))
    report, moves = await done(task, world)
    assert moves == [["click", "e1", ""], ["accept", "dialog", ""]] and report.ok


@pytest.mark.parametrize(
    "task",
    ['Type "yes" into Note and press Delete', "Press Delete", 'Click "Delete" and type "confirm" into Note',
     "Confirm it. Click Delete."],
)  # fmt: skip
async def test_a_name_a_quote_and_what_is_done_already_say_no_yes(task: str) -> None:
    world = Asking(list(NODES))
    report, moves = await done(task, world)
    assert ["accept", "dialog", ""] not in moves and not report.ok


async def test_a_box_that_a_deed_opens_is_answered_by_the_order_alone() -> None:
    world = page(("button", "Delete"))
    world.opens = {"e1": [Node("box", "dialog", "Sure?"), Node("no", "button", "Cancel", parent="box"),
                          Node("yes", "button", "Delete", parent="box")]}  # fmt: skip
    report, moves = await done("Delete", world)
    assert moves == [["click", "e1", ""]] and "does not say what to answer" in report.failed[0]

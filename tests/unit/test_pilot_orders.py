"""Orders as people word them: names with points, other quotes, and what is not to be done."""

from __future__ import annotations

import pytest

from tests.unit.test_pilot import done, page

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize(
    ("task", "pressed"),
    [
        ("Click Save and do not click the Delete button, then click Archive", ["e2", "e3"]),
        ("Click Save, not Delete.", ["e2"]),
        ("Click Save but not Delete", ["e2"]),
        ("Click Save instead of Delete.", ["e2"]),
        ("Click Save rather than Delete", ["e2"]),
        ("Do not press Delete, or Save", []),
        ("Be careful not to click Delete", []),
        ("I don't want you to click Delete", []),
        ("It is not allowed to press Delete", []),
        ("Please, don't click Delete", []),
        ("Click Continue without saving", ["e4"]),
    ],
)
async def test_what_is_not_to_be_pressed_is_left_alone(task: str, pressed: list[str]) -> None:
    names = ("Delete", "Save", "Archive", "Continue without saving")
    report, moves = await done(task, page(*(("button", name) for name in names)))
    assert [target for _, target, _ in moves] == pressed and report.ok


@pytest.mark.parametrize(
    "task",
    [
        "Click anything except Delete", "Click any button other than Delete", "Check all but Ann",
        "Click Save without clicking Delete", "Select everything except Ann", "Untick all but Ann",
    ],
)  # fmt: skip
async def test_an_order_with_an_exception_is_not_carried_out_on_the_exception(task: str) -> None:
    rows = [("button", "Delete"), ("button", "Save"), ("checkbox", "*Ann"), ("checkbox", "Bob")]
    report, moves = await done(task, page(*rows))
    assert moves == [] and not report.ok

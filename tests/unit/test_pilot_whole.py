"""An order is read as a whole: what it says is done to the letter, or nothing of it is."""

from __future__ import annotations

import pytest

from ddax.environments.pilot.orders.conditions import _numbers
from ddax.environments.pilot.orders.grammar import read_task
from tests.unit.test_pilot import done, page

pytestmark = pytest.mark.asyncio
FORM = [("textbox", "Name"), ("textbox", "Note"), ("button", "Save"), ("button", "Send"), ("button", "Next")]


@pytest.mark.parametrize(
    ("task", "values"),
    [
        ("Type I am not sure into Note and press Send.", ["I am not sure"]),
        ("Type next to the door into Note.", ["next to the door"]),
        ("Type Letter sent by Kim into Note.", ["Letter sent by Kim"]),
        ('Enter "a  b" into Note.', ["a  b"]),
    ],
)
async def test_a_value_is_written_as_it_was_said(task: str, values: list[str]) -> None:
    report, moves = await done(task, page(*FORM))
    assert [value for name, _, value in moves if name == "type"] == values, report.failed


@pytest.mark.parametrize(
    ("task", "times"),
    [
        ("Press Tab 3 times.", 3), ("Press the down arrow key seven times.", 7), ("Press Escape twice.", 2),
        ("Press Next three times.", 3), ("Click Next twice.", 2), ("Press Next several times.", 0),
    ],
)  # fmt: skip
async def test_a_press_is_made_as_often_as_it_is_said(task: str, times: int) -> None:
    report, moves = await done(task, page(*FORM))
    assert (len(moves), report.ok) == (times, times > 0), report.failed


async def test_what_is_not_to_be_forgotten_is_an_order() -> None:
    report, moves = await done('Enter "Ada" into Name. Don\'t forget to press Save.', page(*FORM))
    assert [name for name, _, _ in moves] == ["type", "click"] and report.ok


@pytest.mark.parametrize(
    "task",
    [
        "Do not leave Name empty. Press Save.",
        'Type "mug" into Note and enter.',
        "Save it when the price is below 40 and the stock is above 10.",
        "Press Save when the form is complete.",
        "Generate a number below 7 and sunny.",
        "Move Name down by several places.",
    ],
)
async def test_an_order_that_is_understood_in_part_is_not_begun(task: str) -> None:
    assert read_task(task).unread
    report, moves = await done(task, page(*FORM))
    assert not moves and not report.ok


@pytest.mark.parametrize(
    "task",
    ["Double-click Save.", "Tick only Ann and press Save.", "Enter NOT IN USE into Note and press Save."],
)
async def test_a_word_that_says_how_is_not_passed_over(task: str) -> None:
    report, moves = await done(task, page(*FORM, ("checkbox", "Ann"), ("checkbox", "*Bob")))
    assert not moves and not report.ok


@pytest.mark.parametrize(
    ("text", "met", "missed"),
    [
        ("a number below 7 and above 3", (4, 6), (3, 7, 2)), ("an odd number", (3,), (4,)),
        ("between 2 and 5", (2, 5), (1, 6)), ("exactly 4", (4,), (5,)), ("at least 2", (2, 9), (1,)),
        ("at most 2", (2, 0), (3,)), ("5", (5,), (6,)), ("even number less than 6", (4,), (6, 3)),
    ],
)  # fmt: skip
async def test_all_bounds_of_a_number_hold(text: str, met: tuple[int, ...], missed: tuple[int, ...]) -> None:
    wanted = _numbers(text)
    assert wanted is not None
    assert all(map(wanted.met, met)) and not any(map(wanted.met, missed))

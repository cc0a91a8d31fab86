"""Orders that are near to what a page has, and name something else: nothing is done for them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ddax.environments.browser.seen import Node
from tests.unit.test_pilot import FixedPage, done, page

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize(
    ("label", "task", "pressed"),
    [
        ("Light alarm", "Turn off the light", False),
        ("Light alarm", "Turn off the light alarm", True),
        ("Light alarm", "Turn off the alarm", False),
        ("Email notifications", "Turn off notifications", False),
        ("Email notifications", "Turn off email", False),
        ("Notifications by email", "Turn off notifications", False),
        ("Notifications by email", "Turn off email", False),
        ("Alarm at 7:00", "Turn off the alarm", False),
        ("Alarm 7:00", "Turn off the alarm", False),
        ("Light (bedroom)", "Turn off the light", False),
        ("In the kitchen", "Turn off the kitchen", False),
    ],
)
async def test_a_switch_is_turned_by_its_whole_name_alone(label: str, task: str, pressed: bool) -> None:
    report, moves = await done(task, page(("checkbox", f"*{label}")))
    assert bool(moves) == pressed == report.ok


@pytest.mark.parametrize(
    ("task", "ticked"),
    [
        ("Tick Dan", []), ("Tick Call Bob", []), ("Choose extra small", []), ("Tick Dan and Call Ann", []),
        ("Tick Call Ann", ["e2"]), ("Tick the newsletter by mail", ["e3"]), ("Choose extra large", ["e5"]),
        ("Choose small", ["e4"]),
    ],
)  # fmt: skip
async def test_a_box_is_ticked_that_bears_what_is_named(task: str, ticked: list[str]) -> None:
    rows = [("checkbox", name) for name in ("Ann", "Call Ann", "Newsletter", "Small", "Extra large")]
    report, moves = await done(task, page(*rows))
    assert [target for _, target, _ in moves] == ticked and report.ok == bool(ticked)


async def test_a_field_that_shares_a_word_with_another_is_not_guessed() -> None:
    rows = [("textbox", "First name"), ("textbox", "Last name"), ("textbox", "City")]
    report, moves = await done('Enter "Ada" into the middle name field', page(*rows))
    assert moves == []
    assert "“First name”, “Last name”" in report.failed[0]


@pytest.mark.parametrize("task", ["Change the password", "Change my password."])
async def test_what_names_nothing_to_write_is_a_control_or_nothing(task: str) -> None:
    report, moves = await done(task, page(("textbox", "Nickname")))
    assert moves == [] and not report.ok
    report, moves = await done(task, page(("textbox", "Nickname"), ("button", "Change password")))
    assert moves == [["click", "e2", ""]] and report.ok


@pytest.mark.parametrize(
    "task",
    [
        "Set From to 1 May and Place of stay to Oslo",
        "Change the From to 1 May, and the place of stay to Oslo",
        "Fill in the From with 1 May and Place of stay with Oslo",
    ],
)
async def test_fields_behind_one_verb_are_each_written_to(task: str) -> None:
    report, moves = await done(task, page(("textbox", "From"), ("textbox", "Place of stay")))
    assert report.ok and moves == [["type", "e1", "1 May"], ["type", "e2", "Oslo"]]


@pytest.mark.parametrize(
    ("bounds", "told"),
    [
        (("1", "6"), "a number from 1 to 6"), (("", "6.5"), "a number up to 6.5"),
        (("10", ""), "a number from 10 on"),
    ],
)  # fmt: skip
async def test_a_number_out_of_range_is_not_written_and_the_range_is_told(
    bounds: tuple[str, str], told: str
) -> None:
    guests = Node("e1", "spinbutton", "Guests", value="2", tag="input", type="number", bounds=bounds)
    report, moves = await done("Set the guests to 9", FixedPage([guests]))
    assert (
        moves == [] and report.failed[0].endswith(f"“Guests” takes {told}") and report.mend == f"Give {told}"
    )
    free = replace(guests, bounds=("", ""))
    _, moves = await done("Set the guests to 9", FixedPage([free]))
    assert moves[0] == ["type", "e1", "9"]


@pytest.mark.parametrize(
    ("task", "word"),
    [
        ("Click anything except Delete", "except"), ("Tick all but Ann", "but"),
        ("Pay all invoices other than 102", "other than"),
        ("Click Save without clicking Delete", "without"), ("Click Save or Delete", "or"),
    ],
)  # fmt: skip
async def test_the_word_that_leaves_something_out_is_told(task: str, word: str) -> None:
    report, moves = await done(task, page(("button", "Delete"), ("button", "Save"), ("checkbox", "Ann")))
    assert moves == [] and report.failed[0].endswith(f"“{word}” is not understood")
    assert report.mend == f"Name what is meant, without “{word}”"


async def test_a_plus_beside_a_minus_opens_nothing() -> None:
    signs = [Node(f"e{n}", "button", sign, box=(40.0 * n, 20.0, 16.0, 16.0)) for n, sign in enumerate("−+")]
    report, moves = await done("Add 2 apples", FixedPage(signs))
    assert moves == [] and not report.ok

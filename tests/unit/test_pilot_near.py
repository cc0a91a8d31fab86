"""Names that are near to what is said, and others: what shares a word with an order is not pressed for it."""

from __future__ import annotations

import pytest

from tests.unit.test_pilot import done, page

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("Click Save draft.", "Discard draft"),
        ("Press Export as PDF.", "Export as CSV"),
        ("Click Download the report.", "Delete the report"),
        ("Open the billing settings.", "Privacy settings"),
        ("Choose the red shirt.", "Blue shirt"),
        ("Choose seat 12C.", "Seat 11C"),
        ("Choose seat 12C.", "Skip seat selection"),
        ("Select Monday afternoon.", "Monday morning"),
    ],
)
async def test_a_control_that_shares_a_word_alone_is_not_pressed(task: str, name: str) -> None:
    report, moves = await done(task, page(("button", name)))
    assert moves == [] and not report.ok


async def test_what_was_near_is_told() -> None:
    report, _ = await done("Click Save draft.", page(("button", "Discard draft")))
    assert report.failed == (
        "Click Save draft: no control is called “Save draft”; there are “Discard draft”",
    )
    assert report.mend == "Say it in the words of the page"


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("Click Save draft.", "Save the draft"),
        ("Open the email from Ann.", "Ann: lunch"),
        ("Open Bills.", "Bills 2"),
    ],
)
async def test_what_is_called_so_is_pressed(task: str, name: str) -> None:
    report, moves = await done(task, page(("button", name)))
    assert [target for _, target, _ in moves] == ["e1"] and report.ok


async def test_of_several_that_answer_alike_none_is_guessed() -> None:
    report, moves = await done("Choose the seat.", page(("button", "Seat A"), ("button", "Seat B")))
    assert moves == [] and "there are “Seat A”, “Seat B”" in report.failed[0]


async def test_a_name_that_is_a_little_word_is_a_name() -> None:
    report, moves = await done(
        "Click button ONE, then click button TWO.", page(("button", "ONE"), ("button", "TWO"))
    )
    assert [target for _, target, _ in moves] == ["e1", "e2"] and report.ok

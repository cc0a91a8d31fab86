"""What a task wants to be told is found on the page, or the task is not done."""

from __future__ import annotations

import pytest

from ddax.environments.pilot.telling import answer_to, wanted_of

PAGE = (
    "Your account\nBalance: 12 euros\nDesk Lamp Pro\nPrice: $49\nFloor Lamp\nPrice: $89\nYou are signed in."
)


@pytest.mark.parametrize(
    ("task", "wanted"),
    [
        ("Log in as ann. Then tell me the balance.", ["the balance"]),
        ("Click Go and tell me what it says.", ["what it says"]),
        ("Click Go.", []),
    ],
)
def test_what_is_to_be_told_is_read_from_the_task(task: str, wanted: list[str]) -> None:
    assert wanted_of(task) == wanted


@pytest.mark.parametrize(
    ("wanted", "answer"),
    [
        ("the balance", "Balance: 12 euros"),
        ("the price of the Desk Lamp Pro", "Price: $49"),
        ("my account number", ""),
        ("the opening hours", ""),
        ("what it says", "Your account"),
    ],
)
def test_the_line_that_has_it_is_told_and_nothing_else(wanted: str, answer: str) -> None:
    assert answer_to(wanted, PAGE) == answer


def test_what_stands_in_quotes_is_not_to_be_told() -> None:
    assert wanted_of('Click "Show me the details".') == []

"""Which texts choose the least of cookies, and which only seem to."""

from __future__ import annotations

import pytest

from ddax.environments.pilot.consent import wants_least


@pytest.mark.parametrize(
    "text",
    [
        "Reject all", "Decline", "Only necessary cookies", "Essential only", "Accept necessary cookies",
        "Continue without accepting", "Reject non-essential cookies", "Use essential cookies only",
        "reject all cookies except the necessary ones", "Deny optional cookies",
    ],
)  # fmt: skip
def test_a_choice_of_the_least_is_known(text: str) -> None:
    assert wants_least(text)


@pytest.mark.parametrize(
    "text",
    [
        "Accept all", "Accept", "Accept non-essential cookies", "Accept necessary and optional cookies",
        "Accept all necessary cookies", "Strictly necessary cookies", "Reject the necessary cookies",
        "Reject marketing cookies", "Accept all without the optional", "Decline the offer", "Settings", "",
    ],
)  # fmt: skip
def test_what_keeps_more_or_speaks_of_something_else_is_no_such_choice(text: str) -> None:
    assert not wants_least(text)

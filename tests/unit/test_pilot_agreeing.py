"""A page's question is accepted where an order in hand says yes, and nowhere by accident."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ddax.environments.pilot.forms import is_cut
from ddax.environments.pilot.orders import read_orders
from ddax.environments.pilot.pilot import Pilot


def agrees(task: str, place: int) -> bool:
    hand: Any = SimpleNamespace(orders=read_orders(task), place=place)
    return Pilot._agrees(hand)


@pytest.mark.parametrize(
    ("task", "place"),
    [
        ("Click Delete and confirm.", 1),
        ("Delete a.txt. Confirm it.", 1),
        ("Click Delete, then click OK", 1),
        ("Delete a.txt and accept the question", 1),
    ],
)
def test_an_order_in_hand_or_behind_says_yes(task: str, place: int) -> None:
    assert agrees(task, place)


@pytest.mark.parametrize(
    ("task", "place"),
    [
        ('Type "yes" into Note and press Delete', 2),
        ("Delete the file okay.txt", 1),
        ('Delete the account "Confirm"', 1),
        ("Accept the cookies, then delete a.txt", 2),
    ],
)
def test_a_name_a_quote_and_what_is_done_already_say_no_yes(task: str, place: int) -> None:
    assert not agrees(task, place)


@pytest.mark.parametrize(
    ("task", "cut"),
    [
        ("Log in as admin with the password admin.", False),
        ("Log in as ann with the password pass and press Go", False),
        ("Log in as ann with the password abc def", True),
    ],
)
def test_a_password_has_an_end_wherever_else_its_letters_stand(task: str, cut: bool) -> None:
    assert is_cut(task) is cut

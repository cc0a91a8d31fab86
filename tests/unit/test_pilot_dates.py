"""Days and months as pages write them: read in their common forms, and read back from a field."""

from __future__ import annotations

from datetime import date

import pytest

from ddax.environments.pilot.orders.dates import find_date, find_month, month_of, writes


@pytest.mark.parametrize(
    ("text", "shows"),
    [
        ("12/04/2026", True), ("04.12.26", True), ("Fri, 4 Dec 2026", True), ("2026-12-04 10:00", True),
        ("12/04/2025", False), ("12 Nov 2026", False),
        ("12/05/2026", False), ("4 Nov 2026", False), ("December 2026", False), ("", False),
    ],
)  # fmt: skip
def test_a_field_is_read_back_in_any_order(text: str, shows: bool) -> None:
    assert writes(text, date(2026, 12, 4)) == shows


def test_no_number_is_read_twice_in_a_date() -> None:
    assert not writes("12/26/2025", date(2026, 12, 26)) and not writes("12/26/25", date(2026, 12, 26))
    assert not writes("04/05/2026", date(2026, 4, 4)) and not writes("12 Nov 2026", date(2026, 12, 12))
    assert writes("12/26/26", date(2026, 12, 26)) and writes("12.12.12", date(2012, 12, 12))


def test_months_go_by_their_first_letters_too() -> None:
    assert [month_of(text) for text in ("Sept", "may", "Jan", "12", "13", "Marble", "")] == [
        9,
        5,
        1,
        12,
        0,
        0,
        0,
    ]
    assert find_month("Dec, 2026") == (2026, 12) and find_month("13/2026") is None
    assert str(find_date("Tuesday, Dec. 4, 2026")) == "2026-12-04" == str(find_date("4th dec 2026"))

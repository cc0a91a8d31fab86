"""Calendars given as nodes: which months are read off a page, which days and arrows are pressed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.calendar import months, turner, turns
from ddax.environments.pilot.dates import find_date, find_month, month_of, writes

MARCH = list(range(1, 32))


def grid(
    title: str, numbers: Sequence[int] = MARCH, *, blanks: int = 6, left: float = 0.0, start: int = 1
) -> list[Node]:  # fmt: skip
    """Return a month as nodes: a title between two arrows, and numbers in seven columns."""
    head = [
        Node(f"h{start}{place}", role, text, own=text, box=(left + x, 0.0, width, 16.0))
        for place, (role, text, x, width) in enumerate(
            [("button", "‹", 0.0, 16.0), ("heading", title, 40.0, 80.0), ("button", "›", 120.0, 16.0)]
        )
    ]
    days = [
        Node(
            f"d{start + place}", "button", str(number), own=str(number),
            box=(left + 20.0 * ((place + blanks) % 7), 20.0 + 20.0 * ((place + blanks) // 7), 18.0, 18.0),
        )
        for place, number in enumerate(numbers)
    ]  # fmt: skip
    return [*head, *days]


def read(nodes: Sequence[Node]) -> list[tuple[int, int]]:
    return [(month.year, month.month) for month in months(nodes)]


@pytest.mark.parametrize(
    ("title", "found"),
    [
        ("March 2026", [(2026, 3)]), ("Mar 2026", [(2026, 3)]), ("2026 March", [(2026, 3)]),
        ("03/2026", [(2026, 3)]), ("2026-03", [(2026, 3)]), ("2026年3月", [(2026, 3)]),
        ("Marble 2026", []), ("March", []), ("Seats", []),
    ],
)  # fmt: skip
def test_a_month_is_read_from_its_title(title: str, found: list[tuple[int, int]]) -> None:
    assert read(grid(title)) == found


def test_the_days_of_the_months_beside_it_are_none_of_a_month() -> None:
    nodes = grid("November 2026", [26, 27, 28, 29, 30, 31, *range(1, 31), 1, 2, 3, 4, 5, 6], blanks=0)
    [month] = months(nodes)
    assert [day.node.id for day in month.days] == [f"d{place}" for place in range(7, 37)]


def test_numbers_of_weeks_and_prices_are_no_days() -> None:
    nodes = grid("March 2026")
    weeks = [
        Node(f"w{row}", "text", str(9 + row), own=str(9 + row), box=(-20.0, 20.0 + 20.0 * row, 18.0, 18.0))
        for row in range(6)
    ]
    beside = {node.id: node for node in nodes}["d14"].box
    price = Node("p", "text", "15", own="15", box=beside)
    place = next(place for place, node in enumerate(nodes) if node.id == "d14")
    [month] = months([*nodes[:3], *weeks, *nodes[3 : place + 1], price, *nodes[place + 1 :]])
    assert [day.node.id for day in month.days] == [f"d{number}" for number in MARCH]


def test_two_months_beside_each_other_are_both_read() -> None:
    first, second = grid("March 2026"), grid("April 2026", MARCH[:30], blanks=2, left=200.0, start=100)
    assert read([*first, *second]) == [(2026, 3), (2026, 4)]
    assert read([*first[:3], *second[:3], *first[3:], *second[3:]]) == [(2026, 3), (2026, 4)]


def test_a_row_of_pages_and_a_numbered_list_are_no_calendars() -> None:
    row = [Node(f"n{n}", "link", str(n), own=str(n), box=(20.0 * n, 40.0, 18.0, 18.0)) for n in MARCH]
    title = Node("t", "heading", "March 2026", own="March 2026", box=(20.0, 0.0, 80.0, 16.0))
    assert read([title, *row]) == []
    down = [Node(f"n{n}", "text", str(n), own=str(n), box=(0.0, 20.0 + 20.0 * n, 18.0, 18.0)) for n in MARCH]
    assert read([Node("t", "heading", "Places", own="Places", box=(0.0, 0.0, 80.0, 16.0)), *down]) == []


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("Prev", -1), ("Previous month", -1), ("<", -1), ("« Feb", -1), ("next", 1),
        ("Next month", 1), ("›", 1), ("Next: pay", 0), ("Pay >", 0),
        ("Next step", 0), ("Today", 0), ("March 2026", 0),
    ],
)  # fmt: skip
def test_a_control_turns_where_it_says_nothing_else(name: str, way: int) -> None:
    assert turns(Node("e1", "button", name, own=name)) == way


def test_a_control_without_words_turns_by_its_title_and_one_of_years_over_years() -> None:
    assert turns(Node("e1", "button", hints="calendar next btn")) == 1
    assert turns(Node("e1", "button", "Pay", own="Pay", hints="btn next")) == 0
    years = [
        Node("y", "button", "»", own="»", box=(130.0, 0.0, 8.0, 16.0)),
        Node("z", "button", "Next year", box=(138.0, 0.0, 8.0, 16.0)),
    ]
    shown = months([*years, *grid("March 2026")])
    chosen = [turner(shown, away) for away in (-1, 1, 11, 12)]
    assert [node.id for node in chosen if node is not None] == ["h10", "h12", "h12", "y"]


@pytest.mark.parametrize(
    ("text", "shows"),
    [
        ("12/04/2026", True), ("04.12.26", True), ("Fri, 4 Dec 2026", True), ("2026-12-04 10:00", True),
        ("12/05/2026", False), ("4 Nov 2026", False), ("December 2026", False), ("", False),
    ],
)  # fmt: skip
def test_a_field_is_read_back_in_any_order(text: str, shows: bool) -> None:
    assert writes(text, date(2026, 12, 4)) == shows


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

"""Calendars given as nodes: which months are read off a page, which days and arrows are pressed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.calendar import lists_months, months, opens, turner, turns
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
        ("Next step", 0), ("Today", 0), ("March 2026", 0), ("Skip next month", 0), ("Pay next month", 0),
        ("March deals ›", 0), ("« Back", 0), ("Jan 2027 ›", 1), ("Go to the next month", 1),
        ("Move forward to switch to the next month.", 1), ("Next 10 ›", 0),
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


def test_a_next_that_says_no_more_is_the_last_choice_and_one_that_leads_away_is_none() -> None:
    box = (100.0, 0.0, 16.0, 16.0)
    bare = Node("n", "button", "Next", own="Next", box=box)
    shown = months([bare, *grid("March 2026")])
    assert [node.id for away in (-1, 1) if (node := turner(shown, away))] == ["h10", "h12"]
    shown = months([bare, *(n for n in grid("March 2026") if n.name != "›")])
    assert turner(shown, 1) == bare
    for name, there, found in (("Next", "/pay", []), ("Next month", "/4", ["n"]), ("Next", "/?m=4", ["n"])):
        link = replace(bare, role="link", name=name, own=name, href=f"http://a{there}")
        shown = months([link, *(n for n in grid("March 2026") if n.name != "›")])
        assert [node.id for node in [turner(shown, 1, "http://a/")] if node] == found


@pytest.mark.parametrize(
    ("outer", "found"),
    [
        (Node("x", "link", "April deals ›", own="April deals"), []), (Node("x", "button", "›"), ["x"]),
        (Node("x", "button", "›", submits=True), []), (Node("x", "clickable", "Ferries ›"), ["i"]),
    ],
)  # fmt: skip
def test_a_sign_turns_as_what_holds_it(outer: Node, found: list[str]) -> None:
    box = (120.0, 0.0, 16.0, 16.0)
    sign = Node("i", "text", "›", own="›", parent="x", box=box)
    rest = [n for n in grid("March 2026") if n.name != "›"]
    shown = months([replace(outer, box=box), sign, *rest])
    assert [node.id for node in [turner(shown, 1)] if node] == found


def test_a_title_is_read_beside_a_control_that_names_another_month() -> None:
    deals = Node("x", "link", "January deals ›", own="January deals ›", box=(20.0, 0.0, 16.0, 16.0))
    assert read([deals, *grid("March 2026")]) == [(2026, 3)]


TWELVE = tuple(map(str, range(1, 13)))


@pytest.mark.parametrize(
    ("listed", "is_list"),
    [
        (Node("s", "combobox", value="Mar", options=("Feb", "Mar"), tag="select"), True),
        (Node("s", "combobox", value="3", options=TWELVE, tag="select"), True),
        (Node("s", "combobox", "Month", value="3", options=TWELVE, tag="select"), True),
        (Node("s", "combobox", "Guests", value="3", options=TWELVE, tag="select"), False),
        (Node("s", "combobox", value="2", options=TWELVE, tag="select"), False),
        (Node("s", "combobox", value="3", options=TWELVE[:9], tag="select"), False),
        (Node("s", "button", "March", value="March"), False),
    ],
)
def test_a_list_of_months_shows_the_month_and_counts_nothing_else(listed: Node, is_list: bool) -> None:
    [month] = months(grid("March 2026"))
    assert lists_months(listed, month) == is_list


@pytest.mark.parametrize(
    ("control", "can"),
    [
        (Node("b", "button", "Choose Date"), True), (Node("b", "button", "Choose date, it is Dec 4"), True),
        (Node("b", "button", "Choose arrival date"), True), (Node("b", "button", "Arrival calendar"), True),
        (Node("b", "button", "📅", hints="date icon"), True), (Node("b", "icon", hints="fa calendar"), True),
        (Node("b", "button", "Open date box"), False), (Node("b", "button", "✕", hints="remove date"), False),
        (Node("b", "button", "✕", hints="date icon"), False), (Node("b", "button", "Arrival date"), False),
        (Node("b", "button", "Clear date"), False), (Node("b", "button", "Date", hints="fa times"), False),
        (Node("b", "button", "Choose Date", submits=True), False), (Node("b", "button", "Menu"), False),
    ],
)  # fmt: skip
def test_a_calendar_is_opened_by_what_does_nothing_else(control: Node, can: bool) -> None:
    assert opens(control, Node("f", "textbox", "Arrival date")) == can
    assert not opens(replace(control, name="Confirm date"), Node("f", "textbox", "Confirm date"))


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

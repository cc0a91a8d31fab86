"""Orders about one of several rows, switches, forms and sorting: what is pressed, and what is left alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ddax.environments.browser.seen import Node, PageSeen
from ddax.environments.pilot.orders.dates import as_shown, find_date
from ddax.environments.pilot.pilot import said_no
from ddax.environments.protocol import Move
from tests.unit.test_pilot import NAME, PASSWORD, USER, FixedPage, done, page

pytestmark = pytest.mark.asyncio


def files(*names: str, role: str = "listitem") -> FixedPage:
    """Return a list of rows, each with the buttons Rename and Delete, and a button for all behind them."""
    nodes = [Node("h", "heading", "Files", own="Files"), Node("l", "list")]
    for number, name in enumerate(names, 1):
        nodes.append(Node(f"r{number}", role, f"{name} Rename Delete", own=name, parent="l"))
        nodes += [
            Node(f"{word.lower()}{number}", "button", word, parent=f"r{number}")
            for word in ("Rename", "Delete")
        ]
    return FixedPage([*nodes, Node("all", "button", "Delete all")])


def cards(*names: str) -> FixedPage:
    """Return cards without groups: a heading, a price, a stepper and a button each, one behind the other."""
    nodes = [Node("top", "heading", "Mugs")]
    for number, (name, price) in enumerate(zip(names, (8, 5, 9), strict=False), 1):
        x = 300.0 * number
        nodes += [
            Node(f"h{number}", "heading", name, own=name, box=(x, 0, 80, 20)),
            Node(f"t{number}", "text", "Mon 18:00", own="Mon 18:00", box=(x, 25, 80, 4)),
            Node(f"p{number}", "text", f"€{price}.00", own=f"€{price}.00", box=(x, 30, 80, 20)),
            Node(f"less{number}", "clickable", "−", own="−", box=(x, 60, 20, 20)),
            Node(f"n{number}", "text", "1", own="1", box=(x + 25, 60, 20, 20)),
            Node(f"more{number}", "clickable", "+", own="+", box=(x + 50, 60, 20, 20)),
            Node(f"add{number}", "button", "Add to basket", box=(x, 90, 80, 20)),
        ]
    return Counting([*nodes, Node("clear", "button", "Clear basket"), Node("pay", "button", "Pay now")])


class Counting(FixedPage):
    """A page whose steppers count."""

    async def act(self, move: Move) -> PageSeen:
        way = {"more": 1, "less": -1}.get(move.target[:4], 0)
        if way:
            shown = next(n for n in self.nodes if n.id == f"n{move.target[4:]}")
            text = str(int(shown.own) + way)
            self.nodes[self.nodes.index(shown)] = replace(shown, name=text, own=text)
        return await super().act(move)


@pytest.mark.parametrize(
    ("task", "pressed"),
    [
        ("Delete the file report.pdf", ["delete2"]),
        ("Rename notes.txt", ["rename3"]),
        ("Click Delete beside notes.txt", ["delete3"]),
        ("Click the Delete button of report.pdf", ["delete2"]),
        ("Delete all", ["all"]),
    ],
)
async def test_the_control_is_pressed_in_the_row_that_is_said(task: str, pressed: list[str]) -> None:
    report, moves = await done(task, files("report-final.pdf", "report.pdf", "notes.txt"))
    assert [target for _, target, _ in moves] == pressed and report.ok


@pytest.mark.parametrize(
    "task",
    [
        "Delete photo.png", "Delete the old files", "Delete", "Click Delete beside photo.png",
        "Delete report",
        "Delete everything but notes.txt", "Delete the account", "Archive notes.txt", "Kündige notes.txt",
        "Do not delete notes.txt", "Please don't click Delete all",
    ],
)  # fmt: skip
async def test_nothing_is_pressed_where_a_word_of_an_order_is_met_nowhere(task: str) -> None:
    report, moves = await done(task, files("report-final.pdf", "report.pdf", "notes.txt"))
    assert all(name == "hover" for name, *_ in moves) and not (report.ok and (report.moves or report.settled))


@pytest.mark.parametrize(
    ("task", "pressed"),
    [
        ("Add the red mug to the basket", ["add2"]),
        ("Add two of the blue mugs to the basket", ["add1", "add1"]),
        ("Add the cheapest mug to the basket", []),
        ("Add a yellow mug to the basket", []),
        ("Put the mug in the basket", []),
        ("Pay with PayPal", []),
        ("Checkout", []),
    ],
)
async def test_a_card_without_a_group_is_cut_out_of_those_beside_it(task: str, pressed: list[str]) -> None:
    report, moves = await done(task, cards("Blue mug", "Red mug", "Green mug"))
    assert [target for _, target, _ in moves] == pressed and report.ok == bool(pressed)


async def test_a_button_below_a_list_is_about_none_of_its_rows() -> None:
    world = files("report.pdf", "notes.txt")
    world.nodes = [n for n in world.nodes if n.role != "button"] + [Node("one", "button", "Delete")]
    report, moves = await done("Delete notes.txt", world)
    assert moves == [] and not report.ok


class Asking(FixedPage):
    """A page that opens a box with two buttons at the first press."""

    box: tuple[str, str] = ("Cancel", "Delete")
    asks: str = "Sure?"

    async def act(self, move: Move) -> PageSeen:
        if not self.moves:
            self.nodes += [Node("box", "dialog", self.asks), *self._buttons()]
        return await super().act(move)

    def _buttons(self) -> list[Node]:
        return [Node(f"b{n}", "button", name, parent="box") for n, name in enumerate(self.box)]


@pytest.mark.parametrize(
    ("box", "pressed", "ok"),
    [
        (("Cancel", "Delete"), ["delete1"], False),
        (("No", "OK"), ["delete1"], False),
        (("Cancel", "Delete all"), ["delete1"], False),
        (("Cancel", "Pay now"), ["delete1"], False),
    ],
)
async def test_a_box_that_asks_is_not_answered_where_the_order_does_not_say_what(
    box: tuple[str, str], pressed: list[str], ok: bool
) -> None:
    world = Asking(files("report.pdf", "notes.txt").nodes)
    world.box = box
    report, moves = await done("Delete report.pdf", world)
    assert [target for _, target, _ in moves] == pressed and report.ok == ok


async def test_a_box_that_asks_for_something_else_is_not_agreed_to() -> None:
    world = Asking(files("report.pdf", "notes.txt").nodes)
    world.box, world.asks = ("No", "OK"), "Buy Premium for 20 €?"
    report, moves = await done("Delete report.pdf", world)
    assert [target for _, target, _ in moves] == ["delete1"] and not report.ok


SWITCHES = [("checkbox", "*Notifications"), ("checkbox", "Dark mode"), ("button", "Delete account")]


@pytest.mark.parametrize(
    ("task", "pressed"),
    [
        ("Switch notifications off", ["e1"]),
        ("Turn on dark mode", ["e2"]),
        ("Disable notifications and enable dark mode.", ["e1", "e2"]),
        ("Make sure notifications are on", []),
        ("Turn dark mode off", []),
    ],
)
async def test_a_switch_is_brought_into_the_state_that_is_said(task: str, pressed: list[str]) -> None:
    report, moves = await done(task, page(*SWITCHES))
    assert [target for _, target, _ in moves] == pressed and report.ok
    assert report.settled == (not pressed)


@pytest.mark.parametrize("task", ["Turn off the account", "Turn the sound on", "Disable account"])
async def test_what_is_no_switch_is_not_turned(task: str) -> None:
    report, moves = await done(task, page(*SWITCHES))
    assert moves == [] and not report.ok


@pytest.mark.parametrize("task", ["Log out", "Sign out", "Sign up ada@example.org for the newsletter"])
async def test_to_log_out_or_to_sign_up_is_not_to_log_in(task: str) -> None:
    report, moves = await done(task, page(USER, PASSWORD, ("button", "Log in"), ("button", "Delete account")))
    assert moves == [] and not report.ok


async def test_each_value_of_one_verb_goes_into_its_own_field() -> None:
    rows = [("textbox", "First name"), ("textbox", "Last name"), ("textbox", "To")]
    for task in (
        'Enter "Ada" into First name, "Lovelace" into Last name and "Oslo" into To.',
        'Enter "Ada" as First name and "Lovelace" as the Last name and "Oslo" as To.',
        "Type Ada into First name, Lovelace into Last name and Oslo into To.",
    ):
        report, moves = await done(task, page(*rows))
        assert report.ok, task
        assert moves == [["type", "e1", "Ada"], ["type", "e2", "Lovelace"], ["type", "e3", "Oslo"]], task


@pytest.mark.parametrize(
    ("said", "answered"),
    [("Wrong email or password.", True), ("Please choose both stations.", True), ("Saved.", False),
     ("Saved. No further action is required.", False), ("No errors found.", False),
     ("Thank you, we will be in touch.", False)],
)  # fmt: skip
async def test_what_a_page_says_against_a_press_fails_the_order(said: str, answered: bool) -> None:
    class Answering(FixedPage):
        async def act(self, move: Move) -> PageSeen:
            self.nodes.append(Node("said", "text", said, own=said))
            return await super().act(move)

    world = Answering(page(NAME, ("button", "Save")).nodes)
    report, _ = await done("Click Save.", world)
    assert report.failed == ((f"Click Save: the page answered “{said}”",) if answered else ())


async def test_a_new_step_of_a_form_is_no_answer_against_a_press() -> None:
    button = Node("go", "button", "Next")
    asks = Node("said", "text", "Please enter your address.", own="Please enter your address.")
    before = PageSeen("one", nodes=(button,))
    assert said_no(before, PageSeen("two", nodes=(button, asks)), "go")
    assert not said_no(before, PageSeen("two", nodes=(button, asks, Node("f", "textbox"))), "go")
    assert not said_no(before, PageSeen("two", nodes=(asks,)), "go")


@pytest.mark.parametrize(
    ("sample", "written"),
    [
        ("DD/MM/YYYY", "03/01/2027"),
        ("mm-dd-yyyy", "01-03-2027"),
        ("Date (YYYY.MM.DD)", "2027.01.03"),
        ("", ""),
    ],
)
async def test_a_day_is_written_in_the_form_that_a_field_shows(sample: str, written: str) -> None:
    day = find_date("3 January 2027")
    assert day is not None and as_shown(day, sample) == written


async def test_a_value_that_a_field_cuts_was_not_entered() -> None:
    for written, takes, ok in (
        ("ada99", "ada", False), ("12", "0.12", False), ("12", "12.00", True), ("1234", "1.234", True),
    ):  # fmt: skip
        world = page(NAME)
        world.takes = takes
        report, _ = await done(f'Enter "{written}" into the Name field.', world)
        assert report.ok == ok, takes


async def test_a_number_too_far_for_steps_is_not_begun() -> None:
    report, moves = await done("Add 900 blue mugs to the basket", cards("Blue mug", "Red mug"))
    assert moves == [] and not report.ok


class Table(FixedPage):
    """A table of prices that a press on a head sorts, first up and then down."""

    prices: Any = (9, 3, 5)

    async def observe(self) -> PageSeen:
        pressed = sum(move.target == "price" for move in self.moves)
        order = sorted(self.prices, reverse=pressed % 2 == 0) if pressed else list(self.prices)
        rows = [Node("t", "table"), Node("head", "row", parent="t")]
        rows += [Node("name", "clickable", "Name", parent="head", box=(0, 0, 50, 20)),
                 Node("price", "clickable", "Price", parent="head", box=(50, 0, 50, 20))]  # fmt: skip
        for n, price in enumerate(order, 1):
            rows.append(Node(f"r{n}", "row", parent="t"))
            rows.append(Node(f"c{n}", "cell", f"€{price}", parent=f"r{n}", box=(50, 20.0 * n, 50, 20)))
        self.nodes = rows
        return await super().observe()


@pytest.mark.parametrize(
    ("task", "presses", "ok"),
    [
        ("Sort the table by weight", 0, False),
    ],
)
async def test_a_table_is_sorted_until_its_cells_stand_so(task: str, presses: int, ok: bool) -> None:
    report, moves = await done(task, Table([]))
    assert [target for _, target, _ in moves] == ["price"] * presses and report.ok == ok


async def test_a_search_is_written_into_the_field_for_it() -> None:
    rows = [("searchbox", "Search books"), ("button", "Search"), ("spinbutton", "Max price")]
    report, moves = await done("Search for sea", page(*rows))
    assert report.ok and moves[0] == ["type", "e1", "sea"] and moves[-1] == ["click", "e2", ""]


async def test_a_text_that_does_nothing_was_not_pressed() -> None:
    world = page(("text", "Edit the list"))
    world.inert = True
    report, _ = await done("Click Edit the list", world)
    assert not report.ok

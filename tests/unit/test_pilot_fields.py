"""What the policy without a model writes, sets, copies and chooses in fields, on pages given as nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from ddax.environments.browser.seen import Node, PageSeen
from ddax.environments.protocol import Move
from ddax.errors import ActionError
from tests.unit.test_pilot import NAME, FixedPage, done, page

pytestmark = pytest.mark.asyncio
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


@pytest.mark.parametrize(
    ("task", "moves"),
    [
        ('Enter "42" as your answer.', [["type", "e1", "42"]]),
        ("Type 42 as the response and click Book.", [["type", "e1", "42"], ["click", "e2", ""]]),
        ('Enter "42" and press Book.', [["type", "e1", "42"], ["click", "e2", ""]]),
        ('Enter "555-1234" as phone and press Book.', []),
    ],
)
async def test_the_only_field_is_meant_where_none_is_named(task: str, moves: list[list[str]]) -> None:
    report, made = await done(task, page(NAME, ("button", "Book")))
    assert made == moves and report.ok == bool(moves)


@pytest.mark.parametrize(
    ("task", "moves"),
    [
        ('Set the city to "Oslo".', [["type", "e2", "Oslo"]]),
        ("Set the city to Oslo.", [["type", "e2", "Oslo"]]),
        (
            'Set the city to "Oslo" and the last name to "Ada".',
            [["type", "e2", "Oslo"], ["type", "e1", "Ada"]],
        ),
        ('Set "City" to "Oslo", and "Last name" to "Ada".', [["type", "e2", "Oslo"], ["type", "e1", "Ada"]]),
        ("Fill in the first name with Ada.", [["type", "e3", "Ada"]]),
        ('Enter "Byron" into the last name field.', [["type", "e1", "Byron"]]),
        ('Enter "a@b.example" into the email field.', [["type", "e4", "a@b.example"]]),
        ("Set the phone to 555.", []),
        ('Set "City" to "Oslo".', [["type", "e2", "Oslo"]]),
        ('Set "City" to Oslo.', [["type", "e2", "Oslo"]]),
        ('Set the city to "t".', [["type", "e2", "t"]]),
    ],
)
async def test_a_field_may_be_named_before_its_value(task: str, moves: list[list[str]]) -> None:
    world = page(
        ("textbox", "Last name"), ("textbox", "City"), ("textbox", "First name"), ("textbox", "Email")
    )
    report, made = await done(task, world)
    assert made == moves and report.ok == bool(moves)


@pytest.mark.parametrize(
    ("task", "typed"),
    [
        ("Choose 24 December 2026 for the return date.", "e2"),
        ("Choose a return date of 24 December 2026.", "e2"),
        ("Choose 24 December 2026.", ""),
    ],
)
async def test_which_of_two_dates_is_chosen_is_not_guessed(task: str, typed: str) -> None:
    world = page(("textbox", "Departure date"), ("textbox", "Return date"))
    report, moves = await done(task, world)
    assert moves == ([["type", typed, "24 December 2026"]] if typed else [])
    report, moves = await done(task.replace("return ", ""), page(("textbox", "Birth date")))
    assert report.ok and moves == [["type", "e1", "24 December 2026"]]


async def test_a_number_is_written_into_a_spinner_once() -> None:
    world = page(("spinbutton", "Guests"), ("spinbutton", "Nights"))
    world.nodes = [replace(node, tag="input", value="1") for node in world.nodes]
    report, moves = await done('Enter "3" into the Nights field.', world)
    assert report.ok and moves == [["type", "e2", "3"]]


@pytest.mark.parametrize(
    ("task", "rows", "moves"),
    [
        (
            "Enter 12 into the Order number field.",
            [("spinbutton", "Order quantity"), ("textbox", "Order number")],
            [["type", "e2", "12"]],
        ),
        (
            "Enter Room 5 into the comment field.",
            [("spinbutton", "Room"), ("textbox", "Comment")],
            [["type", "e2", "Room 5"]],
        ),
        (
            "Choose room 12.",
            [("spinbutton", "Room count"), ("radio", "Room 11"), ("radio", "Room 12")],
            [["click", "e3", ""]],
        ),
        ("Move the slider 2 to 7.", [("slider", "Guests"), ("slider", "Nights")], []),
    ],
)
async def test_an_amount_is_set_where_nothing_else_answers_better(
    task: str, rows: list[tuple[str, str]], moves: list[list[str]]
) -> None:
    report, made = await done(task, page(*rows))
    assert made == moves and report.ok == bool(moves)


@pytest.mark.parametrize(
    ("task", "pressed"),
    [
        ('Choose "Low price plan".', "e2"), ("Choose Low price plan.", "e2"), ('Choose "Price".', "e1"),
        ("Choose price.", "e1"), ('Choose "plan price".', ""), ('Choose "Price and more".', ""),
    ],
)  # fmt: skip
async def test_what_is_chosen_is_what_is_called_so_and_not_the_next_box(task: str, pressed: str) -> None:
    report, moves = await done(task, page(("button", "Price"), ("button", "Low price plan")))
    assert moves == ([["click", pressed, ""]] if pressed else []) and report.ok == bool(pressed)


@pytest.mark.parametrize(("held", "tab"), [("Oslo", ""), ("Oslo", "tab"), ("", "tab")])
async def test_a_choice_of_something_else_is_not_written_into_a_field(held: str, tab: str) -> None:
    world = page(NAME, *[(tab, "Delivery")] * bool(tab))
    world.nodes[0] = replace(world.nodes[0], role="combobox", value=held)
    report, moves = await done('Choose "Express".', world)
    assert not report.ok and not any(move[0] == "type" for move in moves)


@pytest.mark.parametrize(
    ("task", "typed"),
    [
        ('Copy "Notes to driver" and paste it into "Answer".', "e3"),
        ('Copy "Notes to driver" into "Answer".', "e3"),
        ('Copy "Notes to driver" to the "Driver name" field.', "e2"),
    ],
)
async def test_what_is_copied_may_have_to_in_its_name(task: str, typed: str) -> None:
    world = page(("textbox", "Notes to driver"), ("textbox", "Driver name"), ("textbox", "Answer"))
    world.nodes[0] = replace(world.nodes[0], value="ring twice")
    report, moves = await done(task, world)
    assert report.ok and moves == [["type", typed, "ring twice"]]


@pytest.mark.parametrize(
    ("task", "typed"),
    [
        ('Type "Ada" in all lower case letters into the text input.', "ada"),
        ('Enter "Ada" into Name in upper case.', "ADA"),
        ("Type the text below into Name.", ""),
        ("Type your answer into the text field.", ""),
        ("Enter The Hague into Name.", "The Hague"),
    ],
)
async def test_a_value_is_written_as_said_and_what_only_points_is_not(task: str, typed: str) -> None:
    report, moves = await done(task, page(NAME))
    assert [move[2] for move in moves] == [typed] * bool(typed) and report.ok == bool(typed)


@pytest.mark.parametrize(
    ("place", "typed"),
    [("first name", ""), ("last name", "e1"), ("2nd", "e2")],
)
async def test_a_place_counts_the_fields_of_a_name(place: str, typed: str) -> None:
    names = ("Last name", "First visit", "Address line", "Address town")
    world = page(*[("textbox", name) for name in names])
    report, moves = await done(f'Enter "Ada" into the {place} field.', world)
    assert moves == ([["type", typed, "Ada"]] if typed else []) and report.ok == bool(typed)


@pytest.mark.parametrize(
    ("held", "roles", "typed"),
    [
        (("Ada", "Oslo"), ("textbox", "textbox"), ""),
        (("Ada", ""), ("textbox", "textbox"), "e2"),
        (("Ada",), ("textbox",), "e1"), (("",), ("searchbox",), "e1"),
    ],
)  # fmt: skip
async def test_without_a_name_the_only_field_or_the_only_empty_one_is_meant(
    held: tuple[str, ...], roles: tuple[str, ...], typed: str
) -> None:
    world = page(*[(role, f"{role} {place}") for place, role in enumerate(roles)])
    world.nodes = [replace(node, value=value) for node, value in zip(world.nodes, held, strict=True)]
    report, moves = await done('Enter "42" as your answer.', world)
    assert moves == ([["type", typed, "42"]] if typed else []) and report.ok == bool(typed)


@pytest.mark.parametrize(("bare", "moves"), [(2, [])])
async def test_a_named_field_is_one_of_several_without_a_label_only_by_a_guess(
    bare: int, moves: list[list[str]]
) -> None:
    report, made = await done('Enter "555" as phone.', page(*[("textbox", "")] * bare, NAME))
    assert made == moves and report.ok == bool(moves)


async def test_what_was_not_copied_is_not_pasted() -> None:
    report, moves = await done("Copy the text in the text area and paste it.", page(NAME))
    assert not report.ok and moves == []


@pytest.mark.parametrize("text", ["a text that is too long to be sh…", ""])
async def test_what_is_not_read_whole_is_not_copied(text: str) -> None:
    report, moves = await done("Copy the paragraph and paste it.", page(("paragraph", text), NAME))
    assert not report.ok and moves == []


@pytest.mark.parametrize("day", ["31 February 2026", "2026-02-31", "24/12/2026", "31.02.2026"])
async def test_a_day_that_is_none_is_not_chosen(day: str) -> None:
    rows = [Node("e1", "textbox", "Return date", tag="input", type="date"), Node("e2", "button", "Book")]
    report, moves = await done(f"Choose {day} as the return date.", FixedPage(rows, {}))
    assert moves == [] and not report.ok


class Renewed(FixedPage):
    """A field whose suggestion is another element once it was pressed, and then holds."""

    async def act(self, move: Move) -> PageSeen:
        option = Node("e9", "option", "Oslo", box=(10.0, 60.0, 80.0, 16.0))
        if move.name == "type":
            self.nodes.append(option)
        if move == Move("click", "e9"):
            self.moves.append(move)
            self.nodes[-1] = replace(option, id="e10")
            raise ActionError("there is no element e9.", kind="no_such_move")
        if move == Move("click", "e10"):
            self.nodes = [replace(self.nodes[0], value="Oslo")]
        return await super().act(move)

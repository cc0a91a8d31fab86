"""Orders in other words and shapes: a place said first, names of two words, choices, messages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ddax.environments.browser.seen import Node
from tests.unit.test_pilot import FixedPage, done, page

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize(
    ("task", "moves"),
    [
        ("Check the 1st radio button.", [["click", "e2", ""]]),
        ("Select the second radio-button", [["click", "e3", ""]]),
        ("Click the 2nd check box", [["click", "e5", ""]]),
        ("Tick the first check box", [["click", "e4", ""]]),
        ('Enter "a" into the 1st text box', [["type", "e6", "a"]]),
        ("Press the first button", [["click", "e1", ""]]),
    ],
)
async def test_a_role_of_two_words_is_one(task: str, moves: list[list[str]]) -> None:
    rows = [("button", "Send"), ("radio", ""), ("radio", ""), ("checkbox", ""), ("checkbox", "")]
    report, made = await done(task, page(*rows, ("textbox", ""), ("textbox", "")))
    assert made == moves and report.ok


def posts() -> FixedPage:
    """Return posts of three people, each with signs without a name that are known by their attributes."""
    nodes: list[Node] = []
    for number, name in enumerate(("@ann", "@kim", "@lee")):
        top, post = 60.0 * number, f"p{number}"
        nodes.append(Node(post, "article", box=(0.0, top, 200.0, 50.0)))
        nodes.append(Node(f"{post}n", "text", name, parent=post, box=(0.0, top, 80.0, 16.0)))
        for place, sign in enumerate(("reply", "like", "more")):
            box = (30.0 * place, top + 20, 16.0, 16.0)
            nodes.append(Node(f"{post}{sign}", "icon", hints=sign, parent=post, box=box))
    return FixedPage(nodes)


async def test_the_sign_of_whom_an_order_begins_with_is_pressed() -> None:
    report, moves = await done('For the user @kim, click on the "Like" button.', posts())
    assert moves == [["click", "p1like", ""]] and report.ok


@pytest.mark.parametrize(
    "task",
    ["Mark the numbers as odd or even.", "Click Odd or Even", 'Click "Odd" or "Even"', "Choose odd or even"],
)
async def test_a_choice_that_is_left_open_is_not_made(task: str) -> None:
    report, moves = await done(task, page(("button", "Odd"), ("button", "Even"), ("text", "4")))
    assert moves == [] and not report.ok


async def test_a_control_with_or_in_its_name_is_pressed() -> None:
    report, moves = await done("Click Cash or card", page(("button", "Odd"), ("button", "Cash or card")))
    assert moves == [["click", "e2", ""]] and report.ok


def letter() -> FixedPage:
    """Return an open message, whose two controls stand in a box that holds the words of both."""
    nodes = page(
        ("text", "Ann"), ("clickable", "Reply Forward"), ("text", "Reply"), ("text", "Forward")
    ).nodes
    more = page(("textbox", "To"), ("textbox", "Text"), ("button", "Send")).nodes
    below = [replace(node, box=(10.0, 20.0 + 100 * place, 80.0, 16.0)) for place, node in enumerate(nodes)]
    return FixedPage([*below, *(replace(node, id=f"f{node.id}") for node in more)])


async def test_the_menu_that_was_just_opened_is_not_pressed_again() -> None:
    report, moves = await done("Click Menu and then click Print.", page(("button", "Menu"), ("text", "Ann")))
    assert moves == [["click", "e1", ""]] and not report.ok


@pytest.mark.parametrize(
    ("task", "moves"),
    [
        ("Click the button.", []), ("Click on the link", []),

    ],
)  # fmt: skip
async def test_of_several_of_a_kind_none_is_pressed_as_the_one(task: str, moves: list[list[str]]) -> None:
    rows = [("button", "Delete"), ("button", "Save"), ("button", "Menu"), ("link", "A"), ("link", "B")]
    report, made = await done(task, page(*rows, ("icon", "")))
    assert made == moves and report.ok == bool(moves)


def rows(*names: str) -> FixedPage:
    """Return a list with a name, a button Delete and a button Edit in each row, and a button Save below."""
    nodes = [Node("l", "list")]
    for number, name in enumerate(names, 1):
        top, row = 20.0 * number, f"r{number}"
        nodes.append(Node(row, "listitem", parent="l", tag="li", box=(0.0, top, 300.0, 18.0)))
        nodes.append(Node(f"n{number}", "text", name, parent=row, box=(0.0, top, 80.0, 16.0)))
        for place, said in enumerate(("Edit", "Delete"), 1):
            box = (90.0 * place, top, 60.0, 16.0)
            nodes.append(Node(f"{said[0].lower()}{number}", "button", said, parent=row, box=box))
    return FixedPage([*nodes, Node("s", "button", "Save", box=(0.0, 200.0, 60.0, 16.0))])


@pytest.mark.parametrize(
    ("task", "pressed"),
    [
        ("Click Delete", []), ('Click "Delete".', []), ("Press the Delete button", []),
        ("Find Bob and click Delete.", ["d2"]), ("Click the second Delete button", ["d2"]),
        ("Click Delete beside Cleo", ["d3"]), ("Click Save", ["s"]), ("Click a Delete button", []),
    ],
)  # fmt: skip
async def test_of_the_same_button_in_several_rows_none_is_guessed(task: str, pressed: list[str]) -> None:
    report, moves = await done(task, rows("Ann", "Bob", "Cleo"))
    assert [target for _, target, _ in moves] == pressed and report.ok == bool(pressed), report.failed


@pytest.mark.parametrize(
    ("task", "moves"),
    [
        ("Enter Ada into the name field and click Book", []), ("Set the name to Ada and click Book", []),
        ('Enter "Ada" as last name', [["type", "e2", "Ada"]]), ('Enter "x" into City', [["type", "e3", "x"]]),
    ],
)  # fmt: skip
async def test_a_name_that_two_fields_have_alike_is_not_guessed(task: str, moves: list[list[str]]) -> None:
    fields = [("textbox", name) for name in ("First name", "Last name", "City")]
    report, made = await done(task, page(*fields, ("button", "Book")))
    assert made == moves and report.ok == bool(moves), report.failed


@pytest.mark.parametrize("place", ["the middle position", "the right place", "some spot"])
async def test_a_place_that_is_no_number_is_no_place(place: str) -> None:
    line = [Node(f"e{n}", "listitem", name, own=name, drags=True) for n, name in enumerate(("Bob", "Ann"))]
    report, moves = await done(f"Drag Ann to {place}", FixedPage(line))
    assert report.failed and moves == []


async def test_a_value_stands_before_each_of_several_fields() -> None:
    world = page(("textbox", "Full name"), ("textbox", "Street"), ("textbox", "City"))
    _, moves = await done(
        "Enter Ann Lee as the full name, 5 Low Road as the street and Leeds as the city.", world
    )
    assert [value for _, _, value in moves] == ["Ann Lee", "5 Low Road", "Leeds"]

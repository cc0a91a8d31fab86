"""Orders that drag to a place, take from a list, wait for a number, or send a message on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ddax.environments.browser.seen import Box, Node, PageSeen
from ddax.environments.pilot.orders.grammar import read_task
from ddax.environments.pilot.words import said
from ddax.environments.protocol import Move
from tests.unit.test_pilot import FixedPage, done, page

pytestmark = pytest.mark.asyncio


class Sorting(FixedPage):
    """A list whose rows change places when one is dragged by some pixels; `fixed`: nothing moves."""

    fixed = False

    async def act(self, move: Move) -> PageSeen:
        if move.name == "drag" and not self.fixed:
            row = next(node for node in self.nodes if node.id == move.target)
            self.nodes.remove(row)
            down = row.box[1] + float(move.value.split(",")[1])
            self.nodes.insert(round(down / 20), row)
            self.nodes = [replace(node, box=(0.0, 20.0 * n, 80.0, 20.0)) for n, node in enumerate(self.nodes)]
        return await super().act(move)


def rows(*names: str) -> Sorting:
    return Sorting([
        Node(f"e{n}", "listitem", name, own=name, drags=True, box=(0.0, 20.0 * (n - 1), 80.0, 20.0))
        for n, name in enumerate(names, 1)
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("task", "now"),
    [
        ("Drag Ann to the 3rd position.", "Bob Cid Ann Dan"),
        ("Drag Dan to the top.", "Dan Ann Bob Cid"),
        ("Drag Ann to the bottom.", "Bob Cid Dan Ann"),
        ("Drag Ann down by one position.", "Bob Ann Cid Dan"),
        ("Move Cid up by two places", "Cid Ann Bob Dan"),
    ],
)
async def test_a_row_is_dragged_to_its_place(task: str, now: str) -> None:
    world = rows("Ann", "Bob", "Cid", "Dan")
    report, _ = await done(task, world)
    assert " ".join(node.name for node in world.nodes) == now and report.ok, report.failed


@pytest.mark.parametrize(
    "task", ["Drag Ann to the 9th position.", "Drag Ann up by one", "Drag Eve to the top."]
)
async def test_a_place_that_is_not_there_moves_nothing(task: str) -> None:
    report, moves = await done(task, rows("Ann", "Bob"))
    assert moves == [] and not report.ok


async def test_a_row_that_does_not_arrive_is_not_dragged() -> None:
    world = rows("Ann", "Bob", "Cid")
    world.fixed = True
    report, _ = await done("Drag Ann to the last position.", world)
    assert not report.ok and "does not stand" in report.failed[0]


async def test_a_list_is_sorted_by_hand() -> None:
    world = rows("12", "-3", "7")
    report, _ = await done("Sort the numbers in increasing order", world)
    assert [node.name for node in world.nodes] == ["-3", "7", "12"] and report.ok, report.failed


@pytest.mark.parametrize(
    ("task", "to", "what"),
    [
        ("Forward the email from Kim to Lee.", "Lee", "the email from Kim"),
        ("Send Lee the email you got from Kim.", "Lee", "the email from Kim"),
        ("Send to Lee the message written by Kim", "Lee", "the message by Kim"),
        ("I want the mail by Kim to be sent to Lee.", "Lee", "the mail by Kim"),
        ("Forward that email to Lee", "Lee", "that email"),
    ],
)
async def test_a_message_that_goes_on_is_read(task: str, to: str, what: str) -> None:
    (frame,) = read_task(task).frames
    ((_, value),) = frame.fields
    assert (frame.act, frame.verb, said(frame.words)) == ("deed", "forward", what)
    assert value is not None and value.text == to


async def test_both_fields_get_the_value_and_no_third_one() -> None:
    two = page(("textbox", "Password"), ("textbox", "Verify password"), ("button", "Submit"))
    report, moves = await done('Enter the password "x1" into both text fields and press Submit', two)
    assert moves == [["type", "e1", "x1"], ["type", "e2", "x1"], ["click", "e3", ""]] and report.ok
    three = page(("textbox", "A"), ("textbox", "B"), ("textbox", "C"))
    report, moves = await done('Enter "x1" into both text fields', three)
    assert moves == [] and not report.ok


async def test_a_purpose_is_no_part_of_a_name() -> None:
    world = page(("button", "Star"), ("button", "Trash"))
    report, moves = await done("Click the star icon to mark it as important.", world)
    assert moves == [["click", "e1", ""]] and report.ok


async def test_a_press_without_a_comma_behind_scrolling_is_not_dropped() -> None:
    world = page(("button", "Submit"))
    report, moves = await done("Scroll the page to the bottom of the text hit submit.", world)
    assert moves == [["scroll", "page", "bottom"], ["click", "e1", ""]] and report.ok


async def test_what_is_ordered_is_taken_from_its_row() -> None:
    nodes: list[Node] = []
    for n, (name, kind) in enumerate((("Soup", "vegan"), ("Pie and chips", "meat"), ("Salad", "vegan")), 1):
        boxes = (Box(f"b{n}", "b1"),)
        nodes.append(Node(f"n{n}", "text", name, own=name, boxes=boxes))
        nodes.append(Node(f"k{n}", "image", kind, boxes=boxes))
        nodes.append(Node(f"e{n}", "text", "+", own="+", boxes=boxes))
    nodes.append(Node("e9", "button", "Order", own="Order"))
    for task, taken in {
        "Order one of each item: Pie and chips, Soup": ["e2", "e1"],
        "Order 3 items that are vegan": ["e1", "e3", "e1"],
    }.items():
        report, moves = await done(task, FixedPage(list(nodes)))
        assert [target for _, target, _ in moves] == [*taken, "e9"] and report.ok, report.failed
    report, moves = await done("Order one of each item: Pizza, Soup", FixedPage(list(nodes)))
    assert moves == [] and not report.ok


async def test_it_is_pressed_when_the_number_is_as_said() -> None:
    class Prices(FixedPage):
        looks = 0

        async def observe(self) -> PageSeen:
            self.looks += 1
            shown = f"${50 - self.looks}"
            self.nodes = [Node("l", "label", "Price:", own="Price:"), Node("p", "text", shown, own=shown),
                          Node("b", "button", "Buy", own="Buy")]  # fmt: skip
            return await super().observe()

    world = Prices([])
    report, moves = await done("Buy it when the price is less than $47", world)
    assert moves == [["click", "b", ""]] and report.ok, report.failed
    assert world.looks == 5  # four until $46 is shown, one behind the press

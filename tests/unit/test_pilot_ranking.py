"""Orders for the best of several, for as many of a kind, and sums that a page shows."""

from __future__ import annotations

import pytest

from ddax.environments.browser.seen import Box, Node
from ddax.environments.pilot.finding.sums import worked_out
from ddax.environments.pilot.pilot import NotDone
from tests.unit.test_pilot import FixedPage, done

pytestmark = pytest.mark.asyncio


def offers() -> FixedPage:
    """Return three tickets with their duration and their price, each in a box of its own."""
    nodes = [Node("h", "heading", "Tickets to York", own="Tickets to York")]
    for n, (lasts, price) in enumerate((("9h 3m", "$1,518"), ("8h 27m", "$967"), ("10h", "$358")), 1):
        boxes = (Box(f"b{n}", "b1"),)
        nodes.append(Node(f"l{n}", "label", "Duration:", own="Duration:", boxes=boxes))
        nodes.append(Node(f"t{n}", "text", lasts, own=lasts, boxes=boxes))
        nodes.append(Node(f"e{n}", "button", f"Book for {price}", own=f"Book for {price}", boxes=boxes))
    return FixedPage(nodes)


@pytest.mark.parametrize(
    ("task", "pressed"),
    [
        ("Book the ticket with the shortest duration.", "e2"),
        ("Buy the ticket with the longest duration.", "e3"),
        ("Buy the cheapest ticket.", "e3"),
        ("Book the ticket with the most expensive price.", "e1"),
    ],
)
async def test_the_best_of_several_is_taken(task: str, pressed: str) -> None:
    report, moves = await done(task, offers())
    assert moves == [["click", pressed, ""]] and report.ok, report.failed


@pytest.mark.parametrize(
    "task",
    ["Buy the nicest ticket.", "Buy the ticket with the highest rating.", "Buy the cheapest car.",
     "Buy the cheapest return ticket."],
)  # fmt: skip
async def test_a_measure_that_no_row_has_takes_nothing(task: str) -> None:
    report, moves = await done(task, offers())
    assert moves == [] and not report.ok


async def test_of_two_that_are_alike_none_is_the_best() -> None:
    world = offers()
    world.nodes = [*world.nodes[:4], *(n for n in offers().nodes if n.id.endswith("1") and n.id != "e1")]
    report, moves = await done("Buy the cheapest ticket.", world)
    assert moves == [] and not report.ok


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("7 x 3 =", "21"), ("5 - 9 =", "-4"), ("5 + x = 39", "34"), ("x - 4 = 10", "14"), ("3 - x = 5", "-2"),
        ("1 / 4", "0.25"),
    ],
)  # fmt: skip
async def test_a_sum_is_worked_out(text: str, answer: str) -> None:
    assert worked_out(["Solve it", text]) == answer


@pytest.mark.parametrize("texts", [["no sum"], ["1 + 1", "2 + 2"], ["4 / 0"], ["x + y = 3"]])
async def test_no_sum_or_several_are_refused(texts: list[str]) -> None:
    with pytest.raises(NotDone):
        worked_out(texts)


async def test_as_many_are_pressed_as_are_said() -> None:
    nodes: list[Node] = []
    for n, name in enumerate(("@ann", "@kim", "@ann", "@ann")):
        boxes = (Box(f"b{n}", "b0"),)
        nodes.append(Node(f"n{n}", "text", name, own=name, boxes=boxes))
        nodes.append(Node(f"e{n}", "button", "Like", own="Like", boxes=boxes))
    report, moves = await done('Click the "Like" button on 2 posts by @ann', FixedPage(nodes))
    assert [target for _, target, _ in moves] == ["e0", "e2"] and report.ok, report.failed
    report, moves = await done('Click the "Like" button on 5 posts by @ann', FixedPage(nodes))
    assert moves == [] and not report.ok


def shop(*rows: tuple[str, str]) -> FixedPage:
    """Return a list of things with their prices, each with a button that says no more than Buy."""
    nodes = [Node("h", "heading", "Mugs", own="Mugs")]
    for n, (name, price) in enumerate(rows, 1):
        boxes = (Box(f"b{n}", "b1"),)
        nodes.append(Node(f"n{n}", "text", name, own=name, boxes=boxes))
        nodes.append(Node(f"p{n}", "text", price, own=price, boxes=boxes))
        nodes.append(Node(f"e{n}", "button", "Buy", own="Buy", boxes=boxes))
    return FixedPage(nodes)


MUGS = (("Blue mug", "$12.50"), ("Red mug", "$9.80"), ("Tea cup", "$5.00"), ("Gold mug", "$1,200.00"))


@pytest.mark.parametrize(
    ("task", "rows", "pressed"),
    [
        ("Buy the cheapest mug.", MUGS, "e2"),
        ("Buy the cheapest blue mug.", MUGS, "e1"),
        ("Buy the most expensive mug.", MUGS, "e4"),
        ("Buy the cheapest mug.", (("Blue mug", "was $9, now $5"), ("Red mug", "$6"), ("Mug", "$7")), ""),
        ("Buy the cheapest cup.", MUGS[:2], ""),
        ("Buy the cheapest large mug.", MUGS, ""),
        (
            "Buy the cheapest mug.",
            (("Blue mug", "€12,50"), ("Red mug", "€100"), ("Green mug", "€9,90")),
            "e3",
        ),
        ("Buy the cheapest mug.", (("Blue mug", "12 EUR"), ("Red mug", "8 EUR")), "e2"),
        ("Buy the cheapest mug.", (("Blue mug", "$12"), ("Red mug", "£10"), ("Green mug", "$11")), ""),
    ],
)
async def test_the_words_of_a_row_say_which_one_is_the_best(task: str, rows: tuple, pressed: str) -> None:
    report, moves = await done(task, shop(*rows))
    assert [target for _, target, _ in moves] == ([pressed] if pressed else []), report.failed
    assert report.ok == bool(pressed)

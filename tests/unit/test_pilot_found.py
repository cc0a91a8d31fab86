"""What is said in full is found: all of a kind, one called in two ways, what looks and is called so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ddax.environments.browser.seen import _BETWEEN_WORDS, Box, Node, PageSeen
from ddax.environments.protocol import Move
from tests.unit.test_pilot import FixedPage, done, page

pytestmark = pytest.mark.asyncio


def posts(*names: str) -> FixedPage:
    """Return cards alike, each with a text and two icons that only their attributes name."""
    nodes = []
    for n, name in enumerate(names):
        card = (Box(f"b{n}", "b0"), Box("list", "list"))
        nodes += [
            Node(f"t{n}", "text", name, own=name, boxes=card),
            Node(f"l{n}", "icon", hints="like", boxes=card),
            Node(f"s{n}", "icon", hints="star", boxes=card),
        ]
    return FixedPage(nodes)


@pytest.mark.parametrize(
    ("task", "pressed"),
    [
        ("Click Like on all posts by @ann.", ["l0", "l2"]),
        ("Click Like on all posts by @bob.", ["l1"]),
        ("Click Like on every post by @cem.", []),
        ("Click all Like by @bob.", []),
        ("Find the post by @bob and click the star icon to mark it as important.", ["s1"]),
        ("Find the post by @cem and click the star icon to mark it as important.", []),
    ],
)
async def test_all_of_a_kind_are_pressed_where_they_are_said(task: str, pressed: list[str]) -> None:
    report, moves = await done(task, posts("@ann", "@bob", "@ann"))
    assert [target for name, target, _ in moves if name == "click"] == pressed and report.ok == bool(pressed)


async def test_the_cross_of_a_dialog_is_called_close_and_x() -> None:
    box = Node("d", "dialog", "Offer")
    world = FixedPage([box, Node("x", "button", "Close", own="", parent="d"), Node("b", "button", "Buy")])
    report, moves = await done('Close the dialog box by clicking the "x".', world)
    assert [target for _, target, _ in moves] == ["x"], report.failed


@pytest.mark.parametrize(
    ("task", "pressed"),
    [
        ("Click on a green M", ["e2"]), ("Click on a green m", ["e4"]), ("Click on a small red M", ["e1"]),
        ("Click on a small green M", []), ("Click on a green Q", []), ("Click on a shape", ["e3"]),
        ("Click the large M", []),
    ],
)  # fmt: skip
async def test_what_looks_so_and_says_so_is_pressed(task: str, pressed: list[str]) -> None:
    rows = [("M", "255, 0, 0", 10), ("M", "0, 128, 0", 24), ("", "0, 0, 255", 20), ("m", "0, 128, 0", 24),
            ("M", "0, 0, 255", 24)]  # fmt: skip
    world = FixedPage([
        Node(f"e{n}", "shape", sign, own=sign, box=(30.0 * n, 5.0, size, size),
             paint=(("fill", f"rgb({fill})"), ("form", "text" if sign else "rect")))
        for n, (sign, fill, size) in enumerate(rows, 1)
    ])  # fmt: skip
    report, moves = await done(task, world)
    assert [target for name, target, _ in moves if name == "click"] == pressed and report.ok == bool(pressed)


@pytest.mark.parametrize(
    ("task", "pressed"), [('Click "ut".', ["e2"]), ('Click "UT".', []), ("Click ut.", [])]
)
async def test_a_quote_is_met_to_the_letter_where_something_else_is_called_alike(
    task: str, pressed: list[str]
) -> None:
    report, moves = await done(task, page(("link", "Ut"), ("link", "ut")))
    assert [target for name, target, _ in moves if name == "click"] == pressed and report.ok == bool(pressed)


@pytest.mark.parametrize(("place", "pressed"), [("(2,1)", ["p1"]), ("(-2,1)", ["p2"]), ("(3,1)", [])])
async def test_a_point_is_told_by_its_coordinates(place: str, pressed: list[str]) -> None:
    hints = [
        " ".join(_BETWEEN_WORDS.sub(" ", one).split()) for one in ("(2,1) plot-point", "(-2,1) plot-point")
    ]
    world = FixedPage([Node(f"p{n}", "shape", hints=one) for n, one in enumerate(hints, 1)])
    report, moves = await done(f"Click on the grid coordinate {place}.", world)
    assert [target for name, target, _ in moves if name == "click"] == pressed and report.ok == bool(pressed)


@pytest.mark.parametrize(
    ("kind", "pressed"), [("text", ["e2"]), ("textarea", ["e3"]), ("checkbox", ["e4"]), ("radio", [])]
)
async def test_any_one_of_a_kind_is_pressed_where_a_widget_is_said(kind: str, pressed: list[str]) -> None:
    world = page(("button", "Go"), ("textbox", ""), ("textbox", ""), ("checkbox", "Ann"), ("checkbox", "Bob"))
    world.nodes[1:3] = [replace(world.nodes[1], tag="input"), replace(world.nodes[2], tag="textarea")]
    report, moves = await done(f'Click on a "{kind}" widget.', world)
    assert [target for name, target, _ in moves if name == "click"] == pressed and report.ok == bool(pressed)


@pytest.mark.parametrize(
    ("task", "pressed"),
    [
        ("Press Book. Then frobnicate the lamp.", []),
        ("Press Book. Then escalate it.", ["e1", "e2"]),
        ("Press Book and cancel.", ["e1"]),
    ],
)
async def test_an_order_with_a_verb_that_is_none_is_not_begun(task: str, pressed: list[str]) -> None:
    _, moves = await done(task, page(("button", "Book"), ("button", "Escalate")))
    assert [target for name, target, _ in moves if name == "click"] == pressed


@pytest.mark.parametrize(
    ("what", "written"),
    [("total number of blocks", "3"), ("number of red circles", "2"), ("number of users", "")],
)
async def test_what_is_drawn_is_counted(what: str, written: str) -> None:
    blocks = [Node(f"b{n}", "icon", hints="sum block", box=(20.0 * n, 0, 9, 9)) for n in range(3)]
    paint = (("fill", "rgb(255, 0, 0)"), ("form", "circle"))
    circles = [Node(f"c{n}", "shape", paint=paint, box=(20.0 * n, 40, 9, 9)) for n in range(2)]
    users = [Node(f"u{n}", "icon", hints="user", box=(20.0 * n, 80, 9 + n, 9)) for n in range(2)]
    world = FixedPage([*blocks, *circles, *users, Node("f", "textbox", "Answer")])
    report, moves = await done(f"Type the {what} into the Answer field.", world)
    assert [value for name, _, value in moves if name == "type"] == [written] * bool(written), report.failed


async def test_a_sign_that_no_page_shows_is_no_part_of_a_name() -> None:
    report, moves = await done("Click “Å\x8f–K”.", page(("button", "Å–K"), ("button", "Help")))
    assert [target for _, target, _ in moves] == ["e1"], report.failed


@pytest.mark.parametrize(
    "task",
    [
        "Forward the mail that Kim sent to Lee, please.",
        "Find the mail Kim sent you and forward it to Lee.",
        'Reply to Kim\'s mail with "Lee".',
    ],
)
async def test_a_message_is_told_by_who_sent_it(task: str) -> None:
    world = page(("text", "Kim"), ("button", "Forward"), ("button", "Reply"), ("button", "Send"))
    fields = [Node("f", "textbox", "To" if "orward" in task else "Text")]
    world.opens = {"e2": fields, "e3": fields}
    report, moves = await done(task, world)
    opener = "e2" if "orward" in task else "e3"
    made = [["click", opener, ""], ["type", "f", "Lee"], ["click", "e4", ""]]
    assert [move for move in moves if move[0] != "hover"] == made and report.ok, report.failed


class Falling(FixedPage):
    """A page whose price is another one as soon as something is pressed."""

    async def act(self, move: Move) -> PageSeen:
        self.nodes = [replace(n, own="80", name="80") if n.own == "40" else n for n in self.nodes]
        return await super().act(move)


@pytest.mark.parametrize("kind", [FixedPage, Falling])
async def test_a_press_that_waited_is_done_where_the_number_is_still_so(kind: type[FixedPage]) -> None:
    rows = [Node(n, "text", n, own=n, parent="g") for n in ("Price", "40")]
    world = kind([Node("g", "group", "Mug"), *rows, Node("b", "button", "Buy", parent="g")])
    report, moves = await done("Buy it when the price is below 50.", world)
    assert [target for _, target, _ in moves] == ["b"] and report.ok == (kind is FixedPage), report.failed


class Turned(FixedPage):
    """Cards that all turn over when one is pressed."""

    async def act(self, move: Move) -> PageSeen:
        gone = next(node.box for node in self.nodes if node.id == move.target)
        self.nodes = [
            replace(n, id=f"b{n.box[0]:g}", name="", own="")
            for n in self.nodes
            if n.box != gone or n.role != "shape"
        ]
        self.moves.append(move)
        return await self.observe()


async def test_a_card_is_pressed_where_it_stood() -> None:
    rows = [("3", 0.0), ("1", 40.0), ("2", 80.0)]
    world = Turned([Node(f"e{n}", "shape", n, own=n, box=(x, 5, 9, 9)) for n, x in rows])
    report, moves = await done("Click on the numbers in ascending order.", world)
    assert [target for _, target, _ in moves] == ["e1", "b80", "b0"] and report.ok, report.failed


async def test_a_row_in_quotes_is_a_place_and_not_pressed() -> None:
    row = [Node("r", "row", "Cash Delete"), Node("c", "gridcell", "Cash", own="Cash", parent="r")]
    world = FixedPage([*row, Node("d", "button", "Delete", parent="r"), Node("o", "button", "Delete")])
    report, moves = await done('In the row "Cash" press Delete.', world)
    assert [target for name, target, _ in moves if name == "click"] == ["d"] and report.ok, report.failed


@pytest.mark.parametrize(("heading", "ok"), [("Book Your One-Way Flight", True), ("Flights", False)])
async def test_what_is_found_is_what_the_form_says_it_finds(heading: str, ok: bool) -> None:
    fields = [Node(f"f{n}", "textbox", name) for n, name in enumerate(("From", "To", "Date"))]
    found = [
        node
        for n, price in enumerate((90, 40))
        for node in (
            Node(f"r{n}", "listitem", f"${price}"),
            Node(f"p{n}", "text", f"${price}", own=f"${price}", parent=f"r{n}"),
            Node(f"b{n}", "button", "Book flight", parent=f"r{n}"),
        )
    ]
    rows = [Node("h", "heading", heading, own=heading), Node("c", "checkbox", "One-way"), *fields]
    world = FixedPage([*rows, Node("s", "button", "Search")], opens={"s": found})
    report, moves = await done("Book the cheapest one-way flight from A to B on 2026-12-24.", world)
    assert ([target for name, target, _ in moves if name == "click"] == ["s", "b1"]) == report.ok == ok, (
        report
    )


@pytest.mark.parametrize("task", ["Deselect Red.", "Unselect Red in the colours."])
async def test_what_is_to_be_off_is_not_chosen(task: str) -> None:
    report, moves = await done(task, page(("listbox", "Colours"), ("option", "Red"), ("option", "Blue")))
    assert [move for move in moves if move[0] != "hover"] == [] and not report.ok


async def test_a_quote_behind_with_is_no_value_of_a_deed_that_takes_none() -> None:
    world = page(("searchbox", "Search"), ("button", "Delete"), ("text", "Cash"))
    report, moves = await done('Delete the row with "Cash".', world)
    assert moves == [] and not report.ok


@pytest.mark.parametrize("task", ["Find Billie's email to delete it.", "Open Billie to archive it."])
async def test_what_something_is_found_for_is_not_passed_over(task: str) -> None:
    report, moves = await done(task, page(("clickable", "Billie"), ("button", "Trash")))
    assert [move for move in moves if move[0] == "click"] == [] and not report.ok

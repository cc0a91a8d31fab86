"""What an order does not say is not done: no opposite pressed, no value skipped, nothing claimed unseen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ddax.environments.browser.seen import Node, PageSeen
from ddax.environments.pilot.finding.values import same_value
from ddax.environments.protocol import Move
from tests.unit.test_pilot import FixedPage, done, page

pytestmark = pytest.mark.asyncio


def rows(text: str) -> list[tuple[str, str]]:
    """Return roles and names written as “button: Save, checkbox: *Terms”."""
    found = [part.split(": ", 1) for part in text.split(", ")]
    return [(role, name) for role, name in found]


@pytest.mark.parametrize(
    ("task", "there", "allowed"),
    [
        ("Turn on notifications.", "checkbox: Disable notifications", []),
        ("Enable cookies.", "checkbox: Block cookies", []),
        ("Tick Notifications.", "checkbox: Mute notifications, checkbox: Other", []),
        ("Switch on the sound.", "switch: Mute the sound", []),
        ("Tick Notifications.", "checkbox: Notifications off", []),
        ("Choose Small.", "radio: Extra small, radio: Large", []),
        ("Choose Refundable.", "radio: Non refundable, radio: Other", []),
        ("Click Publish.", "button: Schedule unpublish, button: Undo publish", []),
        ("Click Member.", "button: Block member, button: Home", []),
        ('Click "Delete".', "button: Delete workspace, button: Help", []),
        ("Click Delete.", "button: Delete workspace, button: Help", []),
        ('Open "Ann".', "link: Ann: lunch, link: Home", []),
        ("Open Ann.", "link: Ann: lunch, link: Home", ["e1"]),
        ("Find the Delete button. Press Archive.", "button: Delete, button: Archive", ["e2"]),
        ("Find Delete account.", "button: Delete account, button: Archive", []),
        ("Find the Pay item and press Archive.", "menuitem: Pay, button: Archive", ["e2"]),
        ("Choose No.", "button: No, button: Yes, checkbox: *Terms", ["e1"]),
        ("Select no newsletter and press Order.", "checkbox: *Newsletter, button: Order", []),
        ("Select nothing.", "checkbox: *Newsletter, button: Order", ["e1"]),
        ("Select none of them.", "checkbox: *A, checkbox: *B", ["e1", "e2"]),
        ("Select nothing in Toppings.", "checkbox: *Terms, button: Order", []),
        ('Confirm "Delete".', "button: Delete workspace, button: Help", []),
        ("Click Save and confirm.", "button: Save, button: OK, button: Yes", ["e1"]),
        ("Press Edit. Cancel.", "button: Edit, button: Close account, button: No", ["e1"]),
        ("Close the Billing panel.", "heading: Offers, button: ×, button: Pay", []),
        ("Close the popup.", "button: ×, button: ×", []),
        ("Wait 2 minutes.", "button: Next", []),
        ("Wait until the page shows Ready and press Buy.", "button: Buy", []),
        ("Scroll to the Prices section.", "button: Buy", []),
    ],
)
async def test_nothing_is_pressed_but_what_is_said(task: str, there: str, allowed: list[str]) -> None:
    report, moves = await done(task, page(*rows(there)))
    pressed = [target for _, target, _ in moves]
    assert pressed == allowed, report
    if not allowed:
        assert not report.ok or report.settled


@pytest.mark.parametrize(
    "task", ["Click Save and confirm.", "Press Edit. Cancel.", "Close the Billing panel."]
)
async def test_what_was_not_answered_is_not_claimed(task: str) -> None:
    there = "button: Save, button: Edit, button: OK, heading: Billing, button: ×"
    report, _ = await done(task, page(*rows(there)))
    assert not report.ok


@pytest.mark.parametrize(
    ("task", "there", "moves"),
    [
        ("Scroll to the Prices section.", "heading: Prices, button: Buy", [["hover", "e1", ""]]),
        ("Scroll down.", "button: Buy", [["scroll", "page", "down"]]),
        ("Scroll to the end of the page.", "button: Buy", [["scroll", "page", "bottom"]]),
        ("Wait 2 seconds.", "button: Buy", [["wait", "page", "2"]]),
        ("Wait for three seconds.", "button: Buy", [["wait", "page", "3"]]),
    ],
)
async def test_what_is_said_in_full_is_done(task: str, there: str, moves: list[list[str]]) -> None:
    report, made = await done(task, page(*rows(there)))
    assert report.ok and made == moves


@pytest.mark.parametrize(
    ("kind", "text", "held"),
    [
        ("date", "tomorrow", ""), ("date", "soon", ""), ("datetime-local", "next week", ""),
        ("month", "the next one", ""), ("time", "later", ""), ("month", "December 2026", "2026-12"),
        ("month", "12/2026", "2026-12"), ("date", "24.12.2026", "2026-12-24"), ("time", "2:05 pm", "14:05"),
    ],
)  # fmt: skip
async def test_what_cannot_be_read_as_a_day_stops_the_order(kind: str, text: str, held: str) -> None:
    world = page(("textbox", "When"), ("button", "Book"))
    world.nodes[0] = replace(world.nodes[0], type=kind)
    report, moves = await done(f'Enter "{text}" into the When field and press Book.', world)
    assert report.ok == bool(held)
    assert moves == ([["type", "e1", held], ["click", "e2", ""]] if held else [])


@pytest.mark.parametrize(
    ("task", "written"),
    [
        ('Enter "5" into all quantity fields.', ["e1", "e2"]),
        ('Enter "hi" into the All notes field.', ["e4"]),
        ('Enter "5" into every price field.', []), ('Enter "5" into all fields.', ["e1", "e2", "e3", "e4"]),
    ],
)  # fmt: skip
async def test_all_fields_are_those_that_are_named(task: str, written: list[str]) -> None:
    there = "textbox: Quantity A, textbox: Quantity B, textbox: Name, textbox: All notes"
    report, moves = await done(task, page(*rows(there)))
    assert [target for _, target, _ in moves] == written and report.ok == bool(written)


class Asks(FixedPage):
    """A page on which the first button asks in a box of the page."""

    async def act(self, move: Move) -> PageSeen:
        if move.target == "e1":
            self.nodes += [
                Node("box", "dialog", "Sure?"), Node("b0", "button", "Cancel", parent="box"),
                Node("b1", "button", "OK", parent="box"),
            ]  # fmt: skip
        if move.target in ("b0", "b1"):
            self.nodes = [node for node in self.nodes if node.id not in ("box", "b0", "b1")]
        return await super().act(move)


class Greets(Asks):
    """The same page, with an alert that was there before."""

    async def observe(self) -> PageSeen:
        return replace(await super().observe(), notes=("the page said: Welcome",))


@pytest.mark.parametrize("kind", [Asks, Greets])
@pytest.mark.parametrize(
    ("task", "pressed", "ok"),
    [
        ("Delete the report and press Home.", ["e1"], False), ("Click Delete report.", ["e1"], False),
        ("Click Delete report and press Home.", ["e1"], False),
        ("Click Delete report and confirm.", ["e1", "b1"], True),
        ("Delete the report and press OK.", ["e1", "b1"], True),
        ("Delete the report, then cancel.", ["e1", "b0"], True),
    ],
)  # fmt: skip
async def test_a_box_that_asks_is_answered_or_the_order_ends(
    kind: type[FixedPage], task: str, pressed: list[str], ok: bool
) -> None:
    world = kind([Node("e1", "button", "Delete report"), Node("e2", "button", "Home")])
    report, moves = await done(task, world)
    assert [target for _, target, _ in moves] == pressed and report.ok == ok, report


@pytest.mark.parametrize(
    ("written", "held", "same"),
    [
        ("100", "10", False), ("12", "21", False), ("-5", "5", False), ("01/02/2026", "02/01/2026", False),
        ("1", "1,000", False), ("12.5", "125", False), ("1/12/2026", "11/2/2026", False),
        ("105", "15", False),
        ("1500", "1,500", True), ("12", "$12.00", True), ("12.50", "12.5", True), ("-5", "-5.0", True),
        ("555 1234", "(555) 12-34", True), ("24.12.2026", "2026-12-24", True), ("Ada", " ada ", True),
    ],
)  # fmt: skip
async def test_a_changed_value_is_not_held(written: str, held: str, same: bool) -> None:
    assert same_value(written, held) == same


class Slid(FixedPage):
    """A page whose sliders stand where they are brought."""

    async def act(self, move: Move) -> PageSeen:
        self.nodes = [replace(n, value=move.value) if n.id == move.target else n for n in self.nodes]
        return await super().act(move)


@pytest.mark.parametrize(
    ("said", "moves"),
    [("1,500", ["1500"]), ("20 to 30 euros", []), ("20-30", []), ("20 euros", ["20"]), ("45%", ["45"])],
)
async def test_a_number_is_read_whole(said: str, moves: list[str]) -> None:
    world = Slid([Node("e1", "slider", "Price", tag="input", type="range", bounds=("0", "2000"))])
    report, made = await done(f"Set the price to {said}.", world)
    assert [value for _, _, value in made] == moves and report.ok == bool(moves)


async def test_of_several_lists_of_one_name_none_is_guessed() -> None:
    lists = [Node(f"c{n}", "combobox", "Size", tag="div") for n in range(2)]
    report, moves = await done("Choose Large as the size.", FixedPage(lists))
    assert not report.ok and moves == []


async def test_of_several_things_of_one_name_none_is_dragged() -> None:
    things = [
        Node(f"e{n}", "listitem", "Task", own="Task", drags=True, box=(0, 20 * n, 9, 9)) for n in (0, 1)
    ]
    place = Node("d", "region", "Done", box=(50, 0, 50, 50))
    report, moves = await done("Drag Task to Done.", FixedPage([*things, place]))
    assert not report.ok and moves == []


async def test_a_box_that_went_is_not_claimed() -> None:
    class Redrawn(FixedPage):
        async def act(self, move: Move) -> PageSeen:
            self.nodes = [replace(node, id=f"{node.id}n") for node in self.nodes]
            return await super().act(replace(move, target=f"{move.target}n"))

    report, _ = await done("Select nothing.", Redrawn(page(("checkbox", "*A"), ("checkbox", "*B")).nodes))
    assert not report.ok


@pytest.mark.parametrize(
    "task", ["Switch off the lights in the bedroom.", "Turn off the lights in the hall."]
)
async def test_what_stands_beside_the_one_that_is_named_is_not_taken_for_it(task: str) -> None:
    names = ("Bedroom on", "Kitchen on") if "bedroom" in task else ("Hall on", "Porch on")
    boxes = [
        Node(f"e{n}", "switch", name, parent="g", state=frozenset({"checked"}))
        for n, name in enumerate(names)
    ]
    world = FixedPage([Node("g", "group", "Lights", own="Lights"), *boxes, Node("h", "heading", "Settings")])
    report, moves = await done(task, world)
    assert not [move for move in moves if move[0] == "click"] and not report.ok

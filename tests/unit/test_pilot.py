"""The policy without a model on pages given as nodes: which moves it makes, and what it calls done."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest

from ddax.configs.secrets import Redactor
from ddax.environments.browser.moves import Hand
from ddax.environments.browser.secrets import Vault
from ddax.environments.browser.seen import Node, PageSeen
from ddax.environments.pilot.drivers.table import DRIVERS
from ddax.environments.pilot.orders.dates import find_date
from ddax.environments.pilot.pilot import Pilot, Report
from ddax.environments.protocol import Move
from ddax.errors import ActionError

pytestmark = pytest.mark.asyncio


@dataclass
class FixedPage:
    """A page on which each move shows, or is refused with the kind that `refuses` names for it."""

    nodes: list[Node]
    refuses: dict[str, str] = field(default_factory=dict)
    moves: list[Move] = field(default_factory=list)
    effect: str = "writes"
    inert: bool = False
    """Whether no move shows."""
    opens: dict[str, list[Node]] = field(default_factory=dict)
    """What comes when an element is pressed."""
    takes: str = ""
    """What the fields make of everything that is written into them; empty: they take it."""

    async def observe(self) -> PageSeen:
        shown = 0 if self.inert else len(self.moves)
        made = [Node("made", "text", f"moves {shown}", own=f"moves {shown}")] if shown else []
        return PageSeen(f"page {shown}", url="http://127.0.0.1/", nodes=(*self.nodes, *made))

    async def act(self, move: Move) -> PageSeen:
        self.moves.append(move)
        self.nodes += self.opens.get(move.target, []) if move.name == "click" else []
        if move.name in self.refuses:
            raise ActionError("refused.", kind=self.refuses[move.name])
        fields = ("textbox", "searchbox", "spinbutton")
        field_ = next((n for n in self.nodes if n.id == move.target and n.role in fields), None)
        if field_ is not None and move.name == "type":
            held = move.value if not self.takes else self.takes.strip()
            self.nodes[self.nodes.index(field_)] = replace(field_, value=held)
        listed = next((n for n in self.nodes if n.id == move.target and n.tag == "select"), None)
        if listed is not None and move.name == "select":
            self.nodes[self.nodes.index(listed)] = replace(listed, value=move.value.replace("|", ", "))
        radio = next((n for n in self.nodes if n.id == move.target and n.role == "radio"), None)
        if radio is not None and move.name == "click":
            self.nodes[self.nodes.index(radio)] = replace(radio, state=radio.state | {"checked"})
        box = next((n for n in self.nodes if n.id == move.target and n.role == "checkbox"), None)
        if box is not None and move.name == "click":
            self.nodes[self.nodes.index(box)] = replace(box, state=box.state ^ {"checked"})
        return await self.observe()


def page(*rows: tuple[str, str], **refuses: str) -> FixedPage:
    """Return a page of roles and names, with the ids e1, e2 and so on; `*` before a name: it is ticked."""
    nodes = [
        Node(
            f"e{number}", role, name.strip("*"), tag="input" if role == "textbox" else "",
            own=name if role == "paragraph" else "", state=frozenset(["checked"] * name.count("*")),
            options=("Norway", "Chile") if role == "combobox" else (), box=(10.0, 20.0 * number, 80.0, 16.0),
        )
        for number, (role, name) in enumerate(rows, 1)
    ]  # fmt: skip
    selects = [replace(node, tag="select") if node.role == "combobox" else node for node in nodes]
    return FixedPage(selects, refuses)


async def done(task: str, world: Any) -> tuple[Report, list[list[str]]]:
    """Carry out a task and return the report with the moves as rows."""
    report = await Pilot(world, DRIVERS).run(task)
    return report, [move.to_row() for move in world.moves]


USER, PASSWORD = ("textbox", "Username"), ("textbox", "Password")
NAME = ("textbox", "Name")


@pytest.mark.parametrize("kind", ["bad_value", "timeout", "read_only"])
async def test_a_field_that_takes_nothing_is_not_filled(kind: str) -> None:
    report, _ = await done('Enter "hi" into the Name field.', page(NAME, type=kind))
    assert report.failed == ("Enter “hi” into the Name field: refused",)
    report, _ = await done('Enter "hi" into the Name field.', page(NAME))
    assert report.ok


@pytest.mark.parametrize(
    ("task", "rows", "refused"),
    [
        ('Enter "Ada" as name and "Oslo" as city.', [NAME, ("textbox", "City")], "type"),
        ('Enter "Chile" into the Country field.', [("combobox", "Country")], "select"),
        ('Search for "Ada".', [NAME, ("button", "Search")], "type"),
        ("Log in with username ada and password x.", [USER, PASSWORD, ("button", "Login")], "type"),
        ('Check "News".', [("checkbox", "News")], "click"),
        ('Click "News".', [("button", "News")], "click"),
        ('Uncheck "News".', [("checkbox", "*News")], "click"),
        ("Scroll to the bottom.", [NAME], "scroll"),
    ],
)
async def test_an_order_whose_move_is_refused_was_not_carried_out(
    task: str, rows: list[tuple[str, str]], refused: str
) -> None:
    report, moves = await done(task, page(*rows, **{refused: "covered"}))
    assert not report.ok and moves[-1][0] == refused
    report, _ = await done(task, page(*rows))
    assert report.ok


async def test_a_press_that_shows_nothing_is_a_press() -> None:
    world = page(("button", "News"))
    world.inert = True
    report, moves = await done('Click "News".', world)
    assert report.ok and moves == [["click", "e1", ""]]


async def test_a_colour_that_nobody_knows_is_not_black() -> None:
    world = page(("textbox", "Color"))
    world.nodes = [replace(world.nodes[0], type="color")]
    report, moves = await done('Enter "greenish" into the color field.', world)
    assert not report.ok and moves == []
    report, moves = await done('Enter "#008080" into the color field.', world)
    assert report.ok and moves == [["type", "e1", "#008080"]]


FORM = [NAME, ("combobox", "Country"), ("checkbox", "Shore power"), ("button", "Book")]


@pytest.mark.parametrize(
    "order",
    [
        'Choose "Mars" as country', 'Tick "Breakfast"', 'Enter "555-1234" into the phone field',
        'Choose the pier "West"', 'Click "Reserve"',
    ],
)  # fmt: skip
async def test_nothing_else_is_taken_for_what_is_named_and_nothing_is_sent_behind_it(order: str) -> None:
    report, moves = await done(f"{order} and click Book.", page(*FORM))
    assert moves == []
    assert report.failed[-1] == "and so neither “click Book”"


async def test_what_a_pilot_tells_is_cut_where_no_secret_stands() -> None:
    secret = "hunter2-canary-value"
    task = f'Enter "{"x " * 50} {secret}" into the Phone field.'
    world: Any = page(NAME, ("textbox", "City"))
    report = await Pilot(world, DRIVERS, cut=Redactor([secret]).cut).run(task)
    assert report.failed and not any("hun" in reason for reason in report.failed)


class Keys:
    """A keyboard that keeps what is typed on it and what is put in as text."""

    def __init__(self) -> None:
        self.made: list[str] = []

    async def type(self, text: str) -> None:
        self.made.append(text)

    async def insert_text(self, text: str) -> None:
        self.made.append(f"text {text!r}")


@pytest.mark.parametrize(
    ("one_line", "made"),
    [(False, ["a", "text '\\n'", "b", "text '\\n'", "c", "text '\\n'", "d"]), (True, ["a b c d"])],
)
async def test_no_line_end_is_typed_as_the_enter_key(one_line: bool, made: list[str]) -> None:
    async def run(move: Awaitable[Any]) -> Any:
        return await move

    keys = Keys()
    tab: Any = SimpleNamespace(page=SimpleNamespace(keyboard=keys), run=run)
    await Hand(tab, Vault())._write("a\rb\r\nc\nd", one_line=one_line)
    assert keys.made == made


async def test_a_value_that_does_not_stay_in_its_field_was_not_entered() -> None:
    world = page(*FORM)
    world.takes = " "
    report, moves = await done('Enter "abc" into the name field and click Book.', world)
    assert moves == [["type", "e1", "abc"]] and not report.ok
    world = page(*FORM)
    world.takes = "(555) 12-34"
    report, moves = await done('Enter "555 1234" into the name field and click Book.', world)
    assert report.ok and moves[-1] == ["click", "e4", ""]


async def test_a_form_that_the_browser_holds_back_was_not_sent() -> None:
    world = page(*FORM)
    held = replace(world.nodes[0], state=frozenset({"invalid", "focused"}))
    world.nodes = [held, *world.nodes[1:3], replace(world.nodes[3], submits=True)]
    report, _ = await done("Click Book.", world)
    assert report.failed[0].endswith("did not send the form: it does not take what stands in “Name”")


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("24.12.2026", "2026-12-24"), ("4. 3. 2026", "2026-03-04"), ("31 December 2026", "2026-12-31"),
        ("1st may 2026", "2026-05-01"), ("May 1, 2026", "2026-05-01"), ("04/08/2016", "2016-04-08"),
        ("31.02.2026", "None"), ("version 1.2.2026a", "None"),
    ],
)  # fmt: skip
async def test_a_date_is_read_in_its_common_forms(text: str, day: str) -> None:
    assert str(find_date(text)) == day


@pytest.mark.parametrize(
    ("name", "moves"),
    [
        ("the return date", [["type", "e3", "24 December 2026"]]),
        ("the date", []),
        ("the birthday", []),
    ],
)
async def test_a_day_is_chosen_in_the_field_of_its_name(name: str, moves: list[list[str]]) -> None:
    world = page(NAME, ("textbox", "Departure date"), ("textbox", "Return date"))
    report, made = await done(f"Choose 24 December 2026 as {name}.", world)
    assert made == moves and report.ok == bool(moves)


@pytest.mark.parametrize(
    ("task", "name", "moves"),
    [
        ('Uncheck "News".', "News", []),
        ('Uncheck "News".', "*News", [["click", "e1", ""]]),
        ("Uncheck the News box.", "*News", [["click", "e1", ""]]),
        ('Check "News".', "News", [["click", "e1", ""]]),
        ('Check "News".', "*News", []),
    ],
)
async def test_a_box_is_left_as_an_order_wants_it(task: str, name: str, moves: list[list[str]]) -> None:
    report, made = await done(task, page(("checkbox", name), ("checkbox", "Other")))
    assert report.ok and made == moves


async def test_what_stays_ticked_was_not_unticked() -> None:
    world = page(("radio", "*Small"), ("radio", "Large"))
    report, _ = await done('Uncheck "Small".', world)
    assert report.failed == ("Uncheck “Small”: “Small” was pressed, and is on",)


@pytest.mark.parametrize(
    ("task", "made"),
    [
        ('Drag "Red" out of "Blue".', []),
        ('Drag "Red" to "Green".', []),
        ("Move to Trash.", [["click", "e3", ""]]),
    ],
)
async def test_what_is_named_first_is_dragged_onto_what_is_named_second(
    task: str, made: list[list[str]]
) -> None:
    world = page(("clickable", "Red"), ("clickable", "Blue"), ("button", "Move to Trash"))
    report, moves = await done(task, world)
    assert report.ok == bool(made) and moves == made


@pytest.mark.parametrize(
    ("task", "name", "pressed"),
    [
        ("Create an account.", "Create account", True),
        ("Create an account for Ada.", "Create account", False),
        ("Sort the numbers.", "Numbers", False),
        ("Book the cheapest flight.", "Cheapest flight", False),
        ("Guess the number.", "Number", False),
        ("Draw a line.", "Line", False),
    ],
)
async def test_what_has_no_hands_is_pressed_only_by_its_whole_name(
    task: str, name: str, pressed: bool
) -> None:
    report, moves = await done(task, page(("button", name), ("button", "Other")))
    assert report.ok == pressed and moves == ([["click", "e1", ""]] if pressed else [])


@pytest.mark.parametrize(
    ("task", "fields", "moves"),
    [
        ('Enter "hi" into the last field.', 3, [["type", "e3", "hi"]]),
        ('Enter "hi" into the last field.', 1, [["type", "e1", "hi"]]),
        ('Enter "hi" into the second field.', 3, [["type", "e2", "hi"]]),
        ('Enter "hi" into the third field.', 2, []),
        ("Focus into the last field.", 2, [["click", "e2", ""]]),
        ("Click the last link.", 1, []),
    ],
)
async def test_a_place_is_counted_and_nothing_else_is_taken(
    task: str, fields: int, moves: list[list[str]]
) -> None:
    report, made = await done(task, page(*[("textbox", f"Field {n}") for n in range(fields)]))
    assert made == moves and report.ok == bool(moves)


@pytest.mark.parametrize(
    ("which", "copied"),
    [("second", "the second one"), ("last", "and the last"), ("", "one long paragraph of many words here")],
)
async def test_the_paragraph_that_is_named_is_copied(which: str, copied: str) -> None:
    texts = ["a first one", "the second one", "one long paragraph of many words here", "and the last"]
    world = page(*[("paragraph", text) for text in texts], NAME)
    _, moves = await done(f"Copy the {which} paragraph and paste it.", world)
    assert moves == [["type", "e5", copied]]


@pytest.mark.parametrize(
    "order",
    [
        'Enter "hello" into the text area', 'Type "hello" in the search bar',
        'Enter "hello" in the only field',
        'Enter "hello" in the field on the left', 'Enter "hello" into the editor',
    ],
)  # fmt: skip
async def test_words_for_a_place_or_a_kind_are_no_name_of_a_field(order: str) -> None:
    report, moves = await done(f"{order} and click Book.", page(NAME, ("button", "Book")))
    assert report.ok and moves == [["type", "e1", "hello"], ["click", "e2", ""]]


@pytest.mark.parametrize("order", ['Click the second "Like" button', "Focus into the 1st textbox"])
async def test_a_press_of_a_place_that_shows_nothing_is_a_press(order: str) -> None:
    world = page(("button", "Like"), ("button", "Like"), NAME, ("button", "Save"))
    world.inert = True
    report, moves = await done(f'{order} and click "Save".', world)
    assert report.ok and moves[-1] == ["click", "e4", ""]

"""What an order wants written or waited for, as its words say it."""

import pytest

from ddax.environments.browser.seen import Node
from ddax.environments.pilot import waiting
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.values import given, written_each


def order(word: str, text: str) -> Order:
    return Order("write", word, text, outside=text)


@pytest.mark.parametrize(
    ("word", "text", "found"),
    [
        ("set", "the size to large", ("the size", "large")),
        ("change", "the way to ship  to  by sea", ("the way", "ship  to  by sea")),
        ("set", "the tone to", ("the tone", "")),
        ("set", "the total", None),
        ("set", "tomorrow", None),
        ("fill", "in the name with Ann Lee", ("the name", "Ann Lee")),
        ("fill", "the note with care and joy.", ("the note", "care and joy")),
        ("type", "the size to large", None),
    ],
)
def test_a_field_named_first_and_its_value(word, text, found):
    assert given(order(word, text)) == found


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "Ann Lee as the name, 5 Low Road as the street",
            ["Ann Lee as the name", "5 Low Road as the street"],
        ),
        (
            "Bo into name, 5 Low Road, Leeds as street and blue as the tone field",
            ["Bo into name", "5 Low Road, Leeds as street", "blue as the tone field"],
        ),
        ("Ann Lee as the name", []),
        ("Ann as the nickname, Bo as the street", []),
        ("Ann as it is in the name and Bo as street", []),
        ("Ann as the name, and then go", []),
    ],
)
def test_values_with_their_fields_are_told_apart(text, parts):
    fields = [Node(str(n), "textbox", name) for n, name in enumerate(("Name", "Street", "Tone"))]
    assert [one.text for one in written_each(order("enter", text), fields)] == parts


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("until the list is shown", "the list"),
        ("till  results have been loaded.", "results have"),
        ("for Save to be enabled", "Save"),
        ("until the box shows up", "the box"),
        ("until is shown", "is"),
        ("until noon", ""),
        ("5 seconds", ""),
        ("", ""),
    ],
)
def test_what_is_waited_for(text, what):
    found = waiting._UNTIL.fullmatch(text.strip(" ."))
    assert (found["what"] if found else "") == what

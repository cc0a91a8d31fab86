"""What is kept of a page: no text of a node with a secret in it."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import get_type_hints

import pytest

from ddax.configs.secrets import Redactor
from ddax.environments.browser.options import BrowserOptions
from ddax.environments.browser.secrets import Secret, Vault
from ddax.environments.browser.seen import (
    MAX_ADDRESS,
    MAX_BESIDE,
    MAX_HINTS,
    MAX_NAME,
    MAX_TEXT,
    MAX_VALUE,
    Node,
    node_of,
    outline,
    told,
    without_secrets,
)

PIN = "hunter2-horse"
VAULT = Vault({"PIN": Secret(PIN, "example.org")})
PLAIN = Node("e1", "button", "Go", parent="e0", box=(1.0, 2.0, 3.0, 4.0), scrolls=(5, 6))
TEXTS = {
    str: f"so {PIN}", tuple[str, ...]: ("so", PIN), tuple[str, str, str]: ("e2", "get", f"/?{PIN}"),
    tuple[tuple[str, str], ...]: (("fill", f"url({PIN})"),),
}  # fmt: skip
"""A text with the secret for each type of field that holds words of the page."""
FROM_THE_PAGE = {
    name: kind
    for name, kind in get_type_hints(Node).items()
    if "str" in str(kind) and name not in ("id", "parent", "controls", "state", "hints")
}


@pytest.mark.parametrize("name", FROM_THE_PAGE)
def test_no_text_of_a_node_keeps_a_secret(name: str) -> None:
    found = without_secrets(replace(PLAIN, **{name: TEXTS[FROM_THE_PAGE[name]]}), VAULT.hide)
    assert PIN not in repr(found) and "{{secret:PIN}}" in repr(found)


def test_what_holds_no_secret_stays_as_it_is() -> None:
    assert without_secrets(PLAIN, VAULT.hide) == PLAIN
    assert len(FROM_THE_PAGE) > 10 and set(FROM_THE_PAGE) < {one.name for one in fields(Node)}


KEY = "harbour-key-2291-abcdef"
OPTIONS = BrowserOptions(vault=VAULT, redactor=Redactor([KEY]))
ROW = {"id": 1, "parent": 0, "role": "textbox", "tag": "input", "name": "", "state": {}, "hints": "",
       "box": (0, 0, 1, 1)}  # fmt: skip
CUT = {
    "name": MAX_NAME, "value": MAX_VALUE, "own": MAX_NAME, "before": MAX_BESIDE, "after": MAX_BESIDE,
    "href": MAX_ADDRESS, "hints": MAX_HINTS, "form": MAX_ADDRESS,
}  # fmt: skip


@pytest.mark.parametrize(
    ("secret", "core"),
    [
        (PIN, "hunt"),
        (KEY, "harb"),
        ("postgres://ada:sw0rdfish@db.example", "sw0r"),
        ("ghp_" + "a1" * 18, "a1a1"),
    ],
)
@pytest.mark.parametrize(("name", "most"), CUT.items())
def test_a_text_of_a_node_is_never_cut_in_a_secret(name: str, most: int, secret: str, core: str) -> None:
    for shown in range(len(secret) + 1):
        text = f"{'a ' * most}"[: most - shown - 1] + f" {secret} and more"
        row = ROW | {name: ("2", "get", text) if name == "form" else text}
        node = without_secrets(node_of(row, "", OPTIONS), VAULT.hide)
        kept = OPTIONS.redactor.text(repr(node))
        assert core not in kept, kept


def test_hints_are_hidden_before_their_words_are_parted() -> None:
    node = node_of(ROW | {"hints": f"userName pin-field {PIN}"}, "", OPTIONS)
    assert node.hints == "user Name pin field {{secret:PIN}}"


def test_a_text_that_is_not_cut_is_left_whole() -> None:
    text = "a" * MAX_NAME
    assert node_of(ROW | {"name": text}, "", OPTIONS).name == text
    assert node_of(ROW | {"name": text + "b"}, "", OPTIONS).name == text + "…"


@pytest.mark.parametrize("secret", [PIN, KEY])
def test_what_is_extracted_is_never_cut_in_a_secret(secret: str) -> None:
    for shown in range(len(secret) + 1):
        before = len(told("Berths", "https://berths.example", "", OPTIONS))
        text = "a " * MAX_TEXT
        found = told(
            "Berths", "https://berths.example",
            f"{text[: MAX_TEXT - before - shown]}{secret} and more", OPTIONS,
        )  # fmt: skip
        assert secret[:4] not in OPTIONS.redactor.text(VAULT.hide(found)) and "there is more" in found


@pytest.mark.parametrize(("drags", "told"), [(False, 'heading "Done"'), (True, '[e2] heading "Done"')])
def test_where_something_can_be_dragged_everything_can_be_dropped_onto(drags: bool, told: str) -> None:
    lines = outline([Node("e1", "banner", own="A", drags=drags), Node("e2", "heading", name="Done")])
    assert lines[1].text == told

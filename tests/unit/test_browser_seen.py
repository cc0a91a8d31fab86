"""What is kept of a page: no text of a node with a secret in it."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import get_type_hints

import pytest

from ddax.environments.browser.secrets import Secret, Vault
from ddax.environments.browser.seen import Node, without_secrets

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
    if "str" in str(kind) and name not in ("id", "parent", "state")
}


@pytest.mark.parametrize("name", FROM_THE_PAGE)
def test_no_text_of_a_node_keeps_a_secret(name: str) -> None:
    found = without_secrets(replace(PLAIN, **{name: TEXTS[FROM_THE_PAGE[name]]}), VAULT.hide)
    assert PIN not in repr(found) and "{{secret:PIN}}" in repr(found)


def test_what_holds_no_secret_stays_as_it_is() -> None:
    assert without_secrets(PLAIN, VAULT.hide) == PLAIN
    assert len(FROM_THE_PAGE) > 10 and set(FROM_THE_PAGE) < {one.name for one in fields(Node)}

"""The scripted model of the benchmark `pages`: it does what is shown, and claims what was done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from benchmarks.pages_script import _MOVE, _TELL, made_of, moves, reply
from ddax.environments.browser.moves import HANDS
from ddax.reasoning.prompts import render

ORDER = "Delete b.txt, but do not confirm."
TABLE = """Page: Files
table
  row
    cell "a.txt"
      [e11] button "Delete"
  row
    cell "b.txt"
      [e17] button "Delete"
"""
SEE = "Press Approve in the row of Customer 431."
FOLDED = """table
… 100 more, from [e1833] "Customer 229 2519" to [e2625] "Customer 328 3608"; scroll to one to see it.
… 100 more, from [e2633] "Customer 329 3619" to [e3425] "Customer 428 4708"; scroll to one to see it.
"""


def asked(form: str, order: str, **data: str) -> dict[str, Any]:
    blocks = (
        f"[BEGIN DATA k{n} {name}]\n{text}\n[END DATA k{n}]" for n, (name, text) in enumerate(data.items())
    )
    said = "\n\n".join([f"TASK\n{order}", *blocks])
    messages = [{"role": "system", "content": "rules"}, {"role": "user", "content": said}]
    return {"messages": messages, "response_format": {"json_schema": {"name": form}}}


def said(body: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(reply(body).text)
    return found


def calls(plan: Mapping[str, Any]) -> list[dict[str, str]]:
    made = [child["action"] for child in plan["children"] if child["action"]]
    return [{arg["name"]: arg["value"] for arg in call["args"]} for call in made]


def test_each_order_has_moves_that_a_model_is_told_of() -> None:
    assert len(moves()) == 120
    told = render("seen", seen="x", elements="x").user
    for looks in moves().values():
        for move in made_of(looks):
            found = _MOVE.fullmatch(move)
            assert found, move
            assert found["verb"] in {*HANDS, "accept", "dismiss"} and found["verb"] in told
        assert all(_TELL.fullmatch(look) for look in looks if look.startswith("tell "))


def test_it_takes_the_id_from_what_is_shown() -> None:
    (call,) = calls(said(asked("expand", ORDER, idea="go on at 0", seen=TABLE)))
    assert (call["target"], call["name"]) == ("e17", "click")


@pytest.mark.parametrize("view", ["Page: Files", TABLE.replace("b.txt", "c.txt")])
def test_it_does_nothing_where_what_an_order_names_is_not_shown(view: str) -> None:
    assert said(asked("expand", ORDER, idea="go on at 0", seen=view)) == {"children": []}


def test_a_folded_row_is_scrolled_to_by_the_nearest_end_that_is_told() -> None:
    plan = said(asked("expand", SEE, idea="go on at 0", seen=FOLDED))
    assert calls(plan) == [{"target": "e3425", "name": "scroll"}]
    assert plan["children"][1]["title"] == "go on at 0"


@pytest.mark.parametrize(("status", "claimed"), [("done", True), ("failed", False)])
def test_it_claims_an_order_where_every_move_was_made(status: str, claimed: bool) -> None:
    rows = [
        {"title": f"move {n} of 2: x", "status": status if n == 2 else "done", "result": ""} for n in (1, 2)
    ]
    body = asked("merge", ORDER, P1=f"{{}}\n{TABLE}", findings="\n".join(map(json.dumps, rows)))
    found = said(body)
    assert found["found"] is claimed
    assert found["quotes"] == ([{"passage": "P1", "quote": "Page: Files"}] if claimed else [])


def test_what_is_to_be_told_has_to_stand_in_what_was_read() -> None:
    order = "Tell me the age of Brown."
    read = 'Page: Students\ncell "Brown"\ncell "24"'
    assert said(asked("merge", order, P1=f"{{}}\n{read}"))["answer"] == "The page says: 24 [1]"
    assert not said(asked("merge", order, P1='{}\ncell "Adams"\ncell "31"'))["found"]

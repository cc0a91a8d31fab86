"""Edits of what an assignment keeps and of which element is meant."""

from __future__ import annotations

import ast

import pytest

from ddax.evolution.operators import Seen, Source, first_order

NUMBERS = dict.fromkeys(("n", "i", "rows", "price", "amount"), frozenset({"int"}))


def operators(wrong: str, right: str) -> set[str]:
    """Return the operators that make one program of another."""
    source = Source("m.py", wrong.encode(), Seen(types={("m.py", 1): NUMBERS}))
    wanted = ast.dump(ast.parse(right))
    return {
        edit.operator
        for _, edit in first_order(source, {})
        if ast.dump(ast.parse(edit.apply(wrong.encode()))) == wanted
    }


@pytest.mark.parametrize(
    ("operator", "wrong", "right"),
    [
        ("toggle", "inside = True", "inside = not inside"),
        ("toggle", "self.inside = False", "self.inside = not self.inside"),
        ("accumulate", "held[n] = amount", "held[n] = held.get(n, 0) + amount"),
        ("copy", "self.held = given or []", "self.held = list(given or [])"),
        ("copy", "self.held = given or {}", "self.held = dict(given or {})"),
    ],
)
def test_what_an_assignment_keeps_is_turned_over_added_to_or_copied(operator, wrong, right):
    text = "def f(self, held, given, n, amount, inside):\n    {}\n    return held\n"
    assert operator in operators(text.format(wrong), text.format(right))


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("held[:] = amount", "held[:] = held.get(:, 0) + amount"),
        ("held[n] = [amount]", "held[n] = held.get(n, 0) + [amount]"),
        ("held[n] = held[n] + amount", "held[n] = held.get(n, 0) + held[n] + amount"),
    ],
)
def test_a_slice_a_list_and_what_is_read_anyway_is_not_added_up(wrong, right):
    text = "def f(held, n, amount):\n    {}\n"
    source = Source("m.py", text.format(wrong).encode(), Seen(types={("m.py", 1): NUMBERS}))
    assert text.format(right).splitlines()[1].strip() not in {
        edit.text.strip() for _, edit in first_order(source, {})
    }


LISTS = Seen(types={("m.py", 1): dict.fromkeys(("given", "rows", "held"), frozenset({"list[int]"}))})


def ranks(text: str) -> dict[str, float]:
    """Return the programs that single edits make of a text, with the rank of the likeliest."""
    found: dict[str, float] = {}
    for rank, edit in first_order(Source("m.py", text.encode(), LISTS), {}):
        found.setdefault(edit.apply(text.encode()).decode(), rank)
    return found


def test_a_truth_that_is_returned_asks_whether_anything_is_left():
    text = "def f(given):\n    held = list(given)\n    return {}\n"
    made = ranks(text.format(True))
    assert {text.format("not held"), text.format("bool(held)")} <= made.keys()


def test_an_edit_that_leaves_a_variable_unread_comes_later():
    text = "def f(rows):\n    held = rows[1:]\n    return sum({}) / len({})\n"
    in_vain = ranks(text.format("held", "rows"))[text.format("rows", "rows")]
    in_use = ranks(text.format("held", "held"))[text.format("rows", "held")]
    assert in_use < in_vain

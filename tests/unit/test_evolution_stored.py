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


@pytest.mark.parametrize("place", ["out[i]", "out[0][i]"])
def test_an_index_is_counted_from_the_other_end_of_its_own_range(place):
    text = "def f(out, n, rows):\n    for i in range(rows):\n        {} = n\n    return out\n"
    mirrored = place.replace("[i]", "[rows - 1 - i]")
    assert "mirror" in operators(text.format(place), text.format(mirrored))
    other = place.replace("[i]", "[n - 1 - i]")
    assert "mirror" not in operators(text.format(place), text.format(other))


def test_a_part_that_a_comprehension_unpacks_and_never_reads_is_used():
    text = "def f(lines):\n    return sum({} for _, price, n in lines)\n"
    assert "use_part" in operators(text.format("price"), text.format("price * n"))
    assert "use_part" not in operators(text.format("price * n"), text.format("price * n * n"))
    assert "use_part" not in operators(text.format("price"), text.format("price * _"))


def test_two_sides_of_a_comparison_name_their_parts_in_one_order():
    text = "def f(a, b):\n    return (a.month, a.day) < {}\n"
    assert "align" in operators(text.format("(b.day, b.month)"), text.format("(b.month, b.day)"))
    text = "def f(a, b):\n    return (a['x'], a['y']) == {}\n"
    assert "align" in operators(text.format("(b['y'], b['x'])"), text.format("(b['x'], b['y'])"))
    assert not operators(text.format("(b['y'], b['z'])"), text.format("(b['z'], b['y'])")) & {"align"}


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
    assert text.format("bool(given)") not in made


def test_a_count_begins_anew_where_it_is_interrupted():
    text = "def f(rows):\n    n = 0\n    for i in rows:\n        if i > 2:\n            n += 1\n{}"
    assert "reset" in operators(text.format(""), text.format("        else:\n            n = 0\n"))


def test_an_edit_that_leaves_a_variable_unread_comes_later():
    text = "def f(rows):\n    held = rows[1:]\n    return sum({}) / len({})\n"
    in_vain = ranks(text.format("held", "rows"))[text.format("rows", "rows")]
    in_use = ranks(text.format("held", "held"))[text.format("rows", "held")]
    assert in_use < in_vain

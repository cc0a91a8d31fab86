"""Edits that treat one place as the file treats others, and what tests rarely mean."""

from __future__ import annotations

import ast

import pytest

from ddax.evolution.operators import Seen, Source, first_order

INTS = dict.fromkeys(("a", "b", "n", "x", "y", "limit", "lower", "total"), frozenset({"int"}))
INTS |= {"self.start": frozenset({"int"}), "self.count": frozenset({"int"}), "self.size": frozenset({"int"})}
ROWS = {"sizes": frozenset({"list[int]"}), "data": frozenset({"list[int]"}), "node": frozenset({"dict"})}
REST = {"open": frozenset({"bool"}), "cell": frozenset({"tuple[int]"})}
SEEN = Seen(types={("m.py", line): {**INTS, **ROWS, **REST} for line in range(1, 5)})


def listed(text: str, seen: Seen = SEEN) -> dict[str, float]:
    """Return the programs that single edits make, as trees, with the rank of the likeliest."""
    ranks: dict[str, float] = {}
    for rank, edit in first_order(Source("m.py", text.encode(), seen), {}):
        ranks.setdefault(ast.dump(ast.parse(edit.apply(text.encode()))), rank)
    return ranks


def rank_of(wrong: str, right: str, seen: Seen = SEEN) -> float:
    """Return the rank of a repair; raises KeyError where it is not among the edits."""
    return listed(wrong, seen)[ast.dump(ast.parse(right))]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("return a < x or a > y", "return a <= x or a >= y"),
        ("return x < a < y", "return x <= a <= y"),
        ("return [(x + i, y + j) for i in (0, 1) for j in (0, 1)]",
         "return [(x + i, y + j) for i in (0, 1) for j in (0, 1) if (x + i, y + j) != cell]"),
        ("return [i for i in data for j in data]", "return [i for i in data for j in data if j]"),
        ("return f'{a:x}'", "return f'{a:02x}'"),
        ("return f'{a:d}'", "return f'{a:04d}'"),
    ],
)  # fmt: skip
def test_the_repair_of_a_line_is_among_the_edits(wrong, right):
    text = "def f(a, b, n, x, y, data, cell):\n    {}\n"
    assert rank_of(text.format(wrong), text.format(right))


def test_no_condition_of_an_inner_loop_stands_in_the_outer_one():
    made = listed("def f(n):\n    return [i for i in range(n) for j in range(n)]\n")
    outer = ast.dump(ast.parse("def f(n):\n    return [i for i in range(n) if j for j in range(n)]\n"))
    assert outer not in made


def test_what_is_asked_elsewhere_is_asked_here_before_a_number_is_made_up():
    text = (
        "def has(node):\n    return '$' in node\n\n"
        "def add(node, n):\n    total = 0\n    {}total += 1\n    node['$'] = 1\n    return total, n\n"
    )
    seen = Seen(types={("m.py", 4): {"node": frozenset({"dict"}), "n": frozenset({"int"})}})
    asked = rank_of(text.format(""), text.format("if '$' not in node:\n        "), seen)
    assert asked < rank_of(text.format(""), text.format("if n <= 1:\n        "), seen)


def test_an_element_of_the_same_object_is_added_before_bits_are_shifted():
    text = "def f(sizes, a, b):\n    if sizes[a] < sizes[b]:\n        return 0\n    sizes[a] {}\n"
    other = rank_of(text.format("+= 1"), text.format("+= sizes[b]"))
    assert other < rank_of(text.format("+= 1"), text.format("<<= 1"))
    assert ast.dump(ast.parse(text.format("+= sizes[a]"))) not in listed(text.format("+= 1"))


def test_an_index_does_not_stand_for_its_element():
    text = "def f(data, n):\n    n = n + len(data)\n    return {}\n"
    seen = Seen(types={("m.py", 1): {"data": frozenset({"list[int]"}), "self.start": frozenset({"int"})}})
    method = "def f(self, data):\n    self.start += 1\n    return {}\n"
    assert ast.dump(ast.parse(method.format("self.start"))) not in listed(
        method.format("data[self.start]"), seen
    )
    assert ast.dump(ast.parse(text.format("len(data)"))) in listed(text.format("data[n]"))


def test_a_flag_is_set_and_not_counted():
    text = "def f(open, xs):\n    for x in xs:\n        if x:\n            print(x)\n{}    open = False\n"
    made = listed(text.format(""))
    for line, there in (("open = True", True), ("open += 1", False), ("open = abs(open)", False)):
        assert (ast.dump(ast.parse(text.format(f"            {line}\n"))) in made) is there


def test_what_was_made_is_returned_where_a_test_met_none():
    text = "def outer(names):\n    def keep(f):\n        if not names:\n            raise KeyError\n        names.append(f)\n{}\n    return keep\n"  # noqa: E501
    told = Seen(complaints=("t.py::test_a: TypeError: 'NoneType' object is not callable",))
    right = text.format("        return f")
    assert rank_of(text.format(""), right, told) < rank_of(text.format(""), right, Seen())

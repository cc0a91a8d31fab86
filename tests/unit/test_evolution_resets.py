"""Edits that begin a variable anew, go on into parts, and how likely an edit is that says a thing twice."""

import ast

import pytest

from ddax.evolution.operators import Seen, Source, first_order
from ddax.evolution.operators.unlikely import TWICE

WALK = """
def f(node):
    if node:
        f(node.left)
        yield node.key
"""
SUBSETS = """
def f(xs):
    if not xs:
        return []
    return f(xs[1:])
"""
COPY = """
def f(xs):
    return copy.copy(xs)
"""
OLDEST = """
def f(xs, x):
    xs.pop()
    return x.split(" ")
"""
MIDDLE = """
def f(xs):
    return xs[0] + xs[1] / 2
"""


def ranked(program, seen=None):
    """Return the trees that the edits of a program make, with the cost of each."""
    source = Source("m.py", program.encode(), seen or Seen())
    made = {}
    for rank, edit in first_order(source, {}):
        made.setdefault(ast.dump(ast.parse(edit.apply(program.encode()))), rank)
    return made


def rank(program, old, new, seen=None):
    return ranked(program, seen).get(ast.dump(ast.parse(program.replace(old, new, 1))))


@pytest.mark.parametrize(
    ("program", "old", "new", "most"),
    [
        (WALK, "f(node.left)", "yield from f(node.left)", 4.8),
        (SUBSETS, "return []", "return [[]]", 5.2),
        (COPY, "copy.copy(xs)", "copy.deepcopy(xs)", 4.8),
        (OLDEST, "xs.pop()", "xs.pop(0)", 4.8),
        (OLDEST, 'x.split(" ")', "x.split()", 4.8),
        (MIDDLE, "xs[0] + xs[1] / 2", "(xs[0] + xs[1]) / 2", 4.6),
    ],
)
def test_a_common_slip_is_mended_by_an_early_edit(program, old, new, most):
    found = rank(program, old, new)
    assert found is not None
    assert found <= most


def test_a_method_is_not_dropped_where_nothing_would_be_left_to_do():
    assert rank(OLDEST, "xs.pop()\n", "xs\n") is None


def test_a_function_that_yields_nothing_is_not_made_a_generator():
    plain = WALK.replace("yield node.key", "print(node.key)")
    assert rank(plain, "f(node.left)", "yield from f(node.left)") is None


@pytest.mark.parametrize(
    ("line", "old", "twice", "other"),
    [
        ("return [a, b]", "[a, b]", "[b, b]", "[c, b]"),
        ("return a < b", "a < b", "b < b", "c < b"),
        ("return a and b", "a and b", "a and a", "a and c"),
        ("return a - b", "a - b", "a - a", "a - c"),
        ("return g(a.x, b.x)", "a.x, b.x", "b.x, b.x", "c.x, b.x"),
    ],
)
def test_what_says_a_thing_twice_comes_later(line, old, twice, other):
    seen = Seen({("m.py", 1): {name: frozenset({"int"}) for name in "abc"}})
    program = f"def f(a, b, c):\n    print(c)\n    {line}\n"
    assert rank(program, old, twice, seen) == rank(program, old, other, seen) + TWICE


def test_a_thing_may_be_added_to_itself():
    seen = Seen({("m.py", 1): {name: frozenset({"int"}) for name in "abc"}})
    program = "def f(a, b, c):\n    print(c)\n    return a + b\n"
    assert rank(program, "a + b", "a + a", seen) == rank(program, "a + b", "a + c", seen)

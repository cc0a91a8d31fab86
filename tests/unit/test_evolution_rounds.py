# ruff: noqa: E501 - programs under test are kept on one line
"""Edits of loops and lists: from which end, from one, round a list, what is still to do, what is held."""

import ast

import pytest

from ddax.evolution.operators import Seen, Source, first_order


def typed(line=1, attributes=None, complaints=(), **kinds):
    """Return what is known where names of the function at a line have types."""
    seen = {("m.py", line): {name: frozenset({kind}) for name, kind in kinds.items()}}
    return Seen(seen, attributes or {}, complaints=complaints)


INTS = typed(x="int", n="int")
LISTS = typed(x="list[int]", n="int", out="list[int]")
CLEARED = """
class A:
    def f(self, n):
        self.n = n

    def g(self, n):
        self.ends.append(n)
"""


def function(line):
    return f"def f(x, n):\n    {line}\n"


def ranks(wrong, seen=None):
    """Return the ranks of all that the edits make of a program, by the dump of its tree."""
    listed = first_order(Source("m.py", wrong.encode(), seen or Seen()), {})
    made: dict[str, float] = {}
    for rank, edit in listed:
        made.setdefault(ast.dump(ast.parse(edit.apply(wrong.encode()))), rank)
    return made


@pytest.mark.parametrize(
    ("wrong", "right", "seen"),
    [
        (function("return x % n"), function("return x % n or n"), INTS),
        (function("return x % n"), function("return (x - 1) % n + 1"), INTS),
        (function("return (x + 1) % 12"), function("return x % 12 + 1"), INTS),
        (function("return list(range(n))"), function("return list(range(n - 1, -1, -1))"), INTS),
        (function("return [*range(1, n + 1)]"), function("return [*range(n, 0, -1)]"), INTS),
        (function("return [*range(x, n)]"), function("return [*range(n - 1, x - 1, -1)]"), INTS),
        (function("return [*range(n - 1, -1, -1)]"), function("return [*range(n)]"), INTS),
        (CLEARED, CLEARED.replace("= n\n", "= n\n        self.ends.clear()\n"), Seen({("m.py", 3): {"self.ends": frozenset({"list[int]"})}})),
    ],
)  # fmt: skip
def test_the_repair_is_among_the_edits(wrong, right, seen):
    assert ast.dump(ast.parse(right)) in ranks(wrong, seen)


def test_what_formats_a_text_does_not_count_from_one():
    assert ast.dump(ast.parse(function("return '%s' % x or x"))) not in ranks(function("return '%s' % x"))


def test_an_entry_of_what_grows_is_seldom_one_of_a_sorted_copy():
    grows = "def f(x, n):\n    for i in n:\n        x.append(x[i])\n"
    still = "def f(x, n):\n    for i in n:\n        print(x[i])\n"
    one, other = (
        ranks(text, typed(x="list[int]"))[ast.dump(ast.parse(text.replace("x[i]", "sorted(x)[i]")))]
        for text in (grows, still)
    )
    assert one > other + 0.5


def test_a_number_is_seldom_returned_from_within_a_loop_whatever_holds():
    within = "def f(x, n):\n    for y in x:\n        print(y)\n    return n\n"
    made = ranks(within)
    inside = made[ast.dump(ast.parse(within.replace("print(y)\n", "print(y)\n        return 0\n")))]
    truth = made[ast.dump(ast.parse(within.replace("print(y)\n", "print(y)\n        return False\n")))]
    assert inside > truth

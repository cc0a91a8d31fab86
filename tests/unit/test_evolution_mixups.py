# ruff: noqa: E501 - programs under test are kept on one line
"""Edits of what is easily mixed up: None and nothing, units of time, keys and entries, ways of rounding."""

import ast

import pytest

from ddax.evolution.operators import Seen, Source, first_order


def typed(parameters=None, **kinds):
    """Return what is known where the names of the function on the first line have types."""
    types = {("m.py", 1): {name: frozenset(kind.split()) for name, kind in kinds.items()}}
    return Seen(types, parameters=parameters or {})


LACKING = typed(x="int NoneType", n="int")
COUNTS = typed(x="dict[str]", n="str", a="str")


def function(line):
    return f"def f(x, n):\n    {line}\n"


def ranks(wrong, seen=None):
    """Return the ranks of all that the edits make of a program, by the dump of its tree."""
    made: dict[str, float] = {}
    for rank, edit in first_order(Source("m.py", wrong.encode(), seen or Seen()), {}):
        made.setdefault(ast.dump(ast.parse(edit.apply(wrong.encode()))), rank)
    return made


@pytest.mark.parametrize(
    ("wrong", "right", "seen"),
    [
        (function("return 1 if x else 2"), function("return 1 if x is not None else 2"), LACKING),
        (function("return 1 if not x else 2"), function("return 1 if x is None else 2"), LACKING),
        (function("return [y for y in n if x and y]"), function("return [y for y in n if x is not None and y]"), LACKING),
        (function("return 1 if x is None else 2"), function("return 1 if not x else 2"), LACKING),
        (function("return 1 if x is not None else 2"), function("return 1 if x else 2"), LACKING),
        (function("return x or n"), function("return x if x is not None else n"), LACKING),
        (function("return timedelta(seconds=n)"), function("return timedelta(minutes=n)"), None),
        (function("return x.replace(hour=0)"), function("return x.replace(minute=0)"), None),
        (function("return g(width=n)"), function("return g(height=n)"), typed({"g": ("width", "height")})),
        (function("return g(a=x, b=n)"), function("return g(b=x, a=n)"), None),
        (function("return [a for a in x if a > n]"), function("return [a for a in x if x[a] > x[n]]"), COUNTS),
        (function("return max(x)"), function("return max(x, key=x.get)"), COUNTS),
        (function("return x.quantize(n, decimal.ROUND_UP)"), function("return x.quantize(n, decimal.ROUND_HALF_UP)"), None),
        (function("return x.quantize(n)"), function("return x.quantize(n, rounding='ROUND_HALF_UP')"), None),
    ],
)  # fmt: skip
def test_the_repair_is_among_the_edits(wrong, right, seen):
    assert ast.dump(ast.parse(right)) in ranks(wrong, seen)


def test_where_none_was_met_it_is_asked_for_before_what_is_nought():
    wrong = function("return 1 if x else 2")
    made = ranks(wrong, LACKING)
    none, nought = (
        made[ast.dump(ast.parse(wrong.replace("if x", f"if x {more}")))]
        for more in ("is not None", "or x == 0")
    )
    assert none < nought


@pytest.mark.parametrize("line", ["y = x or n", "return g(x or n)"])
def test_a_value_that_is_no_condition_is_not_asked_for_none_alone(line):
    changed = line.replace("x or n", "x is not None or n")
    assert ast.dump(ast.parse(function(changed))) not in ranks(function(line), LACKING)


def test_a_function_of_the_program_is_passed_by_later_than_one_of_python():
    own, foreign = (
        ranks(function(f"return x + {name}(n)"), typed({"show": ("amount",)})) for name in ("show", "str")
    )
    passed_by = ast.dump(ast.parse(function("return x + n")))
    assert own[passed_by] > foreign[passed_by] + 0.5

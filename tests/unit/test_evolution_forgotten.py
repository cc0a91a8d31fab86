# ruff: noqa: E501 - programs under test are kept on one line
"""Edits that put in what is easily forgotten, and those of regular expressions."""

import ast

import pytest

from ddax.evolution.judging.branches import dropped
from ddax.evolution.operators import Seen, Source, first_order

NONE = Seen(complaints=("TypeError: '<' not supported between instances of 'NoneType' and 'int'",))
BARE = Seen(complaints=("AttributeError: 'NoneType' object has no attribute 'lower'",))
BUCKET = "class A:\n    def __init__(self):\n        self.at = 0\n\n    def f(self, n):\n        now = n - self.at\n        return now\n"
CLOCK = Seen(
    {("m.py", 5): {"self": frozenset({"A"}), "now": frozenset({"int"}), "self.at": frozenset({"int"})}}
)


def made(wrong, seen=None):
    source = Source("m.py", wrong.encode(), seen or Seen())
    return {e.apply(wrong.encode()).decode(): rank for rank, e in reversed(first_order(source, {}))}


@pytest.mark.parametrize(
    ("wrong", "right", "seen"),
    [
        ("def f(xs):\n    out = {}\n    for k, v in xs:\n        out[k] = v\n", "def f(xs):\n    out = {}\n    for k, v in xs:\n        out[k] = max(out[k], v)\n", None),
        ("def f(ts):\n    return [t for t in ts if t.due < 3]\n", "def f(ts):\n    return [t for t in ts if t.due is not None and t.due < 3]\n", NONE),
        ("def f(a, b):\n    if a and b < 3:\n        return 1\n", "def f(a, b):\n    if b is not None and a and b < 3:\n        return 1\n", NONE),
        ("def f(t):\n    return t.lower()\n", "def f(t):\n    return t.lower() if t is not None else None\n", BARE),
        (BUCKET, BUCKET.replace("        return", "        self.at = now\n        return"), CLOCK),
        ("def f(a, b):\n    return a // b\n", "def f(a, b):\n    return -(-a // b)\n", None),
        ("def f(p):\n    return f'{p.name}.bak'\n", "def f(p):\n    return f'{p.stem}.bak'\n", None),
        ("def f(t):\n    return t.split('=')\n", "def f(t):\n    return t.split('=', maxsplit=1)\n", None),
        ("def f(xs):\n    return max(xs)\n", "def f(xs):\n    return max(xs, default=0)\n", None),
        ("def f(xs):\n    return next(xs)\n", "def f(xs):\n    return next(xs, None)\n", None),
        ("def f(d):\n    d.pop('x')\n", "def f(d):\n    d.pop('x', None)\n", None),
        ("import re\nP = re.compile(r'\"(.*)\"')\n", "import re\nP = re.compile(r'\"(.*?)\"')\n", None),
        ("import re\nP = re.compile(r'\\d')\n", "import re\nP = re.compile(r'\\d+')\n", None),
        ("import re\nP = re.compile(r'\\d+$')\n", "import re\nP = re.compile(r'^\\d+$')\n", None),
        ("import re\nP = re.compile('v1.2')\n", "import re\nP = re.compile(r'v1\\.2')\n", None),
        ("import re\nP = re.match(r'[a-z]{3}', x)\n", "import re\nP = re.match(r'[a-z]{3,}', x)\n", None),
        ("import re\nP = re.match(r'(\\w+)@x', x)\n", "import re\nP = re.match(r'([\\w-]+)@x', x)\n", None),
    ],
)  # fmt: skip
def test_the_repair_is_among_the_edits(wrong, right, seen):
    assert right in made(wrong, seen)


def test_every_edit_of_these_programs_is_a_program():
    for text in (BUCKET, "import re\nP = re.compile('(a|b)+[.]x')\n"):
        assert all(ast.parse(new) for new in made(text))


def test_what_a_test_complains_of_is_caught_before_all_other_errors():
    wrong = "def f(x):\n    try:\n        return g(x)\n    except TypeError:\n        return 0\n"
    heard = Seen(complaints=("ValueError: no number",))
    ranks = made(wrong, heard)
    own, other, every = (
        ranks[wrong.replace("TypeError", n)] for n in ("ValueError", "KeyError", "Exception")
    )
    assert own < other < every


def test_a_number_that_changes_nothing_is_no_edit():
    new = made("def f(x):\n    return x + 2\n")
    assert "def f(x):\n    return x\n" in new
    assert "def f(x):\n    return x + 0\n" not in new


def test_a_statement_of_another_method_comes_before_one_of_another_function():
    text = "class A:\n    def f(self):\n        self.n.sort()\n        return 1\n\n    def g(self):\n        return 2\n\n\ndef h(self):\n    return 3\n"
    ranks = made(text)
    near = text.replace("        return 2", "        self.n.sort()\n        return 2")
    far = text.replace("    return 3", "    self.n.sort()\n    return 3")
    assert ranks[near] < ranks[far]


def test_joined_conditions_have_no_parentheses_that_are_not_needed():
    seen = Seen({("m.py", 1): {n: frozenset({"int"}) for n in "ab"}})
    wrong = "def f(a, b):\n    if not a and (b == 2 or b == 3):\n        return 1\n"
    right = "def f(a, b):\n    if not a and (b == 2 or b == 3) and a < b:\n        return 1\n"
    assert right in made(wrong, seen)


def test_conditions_that_are_gone_are_counted():
    old = "def f(x):\n    if x:\n        g(x)\n    return [y for y in x if y]\n"
    assert dropped(old, old.replace("if x:", "for _ in x:")) == 0.5
    assert dropped(old, old.replace("return", "return x and")) == 0.0
    assert dropped(old, "def f(") == 0.0

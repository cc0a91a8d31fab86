"""Edits that are rows of the table of patterns."""

from __future__ import annotations

import ast

import pytest

from ddax.evolution.operators import Seen, Source, first_order
from ddax.evolution.operators.templates import templates
from ddax.evolution.tables import table

TEXTS = Seen({("m.py", 1): {"s": frozenset({"str"}), "xs": frozenset({"list"}), "n": frozenset({"int"})}})
ROWS = [
    ("for k in d:\n        del d[k]", "for k in list(d):\n        del d[k]"),
    ("return hasattr(x, 'name')", "return getattr(x, 'name', None)"),
    ("return getattr(x, s)", "return getattr(x, s, None)"),
    ("if not v:\n        return 1", "if v is None:\n        return 1"),
    ("while not x.next:\n        x.go()", "while x.next is None:\n        x.go()"),
    ("if v:\n        return 1", "if v is not None:\n        return 1"),
    ("return v or w", "return v if v is not None else w"),
    ("return max(xs)", "return max(xs) if xs else None"),
    ("return sum(xs) / len(xs)", "return sum(xs) / len(xs) if xs else 0"),
    ("m = xs[0]", "m = xs[0] if xs else None"),
    ("return 'a %s' % x", "return 'a %s' % (x,)"),
    ("g(x)", "g((x,))"),
    ("return g(v)", "return g(list(v))"),
    ("return s in NAMES", "return s.upper() in NAMES"),
    ("return d[s]", "return d[s.strip()]"),
    ("return (w, v) < (d, x)", "return (w, v) < (x, d)"),
    ("return [g(k) for k in xs]", "return [g(k) for k in xs[1:]]"),
    ("return n < v <= w", "return n <= v < w"),
    ("return sorted(xs, key=lambda k: (k[1], k[0]))", "return sorted(xs, key=lambda k: (-k[1], k[0]))"),
    ("return v + w == x", "return v + w == x or x + w == v"),
    ("g(x)\n    v = 1\n    h(v)\n    w = 2\n    return v", "v = 1\n    h(v)\n    return v"),
    ("return n % 12", "return (n % 12) or 12"),
    ("m = d[s]", "m = max(m, d[s])"),
    ("for i in range(n):\n        g(i)", "for i in range(n - 1, -1, -1):\n        g(i)"),
    ("g(xs)\n    m = xs[0]\n    g(m)", "g(xs)\n    if not xs:\n        return\n    m = xs[0]\n    g(m)"),
]


def function(body: str) -> str:
    return f"def f(x, v, w, d, s, xs, n):\n    {body}\n"


@pytest.mark.parametrize(("wrong", "right"), ROWS)
def test_the_repair_is_among_the_edits(wrong, right):
    text = function(wrong).encode()
    made = {e.apply(text).decode() for _, e in first_order(Source("m.py", text, TEXTS), {})}
    assert function(right) in made


def test_every_row_of_the_table_is_read_and_every_edit_is_a_program():
    rows = table("operators/templates")["rows"]
    assert {"name", "find", "put", "cost"} <= set.intersection(*(set(row) for row in rows))
    for wrong, _ in ROWS:
        text = function(wrong).encode()
        for _, edit in first_order(Source("m.py", text, TEXTS), {}):
            ast.parse(edit.apply(text))


def test_a_row_asks_for_types_and_places():
    source = Source("m.py", b"def f(xs, n):\n    n = n + 1\n    return g(n)\n", TEXTS)
    made = {ast.unparse(new) for node in ast.walk(source.tree) if isinstance(node, ast.expr)
            for _, _, new in templates(node, source)}  # fmt: skip
    assert "max(n, xs)" not in made and not any(text.startswith("n %") for text in made)

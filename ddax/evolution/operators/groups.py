"""Operators that change several places at once where one idea is behind them.

A constant used everywhere, the polarity of all returns, both sides of a comparison, a run of
statements, the operator and the constant of one comparison, a misspelt word of the tests.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator

from ddax.evolution.operators.base import Edit, FunctionNode, Source, own_nodes
from ddax.evolution.operators.expressions import NEAR, Variant, call, number

_BOTH_CALLS = ("set", "sorted", "len", "abs", "sum", "str", "int")
_BOTH_METHODS = ("lower", "upper", "strip")
_ALIKE = ("lower", "upper", "casefold", "strip", "lstrip", "rstrip")
"""Methods that are called on both sides of a comparison to make them alike."""


def symmetric(node: ast.expr, _source: Source) -> Iterator[Variant]:
    """Wrap both sides of a comparison alike; change its operator and a constant together."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return
    left, right = node.left, node.comparators[0]
    if not isinstance(left, ast.Constant) and not isinstance(right, ast.Constant):
        for name in _BOTH_CALLS:
            yield "both_sides", 1.2, ast.Compare(call(name, left), node.ops, [call(name, right)])
        for name in _BOTH_METHODS:
            a, b = (ast.Call(ast.Attribute(side, name, ast.Load()), [], []) for side in (left, right))
            yield "both_sides", 1.2, ast.Compare(a, node.ops, [b])
    if (old := _method_of(left)) and old == _method_of(right):
        for name in _ALIKE:
            if old in _ALIKE and name != old:
                yield "both_sides", 0.9, ast.Compare(_called(left, name), node.ops, [_called(right, name)])
    for side, constant, value in _numbers(left, right):
        for op in NEAR[type(node.ops[0])]:
            for step in (1, -1):
                changed = _with(side, constant, value + step)
                pair = (changed, right) if side is left else (left, changed)
                yield "compare_pair", 1.3, ast.Compare(pair[0], [op()], [pair[1]])


def _method_of(node: ast.expr) -> str:
    return node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""


def _called(node: ast.expr, name: str) -> ast.expr:
    """Return a call of another method of the same object."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return node
    return ast.Call(ast.Attribute(node.func.value, name, ast.Load()), node.args, node.keywords)


def _numbers(*sides: ast.expr) -> Iterator[tuple[ast.expr, ast.Constant, float]]:
    for side in sides:
        parts = [side, side.right] if isinstance(side, ast.BinOp) else [side]
        for part in parts:
            if isinstance(part, ast.Constant) and isinstance(part.value, (int, float)):
                yield side, part, part.value


def _with(side: ast.expr, old: ast.Constant, value: float) -> ast.expr:
    new = number(value)
    if side is old or not isinstance(side, ast.BinOp):
        return new
    return ast.BinOp(side.left, side.op, new)


def regrouped(node: ast.expr, _source: Source) -> Iterator[Variant]:
    """Put `or` in the place of one `and` among several, or the other way round, with either grouping."""
    if not isinstance(node, ast.BoolOp) or len(node.values) < 3:
        return
    other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    for i in range(1, len(node.values)):
        sides = [_joined(node.op, part) for part in (node.values[:i], node.values[i:])]
        yield "boolean", 0.5, ast.BoolOp(other, sides)
        pair = ast.BoolOp(other, node.values[i - 1 : i + 1])
        yield "boolean", 0.5, ast.BoolOp(node.op, [*node.values[: i - 1], pair, *node.values[i + 1 :]])


def _joined(op: ast.boolop, values: list[ast.expr]) -> ast.expr:
    return values[0] if len(values) == 1 else ast.BoolOp(op, values)


def spelling(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Spell a text as the tests do; use another of their single signs."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or not node.value:
        return
    words = source.seen.words
    if len(node.value) > 3:
        for word in difflib.get_close_matches(node.value, [w for w in words if w != node.value], 2, 0.7):
            yield "spelling", 0.7, ast.Constant(word)
    elif len(node.value) == 1:
        for sign in sorted({c for w in words for c in w if not c.isalnum()} - {node.value})[:12]:
            yield "sign", 1.2, ast.Constant(sign)


def splice(source: Source, changes: list[tuple[int, int, str]], name: str, cost: float) -> Edit:
    """Make one edit of changes at several places, each given by its bytes and its new text."""
    changes.sort()
    start, end = changes[0][0], max(c[1] for c in changes)
    parts, at = [], start
    for a, b, text in changes:
        parts += [source.text[at:a].decode(), text]
        at = b
    line = source.text[:start].count(b"\n") + 1
    return Edit(source.path, start, end, "".join(parts) + source.text[at:end].decode(), name, cost, line)


def everywhere(source: Source) -> Iterator[Edit]:
    """Change a constant or the polarity of returns in all of a function at once."""
    for function in source.functions:
        values: dict[str, list[ast.Constant]] = {}
        for node in (n for n in own_nodes(function) if isinstance(n, ast.Constant)):
            if not isinstance(source.parents.get(node), ast.Expr | ast.JoinedStr | ast.arg):
                values.setdefault(repr(node.value), []).append(node)
        for same in values.values():
            if len(same) > 1 and not isinstance(same[0].value, bool):
                for text in _replacements(same[0], source):
                    changes = [(*source.span(n), text) for n in same]
                    yield splice(source, changes, "constant_everywhere", 1.0)
        returned = (n.value for n in own_nodes(function) if isinstance(n, ast.Return))
        truths = [v for v in returned if isinstance(v, ast.Constant) and isinstance(v.value, bool)]
        if len(truths) > 1:
            flips = [(*source.span(value), repr(not value.value)) for value in truths]
            yield splice(source, flips, "polarity", 0.7)


def _replacements(node: ast.Constant, source: Source) -> list[str]:
    value = node.value
    if isinstance(value, str):
        found = ["", " ", *(w for w in source.seen.words if len(w) <= 3)][:12]
        return [repr(v) for v in dict.fromkeys(found) if v != value]
    if isinstance(value, (int, float)):
        return [repr(v) for v in (value + 1, value - 1, 0, 1) if v != value]
    return []


def runs(source: Source) -> Iterator[Edit]:
    """Delete two statements of one block that follow one another, or have one or two between them."""
    for node in (n for n in ast.walk(source.tree) if isinstance(n, (FunctionNode, ast.stmt))):
        body = [] if isinstance(node, ast.ClassDef) else getattr(node, "body", [])
        simple = [s for s in body if isinstance(s, (ast.Assign, ast.AugAssign, ast.Expr))]
        simple = [s for s in simple if not isinstance(s.value, ast.Constant) or not isinstance(s, ast.Expr)]
        for i, first in enumerate(simple if len(body) > 2 else []):
            for second in simple[i + 1 : i + 4]:
                ends = [(source.lines[s.lineno - 1], source.lines[s.end_lineno or s.lineno], "")
                        for s in (first, second)]  # fmt: skip
                if ends[0][1] <= ends[1][0] and ends[1][1] <= len(source.text):
                    yield splice(source, ends, "delete_two", 1.3)


GROUP_OPERATORS = (symmetric, regrouped, spelling)
WHOLE_OPERATORS = (everywhere, runs)

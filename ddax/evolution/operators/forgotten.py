"""Operators that put in what is easily forgotten where a test met None: a check for it, what is returned."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ddax.evolution.operators.base import Edit, FunctionNode, Source, dotted, own_nodes
from ddax.evolution.operators.expressions import Variant
from ddax.evolution.operators.places import Place

_NONE_HAS_NOT = re.compile(r"'NoneType' object has no attribute '(\w+)'")


def none_checks(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Ask whether what a condition uses is there, or do without what cannot be called on None."""
    complaints = source.seen.complaints
    if not any("NoneType" in text for text in complaints):
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        wanted = {m[1] for text in complaints if (m := _NONE_HAS_NOT.search(text))}
        if node.func.attr in wanted:
            there = ast.Compare(node.func.value, [ast.IsNot()], [ast.Constant(None)])
            yield "none_check", 0.9, ast.IfExp(there, node, ast.Constant(None))
    parent = source.parents.get(node)
    test = isinstance(parent, ast.If | ast.While | ast.IfExp) and parent.test is node
    if not test and not (isinstance(parent, ast.comprehension) and node in parent.ifs):
        return
    for text in dict.fromkeys(_asked(node)):
        there = ast.Compare(ast.parse(text, mode="eval").body, [ast.IsNot()], [ast.Constant(None)])
        values = node.values if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) else [node]
        yield "none_check", 0.6, ast.BoolOp(ast.And(), [there, *values])


def _asked(node: ast.expr) -> Iterator[str]:
    """Yield the variables, attributes and elements that a condition compares or takes attributes of."""
    for inner in ast.walk(node):
        sides = [inner.left, *inner.comparators] if isinstance(inner, ast.Compare) else []
        sides += [inner.value] if isinstance(inner, ast.Attribute) else []
        for side in sides:
            if isinstance(side, ast.Name | ast.Subscript) or dotted(side):
                yield ast.unparse(side)


def returned(place: Place) -> Iterator[Edit]:
    """Return what a function was given or has made, where it returns nothing and a test met None."""
    source, function = place.source, place.source.parents.get(place.node)
    if not isinstance(function, FunctionNode) or place.node is not function.body[-1]:
        return
    nodes = list(own_nodes(function))
    ends = (ast.Return, ast.Yield, ast.YieldFrom)
    if any(isinstance(n, ends) for n in nodes) or not any("None" in c for c in source.seen.complaints):
        return
    made = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    given = [a.arg for a in nodes if isinstance(a, ast.arg)]
    for rank, name in enumerate(dict.fromkeys([*reversed(made), *given])):
        yield place.after(f"return {name}", "return", 0.6 + 0.1 * rank)


FORGOTTEN_STATEMENTS = (returned,)
FORGOTTEN_EXPRESSIONS = (none_checks,)

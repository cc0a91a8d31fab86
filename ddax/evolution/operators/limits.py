"""Operators that keep a number within limits: a constant, a name, an entry, the last index."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ddax.evolution.operators.base import Source, stands_alone
from ddax.evolution.operators.expressions import Variant, call
from ddax.evolution.operators.kinds import NUMBERS, kinds_of, plain


def clamps(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Keep a variable, or what is computed to be kept, from becoming too great or too small."""
    if not _is_value(node, source):
        return
    scope = source.scope_of(node)
    if not plain(kinds_of(node, scope)) & NUMBERS:
        return
    computed = not isinstance(node, ast.Name)
    names = {name for name, kinds in scope.names.items() if kinds & NUMBERS}
    used = {ast.unparse(n) for n in ast.walk(node) if isinstance(n, ast.Name | ast.Attribute)}
    for name in sorted(names - ({node.id} if isinstance(node, ast.Name) else used)):
        yield "clamp", 1.6, call("max", node, ast.Name(name, ast.Load()))
        yield "clamp", 1.3 if computed else 1.6, call("min", node, ast.Name(name, ast.Load()))
        if computed and "int" in scope.names[name]:
            last = ast.BinOp(ast.Name(name, ast.Load()), ast.Sub(), ast.Constant(1))
            yield "clamp", 1.5, call("min", node, last)
    if isinstance(source.parents.get(node), ast.Tuple | ast.List | ast.Assign):
        entries = (n for n in scope.expressions if isinstance(n, ast.Subscript))
        for entry in {ast.unparse(n): n for n in entries if not isinstance(n.slice, ast.Slice)}.values():
            if entry is not node:
                yield "clamp", 1.4, call("max", node, entry)
                yield "clamp", 1.4, call("min", node, entry)


def _is_value(node: ast.expr, source: Source) -> bool:
    """Tell whether a name is read, or what is computed is given a name, kept or returned as it is."""
    if not stands_alone(node, source):
        return False
    if isinstance(node, ast.Name):
        return True
    parent = source.parents.get(node)
    index = isinstance(parent, ast.Subscript) and parent.slice is node
    kept = index or isinstance(parent, ast.Return | ast.Assign)
    return kept and isinstance(node, ast.BinOp | ast.Call)


LIMIT_OPERATORS = (clamps,)

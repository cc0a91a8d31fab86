"""Operators on counting round and back: from one instead of from nought, a loop that runs the other way."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ddax.evolution.operators.base import Source
from ddax.evolution.operators.expressions import Variant, number
from ddax.evolution.operators.kinds import NUMBERS, kinds_of, plain


def from_one(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Let a remainder run from 1 to the divisor instead of from 0 to one less, as hours and weekdays do."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mod):
        return
    scope = source.scope_of(node)
    kinds = plain(kinds_of(node.left, scope)) | plain(kinds_of(node.right, scope))
    if kinds and not kinds & NUMBERS:  # a format
        return
    yield "from_one", 1.0, ast.BoolOp(ast.Or(), [node, node.right])
    before = ast.BinOp(moved(node.left, -1), ast.Mod(), node.right)
    yield "from_one", 1.1, ast.BinOp(before, ast.Add(), ast.Constant(1))


def backwards(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Go through a range from its other end, the likelier where a loop reads what earlier rounds wrote."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "range":
        return
    if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
        return
    cost = 0.4 if _goes_on(source.parents.get(node), node) else 1.0
    if len(node.args) in (1, 2):
        first = node.args[0] if len(node.args) == 2 else ast.Constant(0)
        ends = [moved(node.args[-1], -1), moved(first, -1), number(-1)]
        yield "backwards", cost, ast.Call(node.func, ends, [])
    elif len(node.args) == 3 and ast.unparse(node.args[2]) == "-1":
        ends = [moved(node.args[1], 1), moved(node.args[0], 1)]
        yield "backwards", cost, ast.Call(node.func, ends[ast.unparse(ends[0]) == "0" :], [])


def _goes_on(loop: ast.AST | None, node: ast.expr) -> bool:
    """Say whether a loop over a range fills entries of what it reads other entries of."""
    if not isinstance(loop, ast.For) or loop.iter is not node:
        return False
    entries = [n for part in loop.body for n in ast.walk(part) if isinstance(n, ast.Subscript)]
    filled = {(ast.unparse(n.value), ast.unparse(n.slice)) for n in entries if isinstance(n.ctx, ast.Store)}
    read = [(ast.unparse(n.value), ast.unparse(n.slice)) for n in entries if isinstance(n.ctx, ast.Load)]
    return any(owner == one and index != other for owner, index in filled for one, other in read)


def moved(node: ast.expr, by: int) -> ast.expr:
    """Return a number with so much more, as one would write it: of `n + 1` one less is `n`."""
    if (value := _whole(node)) is not None:
        return number(value + by)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        value = _whole(node.right)
        if value is not None:
            total = by + (value if isinstance(node.op, ast.Add) else -value)
            return _plus(node.left, total)
    return _plus(node, by)


def _plus(node: ast.expr, by: int) -> ast.expr:
    sign = ast.Add() if by > 0 else ast.Sub()
    return ast.BinOp(node, sign, ast.Constant(abs(by))) if by else node


def _whole(node: ast.expr) -> int | None:
    """Return the whole number that an expression is; None for any other."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        below = _whole(node.operand)
        return None if below is None else -below
    value = node.value if isinstance(node, ast.Constant) else None
    return value if type(value) is int else None


ROUND_OPERATORS = (from_one, backwards)

"""Says which edits make a program say the same thing twice where two different ones stood."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ddax.evolution.operators.base import Source

TWICE = 0.6
"""Added to the cost of an edit that does: to compare a thing with itself is seldom meant."""
HEIGHT = 3
"""Expressions around the changed one that are compared with what stands beside them."""
_APART = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.BitXor)


def saying_twice(node: ast.expr, source: Source) -> Callable[[str], bool]:
    """Return a function that says of a text in a node's place whether it stands beside itself then."""
    start, end = source.span(node)
    frames: list[tuple[str, str, set[str]]] = []
    here: ast.AST = node
    for _ in range(HEIGHT):
        parent = source.parents.get(here)
        if not isinstance(here, ast.expr) or parent is None:
            break
        if beside := _beside(here, parent, source):
            first, last = source.span(here)
            frames.append((source.text[first:start].decode(), source.text[end:last].decode(), beside))
        here = parent
    return lambda text: any(f"{before}{text}{after}" in beside for before, after, beside in frames)


def _beside(node: ast.expr, parent: ast.AST, source: Source) -> set[str]:
    """Return the texts of what stands beside an expression and is meant to be something else than it."""
    parts: list[ast.expr] = []
    if isinstance(parent, ast.Tuple | ast.List):
        parts = parent.elts
    elif isinstance(parent, ast.BoolOp):
        parts = parent.values
    elif isinstance(parent, ast.Compare):
        parts = [parent.left, *parent.comparators]
    elif isinstance(parent, ast.Call):
        parts = parent.args
    elif isinstance(parent, ast.BinOp) and isinstance(parent.op, _APART):
        parts = [parent.left, parent.right]
    others = (part for part in parts if part is not node)
    return {source.segment(part) for part in others if any(isinstance(n, ast.Name) for n in ast.walk(part))}

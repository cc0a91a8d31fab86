"""Says which edits are unlikely: those that leave a variable unread, or say the same thing twice."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass

from ddax.evolution.operators.base import Edit, FunctionNode, Source

IDLE = 0.7
"""Added to the cost of an edit that takes the last use of a parameter or a variable away."""
TWICE = 0.6
"""Added to the cost of an edit that does: to compare a thing with itself is seldom meant."""
HEIGHT = 3
"""Expressions around the changed one that are compared with what stands beside them."""
_APART = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.BitXor)


@dataclass(frozen=True)
class Use:
    """A name of a function, with the offsets where it is first and last read, and given its values."""

    name: re.Pattern[str]
    read: tuple[int, int]
    given: tuple[int, int]

    def ended_by(self, edit: Edit) -> bool:
        """Say whether an edit takes all its uses away and leaves some place that gives it a value."""
        spans = [edit.start <= first and last < edit.end for first, last in (self.read, self.given)]
        return spans == [True, False] and not self.name.search(edit.text)


def leaving_idle(source: Source) -> Callable[[Edit], bool]:
    """Return a function that says of an edit whether a name is read nowhere after it."""
    functions = [(*source.span(f), _uses(f, source)) for f in source.functions]

    def leaves(edit: Edit) -> bool:
        around = (uses for start, stop, uses in functions if start <= edit.start and edit.end <= stop + 1)
        return any(use.ended_by(edit) for uses in around for use in uses)

    return leaves


def _uses(function: FunctionNode, source: Source) -> list[Use]:
    """Return the names that a function gives a value and reads, but for those of its object and class."""
    read: dict[str, list[int]] = {}
    given: dict[str, list[int]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Name):
            there = read if isinstance(node.ctx, ast.Load) else given
            there.setdefault(node.id, []).append(source.span(node)[0])
        elif isinstance(node, ast.arg):
            given.setdefault(node.arg, []).append(source.offset(node.lineno, node.col_offset))
    names = sorted(n for n in given.keys() & read.keys() - {"self", "cls"} if not n.startswith("_"))
    spans = ((n, (min(read[n]), max(read[n])), (min(given[n]), max(given[n]))) for n in names)
    return [Use(re.compile(rf"\b{re.escape(n)}\b"), *both) for n, *both in spans]


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

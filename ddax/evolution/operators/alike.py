"""Operators that treat one place as the file treats others: the same operation, both bounds alike.

What a program lacks at one place it often has at another ("The Plastic Surgery Hypothesis", Barr and
others, 2014).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ddax.evolution.operators.base import Scope, Source, stands_alone
from ddax.evolution.operators.expressions import NEAR, Variant
from ddax.evolution.operators.kinds import NUMBERS, kinds_of, plain

_COUNTS = NUMBERS - {"bool"}
_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_OPERATIONS = (ast.Sub, ast.Mod, ast.FloorDiv, ast.Mult, ast.Div, ast.Add)
OPERATIONS = 8
"""Operations of the file that are tried on one expression."""
Operation = tuple[float, ast.operator, ast.expr]


def repeated(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Do with a number what the file does with another one: take the same away, keep it in the same range."""
    if not isinstance(node, ast.Name | ast.BinOp | ast.Call | ast.Subscript | ast.Attribute):
        return
    if not stands_alone(node, source):
        return
    scope = source.scope_of(node)
    kinds = plain(kinds_of(node, scope))
    taken = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.FloorDiv)  # mostly a number
    if not (kinds & _COUNTS or (taken and not kinds)):
        return
    here = {part for part in (node, source.parents.get(node)) if isinstance(part, ast.BinOp)}
    done = {(type(part.op), ast.dump(part.right)) for part in here}
    for cost, operator, operand in _operations(scope, source):
        if (type(operator), ast.dump(operand)) not in done and ast.dump(operand) != ast.dump(node):
            yield "repeat_operation", cost, ast.BinOp(node, operator, operand)


def _operations(scope: Scope, source: Source) -> list[Operation]:
    """List what the file does with numbers and what its module's numbers may do, by names of a scope."""
    cached: dict[ast.AST, list[Operation]] = source.__dict__.setdefault("_operations", {})
    if scope.node not in cached:
        found: dict[str, Operation] = {}
        own = {n for n in ast.walk(scope.node) if isinstance(n, ast.BinOp)}
        for node in (n for n in ast.walk(source.tree) if isinstance(n, ast.BinOp)):
            if isinstance(node.op, _OPERATIONS) and _is_number(node.right, scope):
                cost = 1.2 if node in own else 1.4
                key = ast.dump(ast.BinOp(ast.Constant(None), node.op, node.right))
                found[key] = min(found.get(key, (cost, node.op, node.right)), (cost, node.op, node.right),
                                 key=lambda one: one[0])  # fmt: skip
        ordered = sorted(found.values(), key=lambda one: one[0])
        cached[scope.node] = [*ordered[:OPERATIONS], *_of_module(source)]
    return cached[scope.node]


def _is_number(node: ast.expr, scope: Scope) -> bool:
    """Tell whether an operand is a number that a scope knows; ±1 is tried of every number anyway."""
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float) and node.value not in (0, 1)
    known = isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) in scope.names
    return known and bool(plain(kinds_of(node, scope)) & _COUNTS)


def _of_module(source: Source) -> Iterator[Operation]:
    """Yield operations with the numbers that have a name in the module."""
    for node in source.tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(target, ast.Name) and isinstance(node, ast.Assign) and _is_sum(node.value):
            for operator in (ast.Mod(), ast.Sub(), ast.Mult(), ast.FloorDiv(), ast.Add()):
                yield 1.7, operator, ast.Name(target.id, ast.Load())


def _is_sum(node: ast.expr) -> bool:
    """Tell whether an expression is made of numbers alone."""
    if isinstance(node, ast.BinOp):
        return _is_sum(node.left) and _is_sum(node.right)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def bounds(node: ast.expr, _source: Source) -> Iterator[Variant]:
    """Let all the bounds of a condition in, or leave all of them out."""
    if isinstance(node, ast.Compare) and len(node.ops) > 1 and all(isinstance(o, _ORDER) for o in node.ops):
        yield "bounds", 0.9, _other(node)
    if not isinstance(node, ast.BoolOp):
        return
    parts = [isinstance(v, ast.Compare) and all(isinstance(o, _ORDER) for o in v.ops) for v in node.values]
    if sum(parts) > 1:
        values = [_other(v) if isinstance(v, ast.Compare) and fits else v
                  for v, fits in zip(node.values, parts, strict=True)]  # fmt: skip
        yield "bounds", 0.9, ast.BoolOp(node.op, values)


def _other(node: ast.Compare) -> ast.Compare:
    return ast.Compare(node.left, [NEAR[type(op)][0]() for op in node.ops], node.comparators)


def aligned(node: ast.expr, _source: Source) -> Iterator[Variant]:
    """Name the parts of one side of a comparison in the order of the other side."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return
    left, right = node.left, node.comparators[0]
    if not isinstance(left, ast.Tuple) or not isinstance(right, ast.Tuple):
        return
    here, there = [_part(e) for e in left.elts], [_part(e) for e in right.elts]
    if here == there or sorted(here) != sorted(there) or "" in here or len(set(here)) < len(here):
        return
    moved = ast.Tuple([right.elts[there.index(part)] for part in here], ast.Load())
    yield "align", 0.3, ast.Compare(left, node.ops, [moved])
    moved = ast.Tuple([left.elts[here.index(part)] for part in there], ast.Load())
    yield "align", 0.4, ast.Compare(moved, node.ops, [right])


def _part(node: ast.expr) -> str:
    """Return the attribute, or the key, that an expression reads; "" for the rest."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return ast.unparse(node.slice) if isinstance(node, ast.Subscript) else ""


ALIKE_OPERATORS = (repeated, bounds, aligned)

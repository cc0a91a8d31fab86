"""Operators on expressions: swaps, drops, constants, names, slices, off-by-one.

Each yields (name, cost, new expression) for one node; new nodes may share children with the old tree.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ddax.evolution.operators.base import Scope, Source, dotted, stands_alone
from ddax.evolution.operators.kinds import NUMBERS, SEQUENCES, SIZED, compatible, elements, kinds_of, plain
from ddax.evolution.tables import families, swaps

Variant = tuple[str, float, ast.expr]

NEAR, _ARITHMETIC = swaps("comparisons"), swaps("arithmetic")


def number(value: float) -> ast.expr:
    """Make a number; a negative one as Python parses it."""
    return ast.UnaryOp(ast.USub(), ast.Constant(-value)) if value < 0 else ast.Constant(value)


def call(name: str, *args: ast.expr) -> ast.Call:
    """Make a call of a plain name."""
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


def comparisons(node: ast.expr, _source: Source) -> Iterator[Variant]:
    """Swap comparison operators and their operands."""
    if not isinstance(node, ast.Compare):
        return
    for i, op in enumerate(node.ops):
        for rank, new in enumerate(NEAR[type(op)]):
            ops = [*node.ops[:i], new(), *node.ops[i + 1 :]]
            cost = 0.25 if rank == 0 else 0.5 + 0.15 * rank
            yield "compare", cost, ast.Compare(node.left, ops, node.comparators)
    if len(node.ops) == 1:
        yield "compare_swap", 1.2, ast.Compare(node.comparators[0], node.ops, [node.left])
    else:
        yield "compare_drop", 1.0, ast.Compare(node.left, node.ops[:-1], node.comparators[:-1])
        yield "compare_drop", 1.0, ast.Compare(node.comparators[0], node.ops[1:], node.comparators[1:])


def arithmetic(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Swap and drop operands and operators; move them between nested operations."""
    if isinstance(node, ast.BinOp):
        for rank, new in enumerate(_ARITHMETIC.get(type(node.op), ())):
            cost = 0.35 if rank == 0 else 0.6 + 0.15 * rank
            yield "arithmetic", cost, ast.BinOp(node.left, new(), node.right)
        yield "operand_drop", 0.7, node.left
        yield "operand_drop", 0.75, node.right
        kinds = plain(kinds_of(node, source.scope_of(node)))
        if not isinstance(node.op, ast.Add | ast.Mult) or kinds & SEQUENCES or not kinds:
            yield "operand_swap", 0.7, ast.BinOp(node.right, node.op, node.left)
        yield from _rotations(node)
    elif isinstance(node, ast.UnaryOp):
        yield "unary_drop", 0.4, node.operand
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "boolean", 0.3, ast.BoolOp(other, node.values)
        for i in range(len(node.values)):
            rest = [*node.values[:i], *node.values[i + 1 :]]
            yield "condition_drop", 0.6, rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
            negated = [*node.values[:i], ast.UnaryOp(ast.Not(), node.values[i]), *node.values[i + 1 :]]
            yield "negate_part", 0.9, ast.BoolOp(node.op, negated)


def _rotations(node: ast.BinOp) -> Iterator[Variant]:
    if isinstance(node.left, ast.BinOp):
        inner = node.left
        yield "regroup", 0.5, ast.BinOp(inner.left, inner.op, ast.BinOp(inner.right, node.op, node.right))
    if isinstance(node.right, ast.BinOp):
        inner = node.right
        yield "regroup", 0.5, ast.BinOp(ast.BinOp(node.left, node.op, inner.left), inner.op, inner.right)


def constants(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Change a constant: neighbours, common values, other constants of the file, names of its type."""
    if not isinstance(node, ast.Constant) or isinstance(source.parents.get(node), ast.JoinedStr):
        return
    value = node.value
    if isinstance(value, bool):
        yield "constant", 0.3, ast.Constant(not value)
        yield "constant", 1.2, ast.Constant(None)
    elif isinstance(value, (int, float)):
        rows = families("numbers")
        near = [(cost, value + step) for cost, step in rows["plus"]]
        near += [(cost, value * factor) for cost, factor in rows["times"]]
        for cost, new in (*near, *rows["fixed"]):
            if (new != value or type(new) is not type(value)) and not _idle(node, new, source):
                yield "constant", cost, number(new)
        if isinstance(value, int):
            yield "constant", 1.6, ast.Constant(float(value))
    elif isinstance(value, str):
        changed = (
            (0.9, ""), (1.0, " "), (1.2, value.upper()), (1.2, value.lower()), (1.2, value[::-1]),
            (1.3, value.strip()), (1.4, value[1:]), (1.4, value[:-1]), (1.5, "0"), (1.5, "1"),
        )  # fmt: skip
        for cost, text in changed:
            if text != value:
                yield "constant", cost, ast.Constant(text)
    elif value is None:
        for cost, settled in ((0.8, False), (0.8, True), (0.9, 0), (1.0, ""), (1.2, 1)):
            yield "constant", cost, ast.Constant(settled)
        yield "constant", 1.2, number(-1)
        yield "constant", 0.9, ast.List([], ast.Load())
    kind = kinds_of(node, source.scope_of(node))
    for other in source.constants:
        if type(other.value) is type(value) and other.value != value:
            yield "constant_other", 0.9, other
    for name, kinds in source.scope_of(node).names.items():
        if kinds and compatible(kinds, kind):
            yield "constant_name", 1.1, ast.Name(name, ast.Load())
        if isinstance(value, int) and plain(kinds) & SIZED:
            yield "constant_len", 1.3, call("len", ast.Name(name, ast.Load()))


def _idle(node: ast.Constant, value: float, source: Source) -> bool:
    """Tell whether a number would change nothing where it stands: to drop the operand says the same."""
    parent = source.parents.get(node)
    if not isinstance(parent, ast.BinOp) or parent.right is not node:
        return False
    nothing = {ast.Add: 0, ast.Sub: 0, ast.Mult: 1, ast.FloorDiv: 1, ast.Div: 1, ast.Pow: 1}
    return nothing.get(type(parent.op)) == value


def names(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Put another name of a fitting type, an attribute, or a part of another name in a name's place."""
    here = node.id if isinstance(node, ast.Name) else dotted(node)
    if not here or not isinstance(getattr(node, "ctx", None), ast.Load):
        return
    parent = source.parents.get(node)
    scope = source.scope_of(node)
    if isinstance(parent, ast.Call) and parent.func is node:
        return
    kind = kinds_of(node, scope)
    for other, kinds in scope.names.items():
        if other == here:
            continue
        if compatible(kind, kinds):
            yield "name", 0.5 if plain(kind) & plain(kinds) else 1.2, ast.Name(other, ast.Load())
        elif compatible(kind, elements(kinds)) and elements(kinds):
            for index in (0, -1):
                yield "element", 1.7, ast.Subscript(ast.Name(other, ast.Load()), number(index), ast.Load())
    if kind & NUMBERS:
        for value in (0, 1):
            yield "name_constant", 1.2, ast.Constant(value)
        for constant in source.constants:
            if isinstance(constant.value, (int, float)) and constant.value not in (0, 1):
                yield "name_constant", 1.5, constant
    for owner, kinds in scope.names.items():
        for kind_name in kinds:
            for attribute in source.seen.attributes.get(kind_name, ()):
                yield "attribute_of", 1.6, ast.Attribute(ast.Name(owner, ast.Load()), attribute, ast.Load())


def offsets(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Shift an integer expression by one, or combine it with a name or a small constant."""
    if not isinstance(node, ast.Name | ast.BinOp | ast.Call | ast.Subscript | ast.Attribute):
        return
    if not stands_alone(node, source):
        return
    scope = source.scope_of(node)
    kind = plain(kinds_of(node, scope))
    if kind and not kind & (NUMBERS - {"bool"}):
        return
    known = 0.0 if kind else 0.8
    yield "off_by_one", 0.7 + known, ast.BinOp(node, ast.Add(), ast.Constant(1))
    yield "off_by_one", 0.7 + known, ast.BinOp(node, ast.Sub(), ast.Constant(1))
    yield "minus", 1.4 + known, ast.UnaryOp(ast.USub(), node)
    if known:
        return
    for sign, value in families("combined"):
        yield "combine_constant", 1.6, ast.BinOp(node, getattr(ast, sign)(), ast.Constant(value))
    for name, kinds in scope.names.items():
        if plain(kinds) & NUMBERS:
            for symbol in (ast.Add, ast.Sub, ast.Mult, ast.Mod, ast.FloorDiv):
                yield "combine_name", 1.8, ast.BinOp(node, symbol(), ast.Name(name, ast.Load()))


def slices(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Change, drop and add slices and subscripts."""
    if isinstance(node, ast.Slice):
        if node.lower is not None:
            yield "slice", 0.8, ast.Slice(None, node.upper, node.step)
        if node.upper is not None:
            yield "slice", 0.8, ast.Slice(node.lower, None, node.step)
            if node.lower is None:
                yield "slice", 0.9, ast.Slice(node.upper, None, node.step)
        elif node.lower is not None:
            yield "slice", 0.9, ast.Slice(None, node.lower, node.step)
        yield "slice", 1.1, ast.Slice(node.lower, node.upper, None if node.step else number(-1))
        if node.step is None:
            yield "slice", 1.2, ast.Slice(node.lower, node.upper, ast.Constant(2))
            if node.lower is None:
                yield "slice", 1.1, ast.Slice(ast.Constant(1), node.upper, None)
            if node.upper is None:
                yield "slice", 1.1, ast.Slice(node.lower, number(-1), None)
        return
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield "subscript_drop", 0.9, node.value
        if isinstance(node.slice, ast.Slice):
            return
        yield "subscript_slice", 1.4, ast.Subscript(node.value, ast.Slice(node.slice, None), ast.Load())
        yield "subscript_slice", 1.4, ast.Subscript(node.value, ast.Slice(None, node.slice), ast.Load())
    if not isinstance(node, ast.Name | ast.Call | ast.Attribute) or not stands_alone(node, source):
        return
    scope = source.scope_of(node)
    if plain(kinds_of(node, scope)) & (SEQUENCES - {"range"}):
        bounds: list[tuple[ast.expr | None, ast.expr | None, ast.expr | None]] = [
            (None, None, number(-1)),
            (ast.Constant(1), None, None),
            (None, number(-1), None),
        ]
        for name, kinds in scope.names.items():
            if "int" in kinds:
                at = ast.Name(name, ast.Load())
                after = ast.BinOp(at, ast.Add(), ast.Constant(1))
                bounds += [(at, None, None), (None, at, None), (after, None, None), (None, after, None)]
        for rank, (lower, upper, step) in enumerate(bounds):
            piece = ast.Slice(lower, upper, step)
            yield "slice_add", 1.1 if rank < 3 else 1.3, ast.Subscript(node, piece, ast.Load())
        for index in (0, -1):
            yield "subscript_add", 1.4, ast.Subscript(node, number(index), ast.Load())


def reused(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Put another expression of the same function in the place of one of a fitting type."""
    if not isinstance(node, (ast.Name, ast.Call, ast.BinOp, ast.Subscript, ast.Constant, ast.Attribute)):
        return
    if not stands_alone(node, source):
        return
    parent, scope = source.parents.get(node), source.scope_of(node)
    kind = kinds_of(node, scope)
    here = {ast.dump(node)}
    if isinstance(node, ast.Subscript):  # its index says less, though it may stand elsewhere as well
        here.add(ast.dump(node.slice))
    changed = _load(parent.target) if isinstance(parent, ast.AugAssign) else None
    if changed is not None:
        here.add(ast.dump(changed))  # what is added to itself is doubled
    for other, text, kinds in _reusable(scope, source):
        if text not in here and compatible(kind, kinds) and not _inside(node, other, source):
            near = _of_one_object(changed, other)
            yield "reuse", 0.9 if near else 1.5 if kind else 2.2, other


def _load(target: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(target), mode="eval").body


def _of_one_object(one: ast.expr | None, other: ast.expr) -> bool:
    """Say whether two expressions are elements of the same object."""
    if not isinstance(one, ast.Subscript) or not isinstance(other, ast.Subscript):
        return False
    return ast.dump(one.value) == ast.dump(other.value)


def _reusable(scope: Scope, source: Source) -> list[tuple[ast.expr, str, frozenset[str]]]:
    """Return the expressions of a scope with what is compared of each."""
    cached: dict[ast.AST, list[tuple[ast.expr, str, frozenset[str]]]]
    cached = source.__dict__.setdefault("_reused", {})
    if scope.node not in cached:
        cached[scope.node] = [(e, ast.dump(e), kinds_of(e, scope)) for e in scope.expressions]
    return cached[scope.node]


def _inside(node: ast.AST, other: ast.AST, source: Source) -> bool:
    """Say whether `other` stands within `node`: dropping the rest is another operator's work."""
    here: ast.AST | None = other
    while here is not None:
        if here is node:
            return isinstance(node, ast.BinOp)
        here = source.parents.get(here)
    return False


EXPRESSION_OPERATORS = (comparisons, arithmetic, constants, names, offsets, slices, reused)

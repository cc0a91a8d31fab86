"""Operators on what is easily mixed up: nothing and no value, units of time, a key and what it holds."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from ddax.evolution.operators.base import Edit, Source, stands_alone
from ddax.evolution.operators.expressions import Variant
from ddax.evolution.operators.groups import splice
from ddax.evolution.operators.kinds import kinds_of, plain

_WORDS: tuple[tuple[str, ...], ...] = (
    ("weeks", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds"),
    ("year", "month", "day", "hour", "minute", "second", "microsecond"),
)
"""Names of arguments that are taken for one another."""
_ROUNDINGS = tuple(
    f"ROUND_{how}" for how in ("HALF_UP", "HALF_EVEN", "DOWN", "UP", "FLOOR", "CEILING", "HALF_DOWN")
)


def no_values(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Ask for None where what is empty or nought was asked for as well, and the other way round."""
    none = ast.Constant(None)
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and len(node.values) == 2:
        given, default = node.values
        if not _decides(node, source) and isinstance(given, ast.Name | ast.Attribute):
            there = ast.Compare(given, [ast.IsNot()], [none])
            yield "no_value", 0.8 if _may_lack(given, source) else 1.2, ast.IfExp(there, given, default)
    if not _decides(node, source):
        return
    negated = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    asked = node.operand if isinstance(node, ast.UnaryOp) else node
    if isinstance(asked, ast.Name | ast.Attribute):
        cost = 0.4 if _may_lack(asked, source) else 1.4
        yield "no_value", cost, ast.Compare(asked, [ast.Is() if negated else ast.IsNot()], [none])
    if isinstance(node, ast.Compare) and ast.unparse(node.comparators[-1]) == "None" and len(node.ops) == 1:
        missing = isinstance(node.ops[0], ast.Is | ast.Eq)
        yield "no_value", 0.9, ast.UnaryOp(ast.Not(), node.left) if missing else node.left


def _may_lack(node: ast.expr, source: Source) -> bool:
    """Say whether tests met None and something else in a variable."""
    kinds = plain(kinds_of(node, source.scope_of(node)))
    return "NoneType" in kinds and len(kinds) > 1


def _decides(node: ast.expr, source: Source) -> bool:
    """Say whether an expression is asked for its truth alone."""
    parent = source.parents.get(node)
    if isinstance(parent, ast.If | ast.While | ast.IfExp):
        return parent.test is node
    if isinstance(parent, ast.comprehension):
        return node in parent.ifs
    inner = isinstance(parent, ast.BoolOp) or (
        isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)
    )
    return inner and isinstance(parent, ast.expr) and _decides(parent, source)


def keywords(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Give an argument under another name: of a unit of time, or of what the function takes."""
    if not isinstance(node, ast.Call):
        return
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    given = {k.arg for k in node.keywords}
    for i, keyword in enumerate(node.keywords):
        related = [(0.6, word) for family in _WORDS if keyword.arg in family for word in family]
        related += [(0.9, word) for word in source.seen.parameters.get(name, ())[len(node.args) :]]
        for cost, word in related:
            if word not in given and keyword.arg is not None:
                others = [*node.keywords[:i], ast.keyword(word, keyword.value), *node.keywords[i + 1 :]]
                yield "keyword_name", cost, ast.Call(node.func, node.args, others)
    for i, keyword in enumerate(node.keywords[1:], 1):
        before = node.keywords[i - 1]
        if keyword.arg is not None and before.arg is not None:
            pair = [ast.keyword(before.arg, keyword.value), ast.keyword(keyword.arg, before.value)]
            swapped = [*node.keywords[: i - 1], *pair, *node.keywords[i + 1 :]]
            yield "keyword_swap", 0.8, ast.Call(node.func, node.args, swapped)


def kept(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Compare what is kept under two keys, not the keys, and choose among the keys by it."""
    scope = source.scope_of(node)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = node.left, node.comparators[0]
        if isinstance(left, ast.Name) and isinstance(right, ast.Name) and left.id != right.id:
            entries = (n for n in ast.walk(scope.node) if isinstance(n, ast.Subscript))
            owners = (ast.unparse(n.value) for n in entries if isinstance(n.value, ast.Name | ast.Attribute))
            held = [name for name, kinds in scope.names.items() if "dict" in plain(kinds)]
            for owner in dict.fromkeys([*owners, *held]):
                if owner not in (left.id, right.id):
                    one, other = (_entry(owner, key) for key in (left, right))
                    yield "kept", 0.9 if owner in held else 1.4, ast.Compare(one, node.ops, [other])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
        chosen, keys = node.func.id in ("max", "min", "sorted"), node.args[0]
        if chosen and not node.keywords and "dict" in plain(kinds_of(keys, scope)):
            key = ast.keyword("key", ast.Attribute(keys, "get", ast.Load()))
            yield "kept", 0.7, ast.Call(node.func, node.args, [key])


def _entry(owner: str, key: ast.expr) -> ast.expr:
    return ast.Subscript(ast.parse(owner, mode="eval").body, key, ast.Load())


def roundings(source: Source) -> Iterator[Edit]:
    """Round decimal numbers in another way, and import it where it is imported."""
    imported = [
        alias
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ImportFrom) and node.module == "decimal"
        for alias in node.names
        if alias.asname is None and alias.name in _ROUNDINGS
    ]
    known = {alias.name for alias in imported}
    for alias in imported:
        start = source.offset(alias.lineno, alias.col_offset)
        uses = [n for n in ast.walk(source.tree) if isinstance(n, ast.Name) and n.id == alias.name]
        for rank, other in enumerate(name for name in _ROUNDINGS if name not in known):
            changes = [(*source.span(use), other) for use in uses]
            changes.append((start, start + len(alias.name), other))
            if uses:
                edit = splice(source, changes, "rounding", 0.6 + 0.1 * rank)
                yield replace(edit, line=uses[0].lineno)  # where it is suspected


def unrounded(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Round decimal numbers by the module's name of another way."""
    if isinstance(node, ast.Attribute) and node.attr in _ROUNDINGS and stands_alone(node, source):
        for rank, other in enumerate(name for name in _ROUNDINGS if name != node.attr):
            yield "rounding", 0.6 + 0.1 * rank, ast.Attribute(node.value, other, ast.Load())


MIXUP_OPERATORS = (no_values, keywords, kept, unrounded)
MIXUP_WHOLES = (roundings,)

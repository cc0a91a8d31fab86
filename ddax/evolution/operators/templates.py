"""Reads edits of expressions from a table of patterns, `templates.json`, and makes them where they fit."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from ddax.evolution.operators.base import Scope, Source, stands_alone
from ddax.evolution.operators.conditions import is_condition
from ddax.evolution.operators.expressions import Variant
from ddax.evolution.operators.kinds import kinds_of, plain
from ddax.evolution.tables import table

Bound = dict[str, ast.expr]
TARGET, OWNER, KEY = "_target", "_owner", "_key"
"""Stand for what a value is given to, and for the parts of an entry."""


@dataclass(frozen=True)
class Row:
    """A pattern with what may stand in its place."""

    name: str
    find: ast.expr
    put: tuple[ast.expr, ...]
    cost: float
    at: frozenset[str]
    kinds: Mapping[str, str]
    free: tuple[str, ...]


@cache
def _table() -> tuple[tuple[Row, ...], dict[str, frozenset[str]]]:
    raw = table("operators/templates")
    rows = tuple(_row(one) for one in raw["rows"])
    return rows, {name: frozenset(kinds) for name, kinds in raw["kinds"].items()}


def _row(one: Mapping[str, Any]) -> Row:
    find, put = _parsed(one["find"]), tuple(map(_parsed, one["put"]))
    free = tuple(sorted({n for p in put for n in _variables(p)} - {TARGET, OWNER, KEY, *_variables(find)}))
    at = frozenset(one.get("at", "value").split())
    return Row(one["name"], find, put, one["cost"], at, one.get("kinds", {}), free)


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _variables(root: ast.AST) -> Iterator[str]:
    yield from (n.id for n in ast.walk(root) if isinstance(n, ast.Name) and n.id.startswith("_"))


def templates(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Yield what the rows of the table make of an expression."""
    rows, groups = _table()
    places: set[str] | None = None
    kept = _kept(node, source)
    for row in rows:
        bound: Bound = dict(kept)
        if not _matches(row.find, node, bound):
            continue
        places = _places(node, source) if places is None else places
        scope = source.scope_of(node)
        if row.at <= places and all(
            _fits(row.kinds.get(n, "any?"), e, scope, groups) for n, e in bound.items()
        ):
            choices = [_names(row.kinds[name], node, scope, groups) for name in row.free]
            for picked in product(*choices):
                whole = bound | {n: ast.Name(p, ast.Load()) for n, p in zip(row.free, picked, strict=True)}
                yield from ((row.name, row.cost, _filled(put, whole)) for put in row.put)


def _places(node: ast.expr, source: Source) -> set[str]:
    """Return what an expression is for, where it is read for its value."""
    if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return set()
    named = isinstance(node, ast.Name | ast.Attribute)
    if not stands_alone(node, source):
        return {"read", "named"} if named else {"read"}
    parent = source.parents.get(node)
    found = {"read", "value", "named", "name"} if named else {"read", "value"}
    found |= {"condition"} if is_condition(node, source) else set()
    index = isinstance(parent, ast.Subscript) and parent.slice is node
    if isinstance(node, ast.BinOp | ast.Call) and (index or isinstance(parent, ast.Return | ast.Assign)):
        found.add("computed")
    found |= {"result"} if isinstance(parent, ast.Return) else set()
    found |= {{TARGET: "kept", OWNER: "entry"}[name] for name in _kept(node, source) if name != KEY}
    found |= {"each"} if isinstance(parent, ast.comprehension) and parent.iter is node else set()
    found |= {"argument"} if isinstance(parent, ast.Call) and node in parent.args else set()
    return found | ({"loop"} if isinstance(parent, ast.For) and parent.iter is node else set())


def _kept(node: ast.expr, source: Source) -> Bound:
    """Return what an assignment gives the value of an expression to, as what stands for TARGET."""
    parent = source.parents.get(node)
    if not isinstance(parent, ast.Assign) or parent.value is not node or len(parent.targets) != 1:
        return {}
    target = parent.targets[0]
    if isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice):
        return {TARGET: _parsed(ast.unparse(target)), OWNER: target.value, KEY: target.slice}
    plain_one = isinstance(target, ast.Name | ast.Attribute | ast.Subscript)
    return {TARGET: _parsed(ast.unparse(target))} if plain_one else {}


def _matches(pattern: Any, node: Any, bound: Bound) -> bool:
    """Say whether an expression is as a pattern says, and what stands for each of its variables."""
    if isinstance(pattern, ast.Name) and pattern.id.startswith("_") and isinstance(node, ast.expr):
        known = bound.setdefault(pattern.id, node)
        return known is node or ast.dump(known) == ast.dump(node)
    if isinstance(pattern, list):
        same = isinstance(node, list) and len(pattern) == len(node)
        return same and all(_matches(p, n, bound) for p, n in zip(pattern, node, strict=True))
    if not isinstance(pattern, ast.AST):
        return type(pattern) is type(node) and bool(pattern == node)
    inner = (f for f in pattern._fields if f not in ("ctx", "kind"))
    return type(pattern) is type(node) and all(
        _matches(getattr(pattern, f, None), getattr(node, f, None), bound) for f in inner
    )


def _fits(said: str, node: ast.expr, scope: Scope, groups: Mapping[str, frozenset[str]]) -> bool:
    """Say whether an expression is of a type that a row asks for, such as `number` or `text?`."""
    name = said.split()[0]
    wanted, known = groups[name.rstrip("?")], plain(kinds_of(node, scope))
    return bool(known & wanted) or (not wanted) or (not known and name.endswith("?"))


def _names(said: str, node: ast.expr, scope: Scope, groups: Mapping[str, frozenset[str]]) -> list[str]:
    """Return the variables of a function that may stand for one of a pattern."""
    name, _, where = said.partition(" ")
    inside = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    wanted = groups[name.rstrip("?")]
    return [
        one
        for one, kinds in sorted(scope.names.items())
        if (one in inside) == (where == "inside")
        if plain(kinds) & wanted or (name.endswith("?") and (not kinds or not wanted))
    ]


def _filled(put: ast.expr, bound: Bound) -> ast.expr:
    """Return a pattern with what stands for its variables."""

    class Filler(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return bound.get(node.id, node)

    made: ast.expr = Filler().visit(deepcopy(put))
    return made

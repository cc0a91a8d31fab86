"""Operators that begin a variable anew where a loop goes on with what the last round left in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ddax.evolution.operators.base import Edit, FunctionNode, dotted, own_nodes
from ddax.evolution.operators.places import Place

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_FILLING = frozenset({"append", "extend", "add", "update", "insert", "appendleft"})
_EMPTY = (ast.List, ast.Tuple, ast.Dict, ast.Set)
_MADE = frozenset({"list", "dict", "set"})


def resets(place: Place) -> Iterator[Edit]:
    """Give what a loop fills its first value again: once it is handed on, and in each outer round."""
    loop = place.source.parents.get(place.node)
    while loop is not None and not isinstance(loop, (*_LOOPS, FunctionNode, ast.ClassDef)):
        loop = place.source.parents.get(loop)
    if not isinstance(loop, _LOOPS):
        return
    function = place.source.scope_of(place.node).node
    first = _beginnings(function, loop)
    filled = _filled(list(own_nodes(loop))) & first.keys()
    for name in sorted(_handed_on(place.node) & filled):
        yield place.after(f"{name} = {first[name]}", "reset", 0.7)
    if place.node is loop.body[0]:
        inner = [n for n in own_nodes(loop) if isinstance(n, _LOOPS)]
        for name in sorted(_filled([n for part in inner for n in own_nodes(part)]) & first.keys()):
            yield place.before(f"{name} = {first[name]}", "reset", 0.7)


def interrupted(place: Place) -> Iterator[Edit]:
    """Begin a count anew where what a loop counts is interrupted: an `if` that adds to it has no `else`."""
    node, source = place.node, place.source
    if not isinstance(node, ast.If) or node.orelse or not isinstance(source.parents.get(node), _LOOPS):
        return
    if len(node.body) != 1 or place.raw.lstrip().startswith("elif"):
        return
    added = node.body[0]
    if not isinstance(added, ast.AugAssign) or not isinstance(added.op, ast.Add):
        return
    if isinstance(added.target, ast.Name) and isinstance(added.value, ast.Constant):
        for start in (0, 1):
            yield place.after(f"else:\n    {added.target.id} = {start}", "reset", 0.8)


def _beginnings(function: ast.AST, loop: ast.stmt) -> dict[str, str]:
    """Return the constants and empty containers that names are given before a loop, as they are written."""
    found: dict[str, str] = {}
    for node in own_nodes(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and node.lineno < loop.lineno:
            for target, value in _pairs(node.targets[0], node.value):
                if isinstance(target, ast.Name) and _empty(value):
                    found[target.id] = ast.unparse(value)
    return found


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return list(zip(target.elts, value.elts, strict=False))
    return [(target, value)]


def _empty(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return ast.unparse(value.func) in _MADE and not value.args and not value.keywords
    return isinstance(value, ast.Constant) or (
        isinstance(value, _EMPTY) and not any(isinstance(n, ast.expr) for n in ast.iter_child_nodes(value))
    )


def _filled(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the names that statements add to."""
    found = {n.target.id for n in nodes if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)}
    calls = (n.func for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute))
    found |= {f.value.id for f in calls if f.attr in _FILLING and isinstance(f.value, ast.Name)}
    entries = (n.value for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store))
    return found | {value.id for value in entries if isinstance(value, ast.Name)}


def _handed_on(node: ast.stmt) -> set[str]:
    """Return the names whose values a small statement puts into a collection, an entry or a yield."""
    kept = isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Name)
    told = isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield | ast.Call)
    value = getattr(node, "value", None)
    if value is None or not (kept or told or isinstance(node, ast.AugAssign)):
        return set()
    own = {dotted(value.func).partition(".")[0]} if isinstance(value, ast.Call) else set[str]()
    return {n.id for n in ast.walk(value) if isinstance(n, ast.Name)} - own


RESETS = (resets, interrupted)

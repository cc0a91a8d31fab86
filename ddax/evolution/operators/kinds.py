"""Coarse types of expressions, so that a search over a dynamic language is a typed one."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from ddax.evolution.operators.base import Scope, dotted
from ddax.evolution.tables import families

NUMBERS = frozenset({"int", "float", "bool", "complex"})
SEQUENCES = frozenset({"list", "tuple", "str", "range", "bytes"})
SIZED = SEQUENCES | {"dict", "set", "frozenset"}
ANY: frozenset[str] = frozenset()


def _by_name(names: Mapping[str, str]) -> dict[str, str]:
    return {name: kind for kind, inner in names.items() for name in inner.split()}


_RETURNS, _METHODS = _by_name(families("returns")), _by_name(families("returned"))


def plain(kinds: frozenset[str]) -> frozenset[str]:
    """Drop the element types: ``list[int]`` is ``list``."""
    return frozenset(k.split("[")[0] for k in kinds)


def elements(kinds: frozenset[str]) -> frozenset[str]:
    """Return the types of the elements of containers."""
    found = {k.split("[", 1)[1][:-1] for k in kinds if "[" in k}
    if "str" in kinds:
        found.add("str")
    if "range" in kinds:
        found.add("int")
    return frozenset(found)


def kinds_of(node: ast.AST, scope: Scope) -> frozenset[str]:
    """Return the possible types of an expression; empty where nothing is known."""
    if isinstance(node, ast.Name):
        return scope.names.get(node.id, ANY)
    if isinstance(node, ast.Attribute):
        return scope.names.get(dotted(node), ANY)
    if isinstance(node, ast.Constant):
        return frozenset({type(node.value).__name__})
    if isinstance(node, (ast.Compare, ast.BoolOp)) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    ):
        return frozenset({"bool"})
    if isinstance(node, ast.UnaryOp):
        return kinds_of(node.operand, scope)
    if isinstance(node, ast.BinOp):
        return _binary(node, scope)
    if isinstance(node, ast.Call):
        return _call(node, scope)
    if isinstance(node, ast.Subscript):
        whole = kinds_of(node.value, scope)
        return whole if isinstance(node.slice, ast.Slice) else elements(whole)
    if isinstance(node, ast.IfExp):
        return kinds_of(node.body, scope) | kinds_of(node.orelse, scope)
    names = {
        ast.List: "list", ast.ListComp: "list", ast.Dict: "dict", ast.DictComp: "dict", ast.Set: "set",
        ast.SetComp: "set", ast.Tuple: "tuple", ast.JoinedStr: "str", ast.GeneratorExp: "generator",
        ast.Lambda: "callable",
    }  # fmt: skip
    name = names.get(type(node))
    return frozenset({name}) if name else ANY


def _binary(node: ast.BinOp, scope: Scope) -> frozenset[str]:
    left, right = kinds_of(node.left, scope), kinds_of(node.right, scope)
    if isinstance(node.op, ast.Div):
        return frozenset({"float"})
    if isinstance(node.op, ast.Mod) and "str" in left:
        return left
    if isinstance(node.op, ast.Mult) and plain(right) & SEQUENCES:
        return right
    return left or right


def _call(node: ast.Call, scope: Scope) -> frozenset[str]:
    if isinstance(node.func, ast.Name):
        if node.func.id in ("max", "min", "abs", "sum", "round") and node.args:
            first = kinds_of(node.args[0], scope)
            return elements(first) or (first & NUMBERS) or frozenset({"int"})
        if node.func.id in ("sorted", "list", "set", "tuple") and node.args:
            inner = elements(kinds_of(node.args[0], scope))
            name = _RETURNS[node.func.id]
            return frozenset(f"{name}[{k}]" for k in inner) or frozenset({name})
        return frozenset({_RETURNS[node.func.id]}) if node.func.id in _RETURNS else ANY
    if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
        return frozenset({_METHODS[node.func.attr]})
    return ANY


def compatible(a: frozenset[str], b: frozenset[str]) -> bool:
    """Say whether values of the two types may stand for one another; unknown fits everything."""
    x, y = plain(a), plain(b)
    if not x or not y:
        return True
    return bool(x & y) or any(x & alike and y & alike for alike in (NUMBERS, SEQUENCES - {"str"}))

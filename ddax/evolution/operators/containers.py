"""Operators on containers: keys that may be missing, rows that are one object, entries that are to go."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ddax.evolution.operators.base import Edit, Source
from ddax.evolution.operators.expressions import Variant, call
from ddax.evolution.operators.kinds import kinds_of, plain
from ddax.evolution.operators.places import Place

_MUTABLE = (ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Set, ast.SetComp)
_FILLED = {"append": "[]", "extend": "[]", "insert": "[]", "add": "set()", "update": "{}", "setdefault": "{}"}
"""What a missing entry begins as, by the method that fills it."""
_EMPTY = ("0", "[]", "''", "()", "{}", "False", "float('inf')", "1", "set()")


def _missed(source: Source) -> bool:
    return any(text.startswith("KeyError") for text in source.seen.complaints)


def lookups(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Give a value for a key that is not there, where a test met a KeyError."""
    if not _missed(source) or not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice):
        return
    parent = source.parents.get(node)
    if isinstance(node.ctx, ast.Load) and isinstance(parent, ast.Attribute) and parent.attr in _FILLED:
        entry = ast.Attribute(node.value, "setdefault", ast.Load())
        yield "lookup", 0.4, ast.Call(entry, [node.slice, _parsed(_FILLED[parent.attr])], [])
    if not isinstance(node.ctx, ast.Load) or not _reads_entries(node, source):
        return
    get = ast.Attribute(node.value, "get", ast.Load())
    yield "lookup", 0.8, ast.Call(get, [node.slice], [])
    iterated = isinstance(parent, ast.For | ast.comprehension) and parent.iter is node
    for rank, text in enumerate(("()", "[]", "{}") if iterated else _EMPTY):
        yield "lookup", 0.6 + 0.05 * rank, ast.Call(get, [node.slice, _parsed(text)], [])
    index = node.slice
    if isinstance(index, ast.Name):
        yield "lookup", 0.8, ast.Call(get, [index, index], [])


def _reads_entries(node: ast.Subscript, source: Source) -> bool:
    kinds = plain(kinds_of(node.value, source.scope_of(node)))
    return not kinds or any("dict" in kind.lower() or kind == "Counter" for kind in kinds)


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def counted(place: Place) -> Iterator[Edit]:
    """Begin an entry that is counted up, where a test met a KeyError; delete one instead of emptying it."""
    node, source = place.node, place.source
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript) and _missed(source):
        whole = source.segment(node.target)
        owner, key = source.segment(node.target.value), ast.unparse(node.target.slice)
        for rank, text in enumerate(("0", "[]", "''", "1")):
            old = ast.BinOp(_parsed(f"{owner}.get({key}, {text})"), node.op, node.value)
            yield place.edit(place.line(f"{whole} = {ast.unparse(old)}"), "lookup", 0.5 + 0.1 * rank)
    empties = isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and not node.value.value
    if isinstance(node, ast.Assign) and empties and isinstance(node.targets[0], ast.Subscript):
        yield place.edit(place.line(f"del {source.segment(node.targets[0])}"), "remove", 0.8)
    if isinstance(node, ast.Delete) and isinstance(node.targets[0], ast.Subscript) and _missed(source):
        entry = node.targets[0]
        owner, key = source.segment(entry.value), ast.unparse(entry.slice)
        yield place.edit(place.line(f"{owner}.pop({key}, None)"), "lookup", 0.6)


def gathered(place: Place) -> Iterator[Edit]:
    """Add to the entry that is there instead of putting a list, a set or a 1 in its place."""
    node, source = place.node, place.source
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Subscript):
        return
    owner, key = source.segment(node.targets[0].value), ast.unparse(node.targets[0].slice)
    value = node.value
    if isinstance(value, ast.List | ast.Set) and len(value.elts) == 1:
        empty, add = ("[]", "append") if isinstance(value, ast.List) else ("set()", "add")
        code = f"{owner}.setdefault({key}, {empty}).{add}({source.segment(value.elts[0])})"
        yield place.edit(place.line(code), "gather", 0.6)
    elif isinstance(value, ast.Constant) and type(value.value) is int and value.value == 1:
        yield place.edit(place.line(f"{owner}[{key}] = {owner}.get({key}, 0) + 1"), "gather", 0.6)


def rows(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Make each row of its own where one object stands in a list several times."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
        return
    for made, times in ((node.left, node.right), (node.right, node.left)):
        if isinstance(made, ast.List) and len(made.elts) == 1 and _shared(made.elts[0]):
            loop = ast.comprehension(ast.Name("_", ast.Store()), call("range", times), [], 0)
            yield "rows", 0.3, ast.ListComp(made.elts[0], [loop])


def _shared(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _shared(node.left) or _shared(node.right)
    made = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return isinstance(node, _MUTABLE) or (made and ast.unparse(node) in ("list()", "dict()", "set()"))


CONTAINER_EXPRESSIONS = (lookups, rows)
CONTAINER_STATEMENTS = (counted, gathered)

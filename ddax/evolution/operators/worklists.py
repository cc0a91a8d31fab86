"""Operators on lists of what is still to do, and on lists whose places are there before they are filled."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ddax.evolution.operators.base import Edit, Source, own_nodes
from ddax.evolution.operators.kinds import kinds_of, plain
from ddax.evolution.operators.places import Place

_TAKEN = frozenset({"pop", "popleft"})
_PUT = frozenset({"append", "appendleft", "add", "extend", "extendleft", "insert", "update"})
_READING = frozenset({"heappop", "len", "min", "max", "sorted", "sum", "any", "all", "list", "print"})
"""Functions that put nothing on a list they are given."""


def pushes(place: Place) -> Iterator[Edit]:
    """Put what a loop comes upon on the list that it takes its work from, where it never adds to that."""
    for loop in _loops_around(place):
        nodes = list(own_nodes(loop))
        for taken in _taken(nodes):
            if ast.unparse(taken) not in _asked(loop.test) or _grows(nodes, ast.unparse(taken)):
                continue
            for name in _met(loop, place):
                yield place.after(_put(nodes, taken, name, place.source), "push", 0.9)


def _loops_around(place: Place) -> Iterator[ast.While]:
    here: ast.AST | None = place.source.parents.get(place.node)
    while here is not None and not isinstance(here, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        if isinstance(here, ast.While):
            yield here
        here = place.source.parents.get(here)


def _asked(test: ast.expr) -> set[str]:
    return {ast.unparse(node) for node in ast.walk(test) if isinstance(node, ast.expr)}


def _taken(nodes: Sequence[ast.AST]) -> list[ast.expr]:
    """Return what a loop takes elements from: the owners of `pop`, the first argument of `heappop`."""
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    found = [c.func.value for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr in _TAKEN]
    found += [c.args[0] for c in calls if _named(c.func) == "heappop" and c.args]
    return list({ast.unparse(one): one for one in found}.values())


def _named(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _grows(nodes: Sequence[ast.AST], name: str) -> bool:
    """Say whether anything is put on a list, or another list in its place."""
    return any(_adds(node, name) for node in nodes)


def _adds(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Call):
        owner = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else ""
        handed = name in map(ast.unparse, node.args) and _named(node.func) not in _READING
        return handed or (owner == name and _named(node.func) in _PUT)
    stored = isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store)
    return stored and ast.unparse(node) == name


def _met(loop: ast.While, place: Place) -> list[str]:
    """Return the variables that the loops within a loop go over, around a place."""
    found: list[str] = []
    here: ast.AST | None = place.source.parents.get(place.node)
    while here is not None and here is not loop:
        if isinstance(here, ast.For | ast.AsyncFor):
            found += [n.id for n in ast.walk(here.target) if isinstance(n, ast.Name)]
        here = place.source.parents.get(here)
    return list(dict.fromkeys(found))


def _put(nodes: Sequence[ast.AST], taken: ast.expr, name: str, source: Source) -> str:
    whole = ast.unparse(taken)
    for node in (n for n in nodes if isinstance(n, ast.Call) and _named(n.func) == "heappop"):
        if node.args and ast.unparse(node.args[0]) == whole:
            return f"{ast.unparse(node.func).replace('heappop', 'heappush')}({whole}, {name})"
    method = "add" if "set" in plain(kinds_of(taken, source.scope_of(taken))) else "append"
    return f"{whole}.{method}({name})"


def placed(place: Place) -> Iterator[Edit]:
    """Fill a place of a list that has them all already instead of adding one, and the other way round."""
    node, source = place.node, place.source
    scope = source.scope_of(node)
    call = node.value if isinstance(node, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "append":
        owner = source.segment(call.func.value)
        if len(call.args) == 1 and _has_places(owner, source):
            for name in (n for n, kinds in scope.names.items() if "int" in kinds or not kinds):
                yield place.edit(
                    place.line(f"{owner}[{name}] = {source.segment(call.args[0])}"), "place", 0.7
                )
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        owner = source.segment(node.targets[0].value)
        if any("list assignment index out of range" in text for text in source.seen.complaints):
            yield place.edit(place.line(f"{owner}.append({source.segment(node.value)})"), "place", 0.6)


def _has_places(name: str, source: Source) -> bool:
    """Say whether a list is made by repeating an element."""
    made = (n for n in ast.walk(source.tree) if isinstance(n, ast.Assign) and isinstance(n.value, ast.BinOp))
    return any(
        ast.unparse(target) == name and isinstance(n.value, ast.BinOp) and _repeats(n.value)
        for n in made
        for target in n.targets
    )


def _repeats(node: ast.BinOp) -> bool:
    return isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List) and len(node.left.elts) == 1


WORKLISTS = (pushes, placed)

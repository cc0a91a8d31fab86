"""Operators on elements: an index from the other end, a part never read, what is left over or held."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ddax.evolution.operators.base import Source, own_nodes
from ddax.evolution.operators.expressions import Variant
from ddax.evolution.operators.kinds import plain

_COLLECTIONS = frozenset({"list", "dict", "set", "deque"})


def mirrored(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Count the index of a loop over `range(n)` from the other end."""
    parent = source.parents.get(node)
    if not isinstance(node, ast.Name) or not isinstance(parent, ast.Subscript) or parent.slice is not node:
        return
    for length in _lengths(node, source):
        yield "mirror", 0.6, ast.BinOp(ast.BinOp(length, ast.Sub(), ast.Constant(1)), ast.Sub(), node)


def _lengths(name: ast.Name, source: Source) -> list[ast.expr]:
    """Return the lengths over which the loops of a function let a name count."""
    loops = (n for n in own_nodes(source.scope_of(name).node) if isinstance(n, ast.For | ast.comprehension))
    calls = (
        n.iter
        for n in loops
        if isinstance(n.target, ast.Name) and n.target.id == name.id and isinstance(n.iter, ast.Call)
    )
    made = [c.args[0] for c in calls if ast.unparse(c.func) == "range" and len(c.args) == 1]
    return [length for length in made if isinstance(length, ast.Name | ast.Attribute | ast.Call)]


def unread(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Use in what a comprehension makes the part of its elements that has a name and is never read."""
    parent = source.parents.get(node)
    if not isinstance(parent, ast.ListComp | ast.GeneratorExp | ast.SetComp) or parent.elt is not node:
        return
    for name in _never_read(parent):
        for operator in (ast.Mult(), ast.Add(), ast.Sub()):
            yield "use_part", 1.2, ast.BinOp(node, operator, ast.Name(name, ast.Load()))


def _never_read(node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> list[str]:
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    read = {n.id for n in names if isinstance(n.ctx, ast.Load)}
    parts = (part for g in node.generators if isinstance(g.target, ast.Tuple) for part in g.target.elts)
    return [p.id for p in parts if isinstance(p, ast.Name) and p.id not in read and not p.id.startswith("_")]


def emptied(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Return whether a collection is empty at the end, where one answer is returned whatever it holds."""
    if not _truth(node) or not isinstance(source.parents.get(node), ast.Return):
        return
    scope = source.scope_of(node)
    stored = {n.id for n in own_nodes(scope.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for name, kinds in scope.names.items():
        if name in stored and plain(kinds) & _COLLECTIONS:
            yield "empty", 1.0, ast.UnaryOp(ast.Not(), ast.Name(name, ast.Load()))
            yield "empty", 1.2, ast.Call(ast.Name("bool", ast.Load()), [ast.Name(name, ast.Load())], [])


def held(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Return what a collection or a flag says, where one answer is returned whatever they hold."""
    if not _truth(node) or not isinstance(source.parents.get(node), ast.Return):
        return
    scope = source.scope_of(node)
    keys, flags = _keys(source), _flags(source)
    for name, kinds in scope.names.items():
        if plain(kinds) & _COLLECTIONS:
            for key in keys:
                there = ast.Name(name, ast.Load())
                yield "held", 1.2, ast.Compare(key, [ast.In()], [there])
                yield "held", 1.5, ast.Compare(key, [ast.NotIn()], [there])
        for flag in (f for f in flags if any(f in source.seen.attributes.get(k, ()) for k in kinds)):
            yield "held", 1.2, ast.Attribute(ast.Name(name, ast.Load()), flag, ast.Load())


def _keys(source: Source) -> list[ast.expr]:
    """Return the texts by which the file puts something into a collection."""
    entries = (n for n in ast.walk(source.tree) if isinstance(n, ast.Subscript))
    made = [n.slice for n in entries if isinstance(n.ctx, ast.Store) and isinstance(n.slice, ast.Constant)]
    return list({key.value: key for key in made if isinstance(key.value, str)}.values())


def _flags(source: Source) -> list[str]:
    """Return the attributes to which the file gives truths."""
    given = (n for n in ast.walk(source.tree) if isinstance(n, ast.Assign) and _truth(n.value))
    return sorted({t.attr for n in given for t in n.targets if isinstance(t, ast.Attribute)})


def _truth(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, bool)


ELEMENT_OPERATORS = (mirrored, unread, emptied, held)

"""Operators on how a function fails and waits: other exceptions, await, and what None was met for."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from ddax.evolution.operators.base import Edit, FunctionNode, Source, dotted, own_nodes
from ddax.evolution.operators.expressions import Variant
from ddax.evolution.operators.places import Place
from ddax.evolution.tables import families

_ENDINGS = ("Error", "Exception", "Warning")
_NONE_HAS_NOT = re.compile(r"'NoneType' object has no attribute '(\w+)'")
_WORD = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b")


def exceptions(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Raise or catch another exception: one that the file has, that a test complains of, or a common one."""
    if not isinstance(node, ast.Name) or not _raised_or_caught(node, source):
        return
    own = dict.fromkeys(_known_exceptions(source.tree))
    for name in own:
        yield "exception", 0.6, ast.Name(name, ast.Load())
    heard = {word for text in source.seen.complaints for word in _WORD.findall(text)}
    for name in dict.fromkeys((*families("exceptions"), *sorted(heard))):
        if hasattr(builtins, name):
            cost = 0.5 if name in heard else 1.6 if name == "Exception" else 1.2
            yield "exception", cost, ast.Name(name, ast.Load())


def _raised_or_caught(node: ast.Name, source: Source) -> bool:
    here: ast.AST = node
    parent = source.parents.get(here)
    if (isinstance(parent, ast.Call) and parent.func is node) or isinstance(parent, ast.Tuple):
        here, parent = parent, source.parents.get(parent)
    raised = isinstance(parent, ast.Raise) and parent.exc is here and not isinstance(here, ast.Tuple)
    return raised or (isinstance(parent, ast.ExceptHandler) and not isinstance(here, ast.Call))


def _known_exceptions(tree: ast.Module) -> Iterator[str]:
    """Yield the exceptions that a file defines or imports, told by the names of their bases or their own."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            names = [alias.asname or alias.name for alias in node.names]
            found.update(new := [name for name in names if name.endswith(_ENDINGS)])
            yield from new
        elif isinstance(node, ast.ClassDef):
            bases = [ast.unparse(base) for base in node.bases]
            if any(base in found or base.endswith(_ENDINGS) for base in bases):
                found.add(node.name)
                yield node.name


def awaits(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Await a call in an asynchronous function, or do not."""
    if isinstance(node, ast.Await):
        yield "await_drop", 0.9, node.value
    if not isinstance(node, ast.Call) or isinstance(source.parents.get(node), ast.Await):
        return
    if isinstance(source.scope_of(node).node, ast.AsyncFunctionDef):
        yield "await", 0.6, ast.Await(node)


def none_checks(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Ask whether what a condition uses is there, or do without what cannot be called on None."""
    complaints = source.seen.complaints
    if not any("NoneType" in text for text in complaints):
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        wanted = {m[1] for text in complaints if (m := _NONE_HAS_NOT.search(text))}
        if node.func.attr in wanted:
            there = ast.Compare(node.func.value, [ast.IsNot()], [ast.Constant(None)])
            yield "none_check", 0.9, ast.IfExp(there, node, ast.Constant(None))
    parent = source.parents.get(node)
    test = isinstance(parent, ast.If | ast.While | ast.IfExp) and parent.test is node
    if not test and not (isinstance(parent, ast.comprehension) and node in parent.ifs):
        return
    for text in dict.fromkeys(_asked(node)):
        there = ast.Compare(ast.parse(text, mode="eval").body, [ast.IsNot()], [ast.Constant(None)])
        values = node.values if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) else [node]
        yield "none_check", 0.6, ast.BoolOp(ast.And(), [there, *values])


def _asked(node: ast.expr) -> Iterator[str]:
    """Yield the variables, attributes and elements that a condition compares or takes attributes of."""
    for inner in ast.walk(node):
        sides = [inner.left, *inner.comparators] if isinstance(inner, ast.Compare) else []
        sides += [inner.value] if isinstance(inner, ast.Attribute) else []
        for side in sides:
            if isinstance(side, ast.Name | ast.Subscript) or dotted(side):
                yield ast.unparse(side)


def returned(place: Place) -> Iterator[Edit]:
    """Return what a function was given or has made, where it returns nothing and a test met None."""
    source, function = place.source, place.source.parents.get(place.node)
    if not isinstance(function, FunctionNode) or place.node is not function.body[-1]:
        return
    nodes = list(own_nodes(function))
    ends = (ast.Return, ast.Yield, ast.YieldFrom)
    if any(isinstance(n, ends) for n in nodes) or not any("None" in c for c in source.seen.complaints):
        return
    made = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    given = [a.arg for a in nodes if isinstance(a, ast.arg)]
    for rank, name in enumerate(dict.fromkeys([*reversed(made), *given])):
        yield place.after(f"return {name}", "return", 0.6 + 0.1 * rank)


FAILING_OPERATORS = (exceptions, awaits, none_checks)
FAILING_STATEMENTS = (returned,)

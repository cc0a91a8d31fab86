"""Operators on how a function fails and waits: other exceptions, values for None, await."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from ddax.evolution.operators.base import Source
from ddax.evolution.operators.calls import asks_get
from ddax.evolution.operators.expressions import Variant
from ddax.evolution.operators.kinds import kinds_of
from ddax.evolution.tables import families

_ENDINGS = ("Error", "Exception", "Warning")
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


def defaults(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Give an empty value where None may be: `get` with a second argument, `or` behind what was None."""
    empty = (ast.Constant(0), ast.Constant(""), ast.List([], ast.Load()))
    if asks_get(node):
        for value in empty:
            yield "default", 1.1, ast.Call(node.func, [*node.args, value], node.keywords)
    elif isinstance(node, ast.Call) and _may_fail(node):
        yield "default", 0.9, ast.Call(node.func, [*node.args, ast.Constant(None)], node.keywords)
    elif isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
        for value in empty if "NoneType" in kinds_of(node, source.scope_of(node)) else ():
            yield "default", 1.4, ast.BoolOp(ast.Or(), [node, value])


def _may_fail(node: ast.Call) -> bool:
    """Tell whether a call would take a value for where there is none, and is given none."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr == "pop" and len(node.args) == 1
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    return len(node.args) == {"next": 1, "getattr": 2}.get(name, 0)


def awaits(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Await a call in an asynchronous function, or do not."""
    if isinstance(node, ast.Await):
        yield "await_drop", 0.9, node.value
    if not isinstance(node, ast.Call) or isinstance(source.parents.get(node), ast.Await):
        return
    if isinstance(source.scope_of(node).node, ast.AsyncFunctionDef):
        yield "await", 0.6, ast.Await(node)


FAILING_OPERATORS = (exceptions, defaults, awaits)

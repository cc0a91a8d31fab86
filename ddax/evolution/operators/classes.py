"""Operators on what classes and functions are made of: decorators, parents' __init__, objects made once."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator

from ddax.evolution.operators.base import Edit, FunctionNode, Source
from ddax.evolution.operators.groups import splice

STEP = "    "
_DECORATORS = ("property", "staticmethod", "classmethod")
_MAKERS = frozenset({"list", "dict", "set", "defaultdict", "deque", "Counter", "OrderedDict", "bytearray"})


def _indent(source: Source, node: ast.stmt) -> str:
    line = source.text[source.lines[node.lineno - 1] : source.span(node)[0]].decode()
    return line if not line.strip() else ""


def _classes(source: Source) -> Iterator[ast.ClassDef]:
    yield from (node for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef))


def _head(source: Source, function: FunctionNode) -> tuple[int, str] | None:
    """Return the place behind a function's header and docstring, and the indent; None for a one-liner."""
    first = function.body[0]
    text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    indent = _indent(source, first)
    if not indent or first.lineno == function.lineno:
        return None
    line = (first.end_lineno or first.lineno) if text else first.lineno - 1
    return min(source.lines[line], len(source.text)), indent


def decorators(source: Source) -> Iterator[Edit]:
    """Make a method a property, a static or a class method, or none of them."""
    for owner in _classes(source):
        for method in owner.body:
            if not isinstance(method, FunctionNode):
                continue
            for old in method.decorator_list:
                start = source.lines[old.lineno - 1]
                end = source.lines[old.end_lineno or old.lineno]
                yield Edit(source.path, start, end, "", "decorator", 1.2, method.lineno)
            if method.decorator_list or (method.name.startswith("__") and method.name.endswith("__")):
                continue
            at, indent = source.lines[method.lineno - 1], _indent(source, method)
            for name in _fitting(method):
                yield Edit(source.path, at, at, f"{indent}@{name}\n", "decorator", 0.8, method.lineno)


def _fitting(method: FunctionNode) -> list[str]:
    names = [a.arg for a in method.args.args]
    if names[:1] == ["cls"]:
        return ["classmethod"]
    if names[:1] != ["self"]:
        return ["staticmethod"]
    return ["property"] if len(names) == 1 and not isinstance(method, ast.AsyncFunctionDef) else []


def parents(source: Source) -> Iterator[Edit]:
    """Call the parent's __init__ in one that does not, with the parameters that both have."""
    known = {node.name: node for node in _classes(source)}
    for owner in _classes(source):
        own = _method(owner, "__init__")
        if own is None or not owner.bases or "super()" in source.segment(own):
            continue
        head = _head(source, own)
        if head is None:
            continue
        given = [a.arg for a in own.args.args][1:]
        base = known.get(ast.unparse(owner.bases[0]))
        above = _method(base, "__init__") if base else None
        wanted = [a.arg for a in above.args.args][1:] if above else []
        both = [name for name in wanted if name in given]
        at, indent = head
        for names in dict.fromkeys([tuple(both), (), tuple(given[:1]), tuple(given)]):
            text = f"{indent}super().__init__({', '.join(names)})\n"
            yield Edit(source.path, at, at, text, "parent_init", 0.6, own.lineno)


def _method(owner: ast.ClassDef, name: str) -> FunctionNode | None:
    return next((n for n in owner.body if isinstance(n, FunctionNode) and n.name == name), None)


def _makes(node: ast.expr) -> bool:
    """Tell whether an expression makes an object that can change."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in _MAKERS
    return isinstance(node, ast.List | ast.Dict | ast.Set)


def own_defaults(source: Source) -> Iterator[Edit]:
    """Make the default of an argument anew in each call, where all calls share one object."""
    for function in source.functions:
        positional = [*function.args.posonlyargs, *function.args.args]
        pairs = list(zip(reversed(positional), reversed(function.args.defaults), strict=False))
        pairs += [
            (a, d) for a, d in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True) if d
        ]
        head = _head(source, function)
        for argument, default in pairs if head else ():
            if head and _makes(default):
                at, indent = head
                guard = f"if {argument.arg} is None:\n{STEP}{argument.arg} = {source.segment(default)}\n"
                changes = [(*source.span(default), "None"), (at, at, textwrap.indent(guard, indent))]
                yield splice(source, changes, "own_object", 0.5)


def own_attributes(source: Source) -> Iterator[Edit]:
    """Give each instance an object of its own, where all of a class share one."""
    for owner in _classes(source):
        init = _method(owner, "__init__")
        head = _head(source, init) if init else None
        for statement in owner.body:
            target, value = _given(statement)
            if value is None or not _makes(value) or not _indent(source, statement):
                continue
            if any("dataclass" in ast.unparse(d) for d in owner.decorator_list):
                yield from _factories(source, value)
            elif head:
                lines = source.lines[statement.lineno - 1], source.lines[statement.end_lineno or 0]
                at, indent = head
                made = f"{indent}self.{target} = {source.segment(value)}\n"
                yield splice(source, [(*lines, ""), (at, at, made)], "own_object", 0.5)


def _given(statement: ast.stmt) -> tuple[str, ast.expr | None]:
    """Return the name that a statement gives a value to, and the value; None where it gives none."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    targets = [statement.target] if isinstance(statement, ast.AnnAssign) else targets
    match targets:
        case [ast.Name(id=name)] if isinstance(statement, ast.Assign | ast.AnnAssign):
            return name, statement.value
        case _:
            return "", None


def _factories(source: Source, value: ast.expr) -> Iterator[Edit]:
    """Make a field's default by a factory, and import `field` where it is not yet."""
    plain = {"List": "list", "Dict": "dict", "Set": "set"}.get(type(value).__name__, "")
    bare = bool(plain) and not any(True for _ in ast.iter_child_nodes(value) if isinstance(_, ast.expr))
    factory = plain if bare else f"lambda: {source.segment(value)}"
    changes = [(*source.span(value), f"field(default_factory={factory})")]
    for node in source.tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "dataclasses":
            names = [alias.name for alias in node.names]
            if "field" not in names:
                text = f"from dataclasses import {', '.join([*names, 'field'])}"
                changes.append((*source.span(node), text))
    yield splice(source, changes, "own_object", 0.5)


CLASS_OPERATORS = (decorators, parents, own_defaults, own_attributes)

"""Operators on what classes and functions are made of: decorators, parents' __init__, objects made once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from ddax.evolution.operators.base import Edit, FunctionNode, Source
from ddax.evolution.operators.groups import splice
from ddax.evolution.operators.heads import Change, at_head, indent_of
from ddax.evolution.operators.import_lines import import_line

_COMPARING = frozenset({"__eq__", "__lt__", "__le__", "__gt__", "__ge__"})
_MAKERS = frozenset({"list", "dict", "set", "defaultdict", "deque", "Counter", "OrderedDict", "bytearray"})


def _classes(source: Source) -> Iterator[ast.ClassDef]:
    yield from (node for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef))


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
            at, indent = source.lines[method.lineno - 1], indent_of(source, method)
            for name in _fitting(method):
                yield Edit(source.path, at, at, f"{indent}@{name}\n", "decorator", 0.8, method.lineno)


def options(source: Source) -> Iterator[Edit]:
    """Let a data class be ordered or frozen."""
    for owner in _classes(source):
        for node in owner.decorator_list:
            name = ast.unparse(node.func if isinstance(node, ast.Call) else node)
            if name.split(".")[-1] != "dataclass":
                continue
            given = [ast.unparse(k) for k in node.keywords] if isinstance(node, ast.Call) else []
            for more in ("order=True", "frozen=True"):
                if all(k.split("=")[0] != more.split("=")[0] for k in given):
                    text = f"{name}({', '.join([*given, more])})"
                    first = owner.body[0].lineno  # the decorator runs at import, untraced
                    yield Edit(source.path, *source.span(node), text, "option", 0.6, first)


def wrapped(source: Source) -> Iterator[Edit]:
    """Give the function that a decorator returns the name of the one that it stands for."""
    for inner in source.functions:
        outer = source.parents.get(inner)
        if not isinstance(outer, FunctionNode) or inner.decorator_list or not indent_of(source, inner):
            continue
        handed = {n.id for n in ast.walk(inner) if isinstance(n, ast.Name)}
        names = [a.arg for a in outer.args.args if a.arg in handed]
        returned = any(f"return {inner.name}" == ast.unparse(n) for n in outer.body)
        for function in names if returned else []:
            at, indent = source.lines[inner.lineno - 1], indent_of(source, inner)
            changes = [(at, at, f"{indent}@functools.wraps({function})\n")]
            changes += [] if _imports(source, "functools") else [import_line(source, "import functools")]
            yield replace(splice(source, changes, "decorator", 0.8), line=inner.body[0].lineno)


def _imports(source: Source, module: str) -> bool:
    nodes = (node for node in source.tree.body if isinstance(node, ast.Import))
    return any(alias.name == module and not alias.asname for node in nodes for alias in node.names)


def comparable(source: Source) -> Iterator[Edit]:
    """Leave a comparison with an object of another kind to that one."""
    for owner in _classes(source):
        for method in owner.body:
            if isinstance(method, FunctionNode) and method.name in _COMPARING and len(method.args.args) == 2:
                other = method.args.args[1].arg
                guard = f"if not isinstance({other}, {owner.name}):\n{source.step}return NotImplemented\n"
                change = at_head(source, method, guard)
                if change is not None and "isinstance(" not in source.segment(method):
                    yield Edit(source.path, *change, "comparable", 0.6, method.body[-1].lineno)


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
        if own is None or not owner.bases or ".__init__(" in source.segment(own):
            continue
        given = [a.arg for a in own.args.args][1:]
        base = known.get(ast.unparse(owner.bases[0]))
        above = _method(base, "__init__") if base else None
        wanted = [a.arg for a in above.args.args][1:] if above else []
        both = [name for name in wanted if name in given]
        for names in dict.fromkeys([tuple(both), (), tuple(given[:1]), tuple(given)]):
            change = at_head(source, own, f"super().__init__({', '.join(names)})\n")
            if change is not None:
                yield Edit(source.path, *change, "parent_init", 0.6, own.lineno)


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
        for name, default in ((a.arg, d) for a, d in pairs if _makes(d)):
            guard = f"if {name} is None:\n{source.step}{name} = {source.segment(default)}\n"
            change = at_head(source, function, guard)
            if change is not None:
                made = splice(source, [(*source.span(default), "None"), change], "own_object", 0.3)
                yield replace(made, line=function.body[-1].lineno)  # the head runs at import, untraced


def own_attributes(source: Source) -> Iterator[Edit]:
    """Give each instance an object of its own, where all of a class share one."""
    for owner in _classes(source):
        init = _method(owner, "__init__")
        for statement in owner.body:
            target, value = _given(statement)
            if value is None or not _makes(value) or not indent_of(source, statement):
                continue
            if any("dataclass" in ast.unparse(d) for d in owner.decorator_list):
                yield from _factories(source, value)
            elif init:
                lines = source.lines[statement.lineno - 1], source.after(statement)
                made = at_head(source, init, f"self.{target} = {source.segment(value)}\n")
                if made is not None:
                    yield splice(source, [(*lines, ""), made], "own_object", 0.5)


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
    bare = bool(plain) and not any(isinstance(n, ast.expr) for n in ast.iter_child_nodes(value))
    factory = plain if bare else f"lambda: {source.segment(value)}"
    for field, imports in _fields(source):
        made = f"{field}(default_factory={factory})"
        yield splice(source, [(*source.span(value), made), *imports], "own_object", 0.5)


def _fields(source: Source) -> Iterator[tuple[str, list[Change]]]:
    """Yield what `dataclasses.field` is called in a file, and the change of its imports that this needs."""
    for node in source.tree.body:
        if isinstance(node, ast.Import):
            yield from ((f"{a.asname or a.name}.field", []) for a in node.names if a.name == "dataclasses")
        elif isinstance(node, ast.ImportFrom) and node.module == "dataclasses":
            known = {alias.name: alias.asname or alias.name for alias in node.names}
            names = ", ".join(ast.unparse(alias) for alias in [*node.names, ast.alias("field")])
            change = (*source.span(node), f"from dataclasses import {names}")
            yield known.get("field", "field"), [] if known.keys() & {"field", "*"} else [change]


CLASS_OPERATORS = (decorators, options, wrapped, comparable, parents, own_defaults, own_attributes)

"""Operators on what classes and functions are made of: decorators, parents' __init__, objects made once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from ddax.evolution.operators.base import Edit, FunctionNode, Source
from ddax.evolution.operators.groups import splice
from ddax.evolution.operators.places import Change, at_head, indent_of

_MAKERS = frozenset({"list", "dict", "set", "defaultdict", "deque", "Counter", "OrderedDict", "bytearray"})


def _classes(source: Source) -> Iterator[ast.ClassDef]:
    yield from (node for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef))


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


CLASS_OPERATORS = (parents, own_defaults, own_attributes)

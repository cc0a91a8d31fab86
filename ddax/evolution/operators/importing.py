"""Operators on imports: what a failing test says is missing is brought in, or called by another name."""

from __future__ import annotations

import ast
import difflib
import importlib
import re
import sys
from collections.abc import Iterable, Iterator
from inspect import ismodule
from itertools import takewhile

from ddax.evolution.operators.base import Edit, FunctionNode, Source, dotted, own_nodes
from ddax.evolution.operators.expressions import Variant
from ddax.evolution.operators.import_lines import import_line
from ddax.evolution.operators.places import Change, at_head
from ddax.evolution.tables import families

_LIBRARY: list[str] = families("library")
"""Modules of the standard library in which a missing name is looked up."""
_UNDEFINED = re.compile(r"name '(\w+)' is not defined")
_LOCAL = re.compile(r"cannot access (?:local|free) variable '(\w+)'")
_NOT_THERE = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'|No module named '([\w.]+)'")
_NO_ATTRIBUTE = re.compile(r"(?:module|type object) '([\w.]+)' has no attribute '(\w+)'")


def _missing(source: Source, pattern: re.Pattern[str]) -> list[tuple[str, ...]]:
    found = (pattern.search(text) for text in source.seen.complaints)
    return list(dict.fromkeys(tuple(part or "" for part in m.groups()) for m in found if m))


def _has(module: str, name: str) -> bool:
    """Tell whether a module offers a name that is not but what it imports itself."""
    own = importlib.import_module(module)
    if name not in getattr(own, "__all__", [name]):
        return False
    return hasattr(own, name) and not (name in sys.stdlib_module_names and ismodule(getattr(own, name)))


def brought(source: Source) -> Iterator[Edit]:
    """Import a name that is not defined: from where its use fits first, all that are missing at once."""
    lines = {n.id: n.lineno for n in ast.walk(source.tree) if isinstance(n, ast.Name)}
    wanted = [name for (name,) in _missing(source, _UNDEFINED) if name in lines]
    for name in wanted:
        for rank, text in enumerate(_homes(source, name)):
            cost = 0.2 + 0.1 * min(rank, 1)
            yield Edit(source.path, *import_line(source, text), "import", cost, lines[name])
    undefined = source.undefined() if wanted else []
    together = {name: homes[0] for name in undefined if (homes := _homes(source, name))}
    if len(together) > 1 and (asked := [name for name in wanted if name in together]):
        yield Edit(source.path, *_all_of(source, together.values()), "import", 0.1, lines[asked[0]])


def _all_of(source: Source, imports: Iterable[str]) -> Change:
    """Return the change that puts several imports into a file."""
    changed = source
    for text in imports:
        start, end, new = import_line(changed, text)
        whole = changed.text[:start] + new.encode() + changed.text[end:]
        changed = Source(source.path, whole, source.seen, source.first_lines)
    # What follows the imports stays as it is, and so does each of its lines.
    ends = zip(reversed(source.text), reversed(changed.text), strict=False)
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], ends))
    at = source.text.find(b"\n", len(source.text) - alike) + 1 if alike < len(source.text) else 0
    return 0, at, changed.text[: len(changed.text) - (len(source.text) - at)].decode()


def _homes(source: Source, name: str) -> list[str]:
    """Return the imports that bring a name, the one that fits its use best first."""
    found = [f"import {name}"] if name in sys.stdlib_module_names or name in source.seen.exports else []
    found += [f"from {m} import {name}" for m, names in source.seen.exports.items() if name in names]
    found += [f"from {module} import {name}" for module in _LIBRARY if _has(module, name)]
    calls = (node.func for node in ast.walk(source.tree) if isinstance(node, ast.Call))
    called = any(isinstance(func, ast.Name) and func.id == name for func in calls)
    # No module can be called, and what `typing` has of the same name is an alias for annotations.
    last = {f"from typing import {name}", *([f"import {name}"] if called else [])}
    return sorted(found, key=last.__contains__)


def declared(source: Source) -> Iterator[Edit]:
    """Say that a variable which has no value yet is that of the module or of a function around."""
    for (name,) in _missing(source, _LOCAL):
        for function in source.functions:
            if name in _stored(function):
                words = ["global"] if name in source.globals else []
                words += ["nonlocal"] if any(name in _stored(f) for f in _around(source, function)) else []
                for word in words:
                    change = at_head(source, function, f"{word} {name}\n")
                    if change is not None:
                        yield Edit(source.path, *change, "import", 0.4, function.body[0].lineno)


def _stored(function: FunctionNode) -> set[str]:
    names = (n for n in own_nodes(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return {n.id for n in names} | {n.arg for n in own_nodes(function) if isinstance(n, ast.arg)}


def _around(source: Source, function: FunctionNode) -> Iterator[FunctionNode]:
    here = source.parents.get(function)
    while here is not None:
        if isinstance(here, FunctionNode):
            yield here
        here = source.parents.get(here)


def renamed(source: Source) -> Iterator[Edit]:
    """Import another name, or from another module, where what is imported is not there."""
    wanted = _missing(source, _NOT_THERE)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom) and node.module and len(node.names) == 1:
            alias = node.names[0]
            if any(alias.name == name or node.module == module for name, _, module in wanted):
                yield from _others(source, node, alias)
        elif isinstance(node, ast.Import) and len(node.names) == 1:
            old = node.names[0]
            if any(old.name == module for _, _, module in wanted):
                for near in _near(old.name, [*source.seen.exports, *sys.stdlib_module_names]):
                    yield _line(source, node, f"import {near} as {old.asname or old.name}")


def _near(word: str, known: list[str]) -> list[str]:
    return difflib.get_close_matches(word, known, 3, 0.6)


def _others(source: Source, node: ast.ImportFrom, alias: ast.alias) -> Iterator[Edit]:
    module, used = "." * node.level + str(node.module), alias.asname or alias.name
    last = module.split(".")[-1]
    for other, names in source.seen.exports.items():
        here = other == node.module or other.split(".")[-1] == last
        like = {used, *_near(alias.name, list(names))} if here else set()
        for name in names:
            if name in like:
                yield _line(source, node, f"from {module} import {name}" + _alias(name, used))
        if used in names and not here:
            yield _line(source, node, f"from {other} import {used}")
    for other in _near(str(node.module), [*source.seen.exports, *_LIBRARY]):
        yield _line(source, node, f"from {other} import {alias.name}" + _alias(alias.name, used))


def _alias(name: str, used: str) -> str:
    return f" as {used}" if name != used else ""


def _line(source: Source, node: ast.stmt, text: str) -> Edit:
    return Edit(source.path, *source.span(node), text, "import", 0.3, node.lineno)


def inner(source: Source) -> Iterator[Edit]:
    """Import the class that a module is named after instead of the module, or the other way round."""
    for module, _ in _missing(source, _NO_ATTRIBUTE):
        name = module.split(".")[-1]
        for node in source.tree.body:
            if isinstance(node, ast.Import) and [a.name for a in node.names] == [name]:
                yield _line(source, node, f"from {name} import {name}")
            elif isinstance(node, ast.ImportFrom) and node.module == name:
                rest = [a.name for a in node.names if a.name != name]
                if len(rest) < len(node.names):
                    more = f"\nfrom {name} import {', '.join(rest)}" if rest else ""
                    yield _line(source, node, f"import {name}{more}")


def misspelt(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Call what a test says is not there by a name that is near: a variable's, a class's, a module's."""
    scope = source.scope_of(node)
    if isinstance(node, ast.Name) and (node.id,) in _missing(source, _UNDEFINED):
        known = [*scope.names, *source.globals]
        like = _near(node.id, known)
        for name in (n for n in known if n.split(".")[-1] == node.id or n in like):
            yield "misspelt", 0.3, ast.Name(name, ast.Load())
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and _refused(node, source):
        own = dict.fromkeys(n for names in source.seen.attributes.values() for n in names)
        for name in _near(node.attr, [*own, *(n for names in source.seen.classes.values() for n in names)]):
            yield "misspelt", 0.6, ast.Attribute(node.value, name, ast.Load())


def _refused(node: ast.Attribute, source: Source) -> bool:
    return any(f"has no attribute '{node.attr}'" in text for text in source.seen.complaints)


def constants_of(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Read another name of a class that is spoken of by its own name, or another global of the module."""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and dotted(node):
        owner = dotted(node).split(".")[0]
        for name in source.seen.classes.get(owner, ()):
            if name != node.attr:
                yield "attribute", 0.8, ast.Attribute(node.value, name, ast.Load())
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in source.globals:
        same = source.globals[node.id]
        for name, kind in source.globals.items():
            if name != node.id and kind == same:
                yield "global", 0.9, ast.Name(name, ast.Load())


IMPORT_OPERATORS = (misspelt, constants_of)
IMPORT_EDITS = (brought, declared, renamed, inner)

"""Says which classes of a test file hold tests, and which methods they have, as pytest collects them.

Only what stands in the file is seen: tests that a class inherits from another file are not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

Method = ast.FunctionDef | ast.AsyncFunctionDef
_PLAIN = frozenset({"object", "ABC", "Generic", "Protocol"})
_VALUES = frozenset({
    "BaseException", "Exception", "Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "NamedTuple", "TypedDict",
    "str", "bytes", "int", "float", "dict", "list", "tuple", "set", "frozenset",
})  # fmt: skip
"""Bases of classes that pytest makes no instance of: these are made in another way, or from arguments."""


class _Class(NamedTuple):
    node: ast.ClassDef
    bases: tuple[str, ...]

    def has_tests(self) -> bool:
        return any(isinstance(m, Method) and m.name.startswith("test") for m in self.node.body)


def last_name(node: ast.expr) -> str:
    """Return the last part of a dotted name, whatever it is called with or indexed by; "" for no name."""
    if isinstance(node, (ast.Call, ast.Subscript)):
        return last_name(node.func if isinstance(node, ast.Call) else node.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def collected_methods(tree: ast.Module) -> Iterator[tuple[ast.ClassDef, Method]]:
    """Yield the test classes of a file, each with its test methods, the inherited ones last."""
    lines = _lines(tree)
    mixed = {one.node.name for line in lines if _is_case(line) for one in line}
    for line in lines:
        node = line[0].node
        methods = {m.name: m for c in reversed(line) for m in c.node.body if isinstance(m, Method)}
        if _collected(line) or (_like_case(line) and node.name not in mixed):
            names = dict.fromkeys(m.name for c in line for m in c.node.body if isinstance(m, Method))
            yield from ((node, methods[name]) for name in names if name.startswith("test"))


def foreign_bases(tree: ast.Module) -> Iterator[str]:
    """Yield the bases from elsewhere, none a TestCase, of test classes and of what may be some."""
    for line in _lines(tree):
        tests = any(one.has_tests() for one in line)
        if not _is_case(line) and (tests or _collected(line)):
            unknown = (n for n in _foreign(line) if n not in _PLAIN | _VALUES)
            yield from (n for n in unknown if tests or not n.endswith(("Error", "Exception", "Warning")))


def _lines(tree: ast.Module) -> list[list[_Class]]:
    """Return every class of a file with the classes of the file that it inherits from, the nearest first."""
    names = _aliases(tree)
    known = {
        node.name: _Class(node, tuple(names.get(name, name) for name in map(last_name, node.bases)))
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }
    lines = [[one] for one in known.values()]
    for line in lines:
        for one in line:
            line += [known[name] for name in one.bases if name in known and known[name] not in line]
    return lines


def _aliases(tree: ast.Module) -> dict[str, str]:
    """Return what names stand for that a file gives to others, as in `Base = unittest.TestCase`."""
    names: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname: alias.name for alias in node.names if alias.asname}
        elif isinstance(node, ast.Assign) and isinstance(node.value, (ast.Name, ast.Attribute)):
            value = last_name(node.value)
            names |= {t.id: names.get(value, value) for t in node.targets if isinstance(t, ast.Name)}
    return names


def _foreign(line: list[_Class]) -> list[str]:
    own = {one.node.name for one in line}
    return [name for one in line for name in one.bases if name not in own]


def _is_case(line: list[_Class]) -> bool:
    return any(name.endswith("TestCase") for name in _foreign(line))


def _like_case(line: list[_Class]) -> bool:
    """Say whether a base from elsewhere is a TestCase by its name, or by what the tests call."""
    names = [name for name in _foreign(line) if name not in _PLAIN | _VALUES]
    calls = (n for one in line for n in ast.walk(one.node) if isinstance(n, ast.Attribute))
    return any(name.endswith("Case") for name in names) or (
        bool(names) and any(last_name(n.value) == "self" and re.match("assert[A-Z]", n.attr) for n in calls)
    )


def _collected(line: list[_Class]) -> bool:
    """Say whether pytest collects a class: a TestCase, or one named Test* that needs no arguments."""
    if _is_case(line):
        return True
    if any(isinstance(m, Method) and m.name == "__init__" for c in line for m in c.node.body):
        return False
    foreign = _foreign(line)
    if not _VALUES.isdisjoint(foreign):
        return False
    return line[0].node.name.startswith("Test") or any("Test" in name for name in foreign)

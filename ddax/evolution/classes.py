"""Says which classes of a test file hold tests, and which methods they have, as pytest collects them.

Only what stands in the file is seen: tests that a class inherits from another file are not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

Method = ast.FunctionDef | ast.AsyncFunctionDef
_PLAIN = frozenset({"object", "ABC", "Generic", "Protocol"})


def last_name(node: ast.expr) -> str:
    """Return the last part of a dotted name, whatever it is called with or indexed by; "" for no name."""
    if isinstance(node, (ast.Call, ast.Subscript)):
        return last_name(node.func if isinstance(node, ast.Call) else node.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def collected_methods(tree: ast.Module) -> Iterator[tuple[ast.ClassDef, Method]]:
    """Yield the test classes of a file, each with its test methods, the inherited ones last."""
    known = _classes(tree)
    for node in known.values():
        line = _line(node, known)
        methods = {m.name: m for c in reversed(line) for m in c.body if isinstance(m, Method)}
        if _collected(node, line):
            names = dict.fromkeys(m.name for c in line for m in c.body if isinstance(m, Method))
            yield from ((node, methods[name]) for name in names if name.startswith("test"))


def foreign_bases(tree: ast.Module) -> Iterator[str]:
    """Yield the bases that test classes have from elsewhere, where these are no TestCase."""
    known = _classes(tree)
    for node in known.values():
        line = _line(node, known)
        if _collected(node, line) and not _is_case(line):
            yield from (n for n in _foreign(line) if n not in _PLAIN)


def _classes(tree: ast.Module) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def _line(node: ast.ClassDef, known: Mapping[str, ast.ClassDef]) -> list[ast.ClassDef]:
    """Return a class and the classes of the file that it inherits from, the nearest first."""
    line = [node]
    for one in line:
        bases = (known.get(last_name(base)) for base in one.bases)
        line += [base for base in bases if base is not None and base not in line]
    return line


def _foreign(line: list[ast.ClassDef]) -> list[str]:
    own = {node.name for node in line}
    names = [last_name(base) for node in line for base in node.bases]
    return [name for name in names if name not in own]


def _is_case(line: list[ast.ClassDef]) -> bool:
    return any(name.endswith("TestCase") for name in _foreign(line))


def _collected(node: ast.ClassDef, line: list[ast.ClassDef]) -> bool:
    """Say whether pytest collects a class: a TestCase, or one named Test* that needs no arguments."""
    if _is_case(line):
        return True
    if any(isinstance(m, Method) and m.name == "__init__" for c in line for m in c.body):
        return False
    return node.name.startswith("Test") or any("Test" in name for name in _foreign(line))

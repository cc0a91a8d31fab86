"""Finds the code that tests judge by, which no repair may change: their files, and helpers elsewhere."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath

from ddax.evolution.localise import Place
from ddax.evolution.operators.base import FunctionNode
from ddax.evolution.program.definitions import words
from ddax.evolution.program.imports import parsed

FOLDERS, FILES = frozenset({"test", "tests"}), frozenset({"conftest.py", "tests.py"})
_FAILING = frozenset({"AssertionError", "fail", "assertEqual", "assertTrue", "assertRaises"})
_Call = tuple[ast.Call, bool]
_DEFINED, _WORD = re.compile(r"(?:async def|def|class) (\w+)"), re.compile(r"\w+")


def of_tests(path: str) -> bool:
    """Say whether a file belongs to the tests by its place or name."""
    place = PurePath(path)
    own = place.name.startswith("test_") or place.name.endswith("_test.py") or place.name in FILES
    return own or bool(FOLDERS & set(place.parts[:-1]))


def judging(files: Mapping[str, str], tests: Iterable[str]) -> frozenset[Place]:
    """Return the lines of the functions by which tests judge, and which the program itself never names.

    Such a function asserts, or is only ever given what the program does: `raises(KeyError, lambda: get(1))`.
    """
    trees = {path: parsed(text) for path, text in files.items()}
    asked = list(map(parsed, tests))
    tops = {
        (p, n.name): n for p, t in trees.items() for n in t.body if isinstance(n, FunctionNode | ast.ClassDef)
    }
    names = frozenset(name for _, name in tops)
    used = {name for path, tree in trees.items() if not of_tests(path) for name in _named_inside(tree)}
    found = set[Place]()
    for (path, name), node in tops.items():
        calls = [call for tree in asked for call in _calls(tree, name)]
        if calls and name not in used and _judges(node, calls, names - {name}):
            found |= {(path, line) for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    return frozenset(found)


def told_by_judges(files: Mapping[str, str], tests: Iterable[str]) -> Counter[str]:
    """Count the lines by which tests judge, and where their names stand: no patch makes it another count."""
    lines = Counter(files[path].split("\n")[line - 1] for path, line in judging(files, tests))
    names = {found[1] for line in lines if (found := _DEFINED.match(line))}
    return lines + Counter(word for text in files.values() for word in _WORD.findall(text) if word in names)


def _named_inside(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a file speaks of, those of a definition within itself left out."""
    for node in tree.body:
        own = {node.name} if isinstance(node, FunctionNode | ast.ClassDef) else set[str]()
        yield from words(node) - own


def _calls(tree: ast.Module, name: str) -> Iterator[_Call]:
    """Yield the calls of a name, and whether each is what a `with` enters."""
    entered = {i.context_expr for n in ast.walk(tree) if isinstance(n, ast.With) for i in n.items}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called == name:
                yield node, node in entered


def _judges(node: ast.AST, calls: list[_Call], program: frozenset[str]) -> bool:
    asserts = any(isinstance(n, ast.Assert) for n in ast.walk(node)) or bool(words(node) & _FAILING)
    if asserts and all(entered or _given(call, program) for call, entered in calls):
        return True
    return all(_runs(call, program) for call, _ in calls)


def _given(call: ast.Call, program: frozenset[str]) -> bool:
    """Say whether a call is given what the program gives back."""
    return any(words(a) & program for a in (*call.args, *(k.value for k in call.keywords)))


def _runs(call: ast.Call, program: frozenset[str]) -> bool:
    """Say whether a call is given an error and the program to be run for it."""
    errors = (w for a in call.args for w in words(a))
    lambdas = any(isinstance(a, ast.Lambda) and words(a) & program for a in call.args)
    named = any(isinstance(a, ast.Name) and a.id in program for a in call.args)
    return (lambdas or named) and any(w.endswith(("Error", "Exception")) for w in errors)

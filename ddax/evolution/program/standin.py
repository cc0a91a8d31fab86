"""Says whether tests need pytest itself, or ask for nothing and can be called as they are."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from ddax.evolution.program.imports import parsed
from ddax.evolution.program.test_classes import Method, collected_methods, foreign_bases

PYTEST = "pytest"
_HOOKS = frozenset({
    "setup_module", "teardown_module", "setup_function", "teardown_function", "setup_class",
    "teardown_class", "teardown_method", "setUpModule", "tearDownModule",
})  # fmt: skip


def needs_pytest(tests: Mapping[str, str]) -> str:
    """Return why the tests need pytest itself, or "" where they do not."""
    for path, text in tests.items():
        for reason in _reasons(parsed(text)):
            return f"{path} uses {reason}"
    return ""


def can_be_called(tests: Mapping[str, str]) -> bool:
    """Say whether tests can be called as they are, even where they import pytest (for `raises`, say)."""
    if any(path.endswith("conftest.py") for path in tests):
        return False
    return all(reason == PYTEST for text in tests.values() for reason in _reasons(parsed(text)))


def _reasons(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if any(name.partition(".")[0] in ("pytest", "_pytest") for name in names):
            yield PYTEST
        elif isinstance(node, ast.FunctionDef) and node.name in _HOOKS:
            yield node.name
        elif {getattr(node, "attr", ""), getattr(node, "id", "")} & {"fixture", "usefixtures"}:
            yield "fixtures of its own"
    yield from (f"the base class {name}, which is not in the file" for name in foreign_bases(tree))
    tests = [n for n in tree.body if isinstance(n, Method) and n.name.startswith("test")]
    for test in [*tests, *(method for _, method in collected_methods(tree))]:
        names = [a.arg for a in test.args.args if a.arg not in ("self", "cls")]
        yield from (f"the fixture {name}" for name in names[: len(names) - len(test.args.defaults)])
    yield from (f"the coroutine {test.name}" for test in tests if isinstance(test, ast.AsyncFunctionDef))

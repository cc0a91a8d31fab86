"""Says whether tests need the project's own pytest, or run as well under the light stand-in."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from ddax.evolution.classes import Method, collected_methods, foreign_bases, last_name
from ddax.evolution.inside.fixtures import FIXTURES

_KNOWN = frozenset({
    "raises", "approx", "skip", "fail", "fixture", "mark", "param", "Skipped", "MonkeyPatch",
    "CaptureFixture",
})  # fmt: skip
_MARKS = frozenset({"parametrize", "skip", "skipif"})
_HOOKS = frozenset({
    "setup_module", "teardown_module", "setup_function", "teardown_function", "setup_class",
    "teardown_class", "teardown_method", "setUpModule", "tearDownModule",
})  # fmt: skip


def needs_pytest(tests: Mapping[str, str], conftest: bool) -> str:
    """Return why the tests need pytest itself, or "" where the stand-in will do."""
    if conftest:
        return "there is a conftest.py"
    for path, text in tests.items():
        try:
            tree = ast.parse(text, path)
        except SyntaxError:
            continue
        for reason in _reasons(tree):
            return f"{path} uses {reason}"
    return ""


def _reasons(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "pytest":
            if node.attr not in _KNOWN:
                yield f"pytest.{node.attr}"
        elif isinstance(node, ast.Attribute) and _is_mark(node.value) and node.attr not in _MARKS:
            yield f"pytest.mark.{node.attr}"
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("pytest", "_pytest"):
            yield from (alias.name for alias in node.names if alias.name not in _KNOWN)
        elif (
            isinstance(node, ast.Call)
            and last_name(node.func) in ("fixture", "parametrize")
            and node.keywords
        ):
            words = [k.arg for k in node.keywords if k.arg not in ("argnames", "argvalues", "ids", "name")]
            yield from (f"the option {word} of {last_name(node.func)}" for word in words)
        elif isinstance(node, ast.FunctionDef) and node.name in _HOOKS:
            yield node.name
        elif isinstance(node, ast.ClassDef) and _decorated(node, "parametrize"):
            yield f"parametrize on the class {node.name}"
        elif isinstance(node, ast.Name) and node.id == "pytestmark":
            yield "pytestmark"
    yield from (f"the base class {name}, which is not in the file" for name in foreign_bases(tree))
    yield from _fixtures(tree)


def _is_mark(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "mark" and last_name(node.value) == "pytest"


def _fixtures(tree: ast.Module) -> Iterator[str]:
    """Yield the fixtures that are used, but neither defined at the head of the file nor in the stand-in."""
    yield from (f"the fixture {name}" for name in _asked(tree) if name not in FIXTURES)
    methods = [m for c in tree.body if isinstance(c, ast.ClassDef) for m in c.body if isinstance(m, Method)]
    yield from (f"the fixture {m.name} of a class" for m in methods if _decorated(m, "fixture"))


def within(tests: Mapping[str, str]) -> bool:
    """Say whether tests ask for a fixture that acts on the process that they share with the program."""
    trees = (ast.parse(text) for text in tests.values())
    return any(name in FIXTURES for tree in trees for name in _asked(tree))


def _asked(tree: ast.Module) -> Iterator[str]:
    """Yield the fixtures that tests ask for and that are not defined at the head of the file."""
    own = {n.name for n in tree.body if isinstance(n, ast.FunctionDef) and _decorated(n, "fixture")}
    functions = [n for n in tree.body if isinstance(n, Method)]
    used = [f for f in functions if f.name.startswith("test") or f.name in own]
    used += [method for _, method in collected_methods(tree)]
    for function in used:
        given = own | _rows(function) | {"self", "cls"}
        count = len(function.args.defaults)
        names = [a.arg for a in function.args.args][: len(function.args.args) - count]
        yield from (name for name in names if name not in given)


def has_rows(text: str) -> bool:
    """Tell whether a test of a file is parametrized; False for what is no Python."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError):
        return False
    return any(isinstance(node, Method | ast.ClassDef) and bool(_rows(node)) for node in nodes)


def _decorated(node: Method | ast.ClassDef, name: str) -> bool:
    return any(last_name(decorator) == name for decorator in node.decorator_list)


def _rows(node: Method | ast.ClassDef) -> set[str]:
    names: set[str] = set()
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and last_name(decorator.func) == "parametrize" and decorator.args:
            first = decorator.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                names |= {n.strip() for n in first.value.split(",")}
            elif isinstance(first, (ast.Tuple, ast.List)):
                names |= {str(e.value) for e in first.elts if isinstance(e, ast.Constant)}
    return names

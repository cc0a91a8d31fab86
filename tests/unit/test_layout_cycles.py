"""No module needs one that needs it: whole files are walked, imports within functions too."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Mapping
from pathlib import Path

from tests.cases import cases


def imports(tree: ast.AST, modules: Container[str]) -> Iterator[str]:
    """Yield which modules one imports at run time, wherever in it that stands."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for other in node.orelse:
                yield from imports(other, modules)
            continue
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            parts = (f"{node.module}.{name.name}" for name in node.names)
            yield from (part if part in modules else node.module for part in parts)
        yield from imports(node, modules)


def needed(package: Path) -> dict[str, set[str]]:
    """Map each module of a package to those of its own package that it imports."""
    files = {}
    for path in package.rglob("*.py"):
        parts = path.relative_to(package.parent).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    trees = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in files.items()}
    return {name: ({*imports(tree, files)} & files.keys()) - {name} for name, tree in trees.items()}


def cycles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the groups of modules that need each other: what is left where leaves are taken off."""
    left = {name: set(others) for name, others in graph.items()}
    while leaves := {name for name, others in left.items() if not others & left.keys()}:
        left = {name: others for name, others in left.items() if name not in leaves}
    found = list[list[str]]()
    for name in left:
        reached = _reached(name, left)
        group = sorted(other for other in reached if name in _reached(other, left))
        if group and group not in found:
            found.append(group)
    return found


def _reached(name: str, graph: Mapping[str, set[str]]) -> set[str]:
    seen, todo = set[str](), [*graph[name] & graph.keys()]
    while todo:
        other = todo.pop()
        if other not in seen:
            seen.add(other)
            todo += graph[other] & graph.keys()
    return seen


def test_no_module_needs_one_that_needs_it(repo: Path) -> None:
    graph = needed(repo / "ddax")
    assert len(graph) > 500
    assert cycles(graph) == []


@cases("a", "b", "found")
def test_a_cycle_is_found_wherever_its_import_stands(
    tmp_path: Path, a: str, b: str, found: list[list[str]]
) -> None:
    package = tmp_path / "pack"
    package.mkdir()
    for name, text in (("__init__", ""), ("a", a), ("b", b)):
        (package / f"{name}.py").write_text(text)
    assert cycles(needed(package)) == found

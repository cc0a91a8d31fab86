"""Finds the test files beside those that were named which reach the code under repair."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from ddax.evolution.program.imports import closure, import_root
from ddax.evolution.program.test_code import FOLDERS, of_tests

MOST, BYTES, REACHED = 40, 200_000, 100
"""Test files that are looked at, bytes of one, and files that an import may lead over."""


def tests_beside(
    root: Path, tests: Sequence[Path], targets: Collection[Path], folders: Sequence[Path],
    out: Collection[Path],
) -> dict[Path, str]:  # fmt: skip
    """Return the test files of a project near the named ones that import a target, with their texts.

    Those in the same folder come first, then all below the `tests` that it stands in. A package that is
    imported may load each of its modules by name. What lies in `out` was left out on purpose.
    """
    own = [p for folder in dict.fromkeys(t.parent for t in tests) for p in sorted(folder.glob("*.py"))]
    trees = [p for t in tests for p in t.parents if p.name in FOLDERS and p.is_relative_to(root)]
    near = dict.fromkeys([*own, *(p for tree in dict.fromkeys(trees) for p in sorted(tree.rglob("*.py")))])
    named, wanted = set(tests), {*targets, *(_package(path) for path in targets)}
    found: dict[Path, str] = {}
    for path in list(near)[: 4 * MOST]:
        if path in named or not _is_one(path) or any(path.is_relative_to(o) for o in out):
            continue
        if wanted & set(closure([path], folders, limit=REACHED)):
            found[path] = path.read_text("utf-8", errors="replace")
        if len(found) == MOST:
            break
    return found


def _package(path: Path) -> Path:
    """Return the first file that importing a module runs: of the package that it stands in, or itself."""
    top = import_root(path)
    return top / path.relative_to(top).parts[0] / "__init__.py" if path.parent != top else path


def _is_one(path: Path) -> bool:
    own = of_tests(path.name) and path.name != "conftest.py"
    return own and path.is_file() and path.stat().st_size <= BYTES

"""Finds the test files beside those that were named which reach the code under repair."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from ddax.evolution.program.imports import closure
from ddax.evolution.program.test_code import of_tests

MOST, BYTES, REACHED = 40, 200_000, 100
"""Test files that are looked at, bytes of one, and files that an import may lead over."""


def tests_beside(
    tests: Sequence[Path], targets: Collection[Path], folders: Sequence[Path], out: Collection[Path]
) -> dict[Path, str]:
    """Return the test files in the folders of the named ones that import a target, with their texts.

    What lies in `out` was left out on purpose.
    """
    near = [p for folder in dict.fromkeys(t.parent for t in tests) for p in sorted(folder.glob("*.py"))]
    named = set(tests)
    found: dict[Path, str] = {}
    for path in near[: 4 * MOST]:
        if path in named or not _is_one(path) or any(path.is_relative_to(o) for o in out):
            continue
        if set(targets) & set(closure([path], folders, limit=REACHED)):
            found[path] = path.read_text("utf-8", errors="replace")
        if len(found) == MOST:
            break
    return found


def _is_one(path: Path) -> bool:
    own = of_tests(path.name) and path.name != "conftest.py"
    return own and path.is_file() and path.stat().st_size <= BYTES

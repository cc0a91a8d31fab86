"""What makes a task one of code: a source that holds Python files and tests for them.

No node of its own: `open_task` notes it, `select` asks whether evolution is due, `evolve` loads it.
"""

from __future__ import annotations

from pathlib import Path

from ddax.types import JsonDict

MAX_FILES = 200
MAX_CHARS = 400_000


def code_task(sources: tuple[str, ...]) -> JsonDict:
    """Return root, targets and tests of the first source that has code and tests; empty without one."""
    for source in sources:
        root = Path(source)
        if not root.is_dir():
            continue
        files = sorted(p for p in root.rglob("*.py") if not _hidden(p, root))[:MAX_FILES]
        tests = [p for p in files if _is_test(p)]
        targets = [p for p in files if not _is_test(p) and p.name != "conftest.py"]
        if tests and targets:
            return {"root": str(root), "targets": _names(targets, root), "tests": _names(tests, root)}
    return {}


def load_files(root: str, names: list[str]) -> dict[str, str]:
    """Read source files by their names below a root."""
    return {name: (Path(root) / name).read_text(encoding="utf-8")[:MAX_CHARS] for name in names}


def _is_test(path: Path) -> bool:
    return path.name.startswith("test_") or path.name.endswith("_test.py")


def _hidden(path: Path, root: Path) -> bool:
    return any(part.startswith(".") or part == "__pycache__" for part in path.relative_to(root).parts)


def _names(paths: list[Path], root: Path) -> list[str]:
    return [p.relative_to(root).as_posix() for p in paths]

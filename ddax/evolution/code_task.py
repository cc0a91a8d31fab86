"""What makes a task one of code: a source folder that holds Python files and tests for them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ddax.errors import SourceError

MAX_FILES = 200
MAX_CHARS = 400_000


@dataclass(frozen=True)
class CodeFolder:
    """A folder with code and tests; names are relative to `root`, with forward slashes."""

    root: str
    targets: tuple[str, ...]
    tests: tuple[str, ...]

    def read(self) -> tuple[dict[str, str], dict[str, str]]:
        """Read the programs and the tests with their line ends; raises SourceError for what is no UTF-8."""
        return self._texts(self.targets), self._texts(self.tests)

    def _texts(self, names: tuple[str, ...]) -> dict[str, str]:
        texts = {}
        for name in names:
            try:
                texts[name] = (Path(self.root) / name).read_bytes().decode("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise SourceError(
                    f"cannot read {name!r} in {self.root!r}.",
                    why=str(error),
                    mend="Check the file, or leave it out of the sources.",
                ) from error
        return texts


def find_code(sources: tuple[str, ...]) -> CodeFolder | None:
    """Return the first source folder that has both code and tests."""
    for source in sources:
        root = Path(source)
        if "://" in source or not os.path.isdir(root):  # which a name too long for a file is not
            continue
        files = [p for p in sorted(root.rglob("*.py")) if _plain(p, root)][:MAX_FILES]
        tests = tuple(_name(p, root) for p in files if _is_test(p))
        targets = tuple(_name(p, root) for p in files if not _is_test(p) and p.name != "conftest.py")
        if tests and targets:
            return CodeFolder(str(root), targets, tests)
    return None


def _is_test(path: Path) -> bool:
    return path.name.startswith("test_") or path.name.endswith("_test.py")


def _plain(path: Path, root: Path) -> bool:
    """Tell whether a file is of the folder, not hidden, cached or too large to be code somebody wrote."""
    parts = path.relative_to(root).parts
    hidden = any(part.startswith(".") or part == "__pycache__" for part in parts)
    if hidden or not path.is_file() or not path.resolve().is_relative_to(root.resolve()):
        return False
    return path.stat().st_size <= MAX_CHARS


def _name(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()

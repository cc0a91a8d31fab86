"""Follows the imports of a project's files on the disk, and never runs them."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

HIDDEN = frozenset({"__pycache__", "node_modules", "site-packages", "venv", "build", "dist"})


def python_files(folder: Path) -> Iterator[Path]:
    """Yield the Python files below a folder in order, without hidden, cached and installed ones."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:  # what nobody lets us list is no part of a program that we could read
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.name in HIDDEN or os.path.islink(entry):
            continue  # os.path, as a Path raises where a folder cannot be entered
        if os.path.isdir(entry) and not os.path.exists(entry / "pyvenv.cfg"):
            yield from python_files(entry)
        elif entry.suffix == ".py" and os.path.isfile(entry):
            yield entry


def parsed(text: str) -> ast.Module:
    """Parse a program; in one that cannot be read there is nothing."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def imported_names(text: str, package: Sequence[str]) -> Iterator[str]:
    """Yield the dotted names that a file in a package imports; nothing where it cannot be parsed."""
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            parts = [*base, *([node.module] if node.module else [])]
            if parts:
                yield ".".join(parts)
            yield from (".".join([*parts, alias.name]) for alias in node.names if alias.name != "*")


def resolve(name: str, folders: Iterable[Path]) -> list[Path]:
    """Return the files that importing a dotted name runs, from the first folder that has it."""
    parts = name.split(".")
    for folder in folders:
        files = []
        for end in range(1, len(parts) + 1):
            place = folder.joinpath(*parts[:end])
            if os.path.isfile(place / "__init__.py"):
                files.append(place / "__init__.py")
            elif os.path.isfile(place.with_suffix(".py")):
                files.append(place.with_suffix(".py"))
                break
            elif not os.path.isdir(place):
                break
        if files:
            return files
    return []


def import_root(file: Path) -> Path:
    """Return the folder that a file's imports begin at: the first one above it that is no package."""
    folder = file.parent
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        folder = folder.parent
    return folder


def closure(files: Iterable[Path], folders: Sequence[Path], *, limit: int) -> list[Path]:
    """Return the files and all that they import from the folders, at most `limit`, in order found."""
    queue, known = list(files), dict[Path, None]()
    while queue and len(known) < limit:
        file = queue.pop(0)
        if file in known:
            continue
        known[file] = None
        root = import_root(file)
        package = file.parent.relative_to(root).parts
        text = file.read_text("utf-8-sig", errors="replace")
        for name in imported_names(text, package):
            queue += resolve(name, (*folders, root))
    return list(known)

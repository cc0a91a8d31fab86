"""Read small YAML documents (identity profiles, matrices, rubrics) with the line of every top-level key.

Leaves out the layered settings (`ddax.configs.layers`). Only YAML's safe loaders are used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ddax.errors import SettingsError

if TYPE_CHECKING:
    from yaml import Node

MAX_BYTES = 1_000_000


@dataclass(frozen=True)
class YamlDocument:
    """A mapping read from a file, and the line on which each of its keys stands."""

    path: Path
    values: dict[str, Any]
    lines: dict[str, int]

    def where(self, key: str) -> str:
        """Return `file:line` of a key, or the file where the key is missing."""
        return f"{self.path}:{self.lines[key]}" if key in self.lines else str(self.path)


def shipped(*parts: str) -> Path:
    """Return the path of a file that ships in `ddax/configs`."""
    return Path(__file__).parent.joinpath(*parts)


def read_document(path: Path, *, may_be_empty: bool = False) -> YamlDocument:
    """Read a YAML mapping; raises `SettingsError` that names the file and, where known, the line."""
    import yaml

    text = _text(path)
    try:
        node, value = _read(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        problem = str(getattr(error, "problem", None) or error).splitlines()[0]
        raise SettingsError(
            f"{where}: the file is not valid YAML.", why=f"{problem}.", mend="Mend the file at that place."
        ) from error
    if node is None and may_be_empty:
        return YamlDocument(path, {}, {})
    if not isinstance(node, yaml.MappingNode):
        raise SettingsError(
            f"{path}: expected `key: value` lines.",
            why="It holds something else than a table of keys.",
            mend="Compare with the shipped files.",
        )
    lines = {str(key.value): key.start_mark.line + 1 for key, _ in node.value}
    return YamlDocument(path, value, lines)


def safe_load(text: str) -> Any:
    """Return the value of a YAML text; raises yaml.YAMLError."""
    return _read(text)[1]


def _read(text: str) -> tuple[Node | None, Any]:
    """Return the root of a YAML text and its value, by the quick parser where that reads it."""
    import yaml

    try:
        return _parsed(getattr(yaml, "CSafeLoader", yaml.SafeLoader), text)
    except yaml.YAMLError:
        # What is wrong is told by the plain one: in the same words on every platform.
        return _parsed(yaml.SafeLoader, text)


def _parsed(kind: Callable[[str], Any], text: str) -> tuple[Node | None, Any]:
    loader = kind(text)
    try:
        node = loader.get_single_node()
        return node, None if node is None else loader.construct_document(node)
    finally:
        loader.dispose()


def _looked(path: Path) -> str:
    """Say where a relative path was looked for: a thread may be gone on with from another folder."""
    return "" if path.is_absolute() else f" in {Path.cwd()}"


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise SettingsError(
                f"{path} is larger than {MAX_BYTES:,} bytes.",
                why="A profile is small; this is something else.",
                mend="Give a YAML profile.",
            )
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SettingsError(
            f"{path} is not UTF-8 text.", why="It holds bytes that are no text.", mend="Save it as UTF-8."
        ) from error
    except OSError as error:
        raise SettingsError(
            f"{path} cannot be read.",
            why=f"{error.strerror or error}{_looked(path)}.",
            mend="Check the path, or go to the folder where the thread was begun.",
        ) from error

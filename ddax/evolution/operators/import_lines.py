"""Where a further import belongs: among those that are there, in the order that they keep."""

from __future__ import annotations

import ast
import re
import sys
from itertools import pairwise

from ddax.evolution.operators.base import FunctionNode, Source
from ddax.evolution.operators.places import Change

_Import = ast.Import | ast.ImportFrom
_SIMPLE = re.compile(r"from [\w.]+ import \w+(?: as \w+)?(?:, \w+(?: as \w+)?)*")
"""An import that stands on one line and has no brackets and no comment."""


def import_line(source: Source, text: str) -> Change:
    """Return the change that puts one import into a file and leaves all else as it is."""
    new = ast.parse(text).body[0]
    if not isinstance(new, _Import):
        raise ValueError(f"{text!r} is no import")
    end = "\r\n" if b"\r\n" in source.text else "\n"
    block = _block(source)
    if isinstance(new, ast.ImportFrom) and (joined := _joined(source, block, new)):
        return joined
    if not block:
        return _first(source, text, end)
    own = [node for node in block if _section(node, source) == _section(new, source)]
    if not own:
        return _new_section(source, block, new, text, end)
    kinds = _sorted(own, True) or not _sorted(own, False)
    after = [node for node in own if _key(node, kinds) <= _key(new, kinds)]
    if after:
        at = source.after(after[-1])
        return at, at, ("" if source.text[:at].endswith(b"\n") else end) + text + end
    at = source.lines[own[0].lineno - 1]
    return at, at, text + end


def _block(source: Source) -> list[_Import]:
    """Return the imports at the head of a file, those from `__future__` left out."""
    found: list[_Import] = []
    for node in source.tree.body[_head(source) :]:
        if not isinstance(node, _Import):
            break
        found.append(node)
    return found


def _head(source: Source) -> int:
    """Count the statements that stand before every import: the docstring, and imports from `__future__`."""
    count = 0
    for node in source.tree.body:
        docstring = count == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not docstring and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            break
        count += 1
    return count


def _section(node: _Import, source: Source) -> int:
    """Return 0 for the standard library, 1 for what is installed, 2 for the project's own."""
    if isinstance(node, ast.ImportFrom) and node.level:
        return 2
    top = _module(node).split(".")[0]
    if top in {name.split(".")[0] for name in source.seen.exports}:
        return 2
    return 0 if top in sys.stdlib_module_names else 1


def _module(node: _Import) -> str:
    return (node.module or "") if isinstance(node, ast.ImportFrom) else node.names[0].name


def _key(node: _Import, kinds: bool) -> tuple[bool, str]:
    """Return what imports are sorted by: `import` before `from` where `kinds` are apart, then the module."""
    return kinds and isinstance(node, ast.ImportFrom), _module(node).lower()


def _sorted(nodes: list[_Import], kinds: bool) -> bool:
    return all(_key(a, kinds) <= _key(b, kinds) for a, b in pairwise(nodes))


def _joined(source: Source, block: list[_Import], new: ast.ImportFrom) -> Change | None:
    """Add the name to an import from the same module; None where there is none that can be added to."""
    for node in block:
        if isinstance(node, ast.ImportFrom) and (node.module, node.level) == (new.module, new.level):
            if not _SIMPLE.fullmatch(source.segment(node)):
                return None
            old = [ast.unparse(alias) for alias in node.names]
            name = ast.unparse(new.names[0])
            names = sorted([*old, name]) if old == sorted(old) else [*old, name]
            module = "." * node.level + (node.module or "")
            return *source.span(node), f"from {module} import {', '.join(names)}"
    return None


def _new_section(source: Source, block: list[_Import], new: _Import, text: str, end: str) -> Change:
    """Put the import before the first of a later section, or behind all, with a line between."""
    later = [node for node in block if _section(node, source) > _section(new, source)]
    if later:
        at = source.lines[later[0].lineno - 1]
        return at, at, f"{text}{end}{end}"
    at = source.after(block[-1])
    return at, at, ("" if source.text[:at].endswith(b"\n") else end) + f"{end}{text}{end}"


def _first(source: Source, text: str, end: str) -> Change:
    """Put the only import behind what must stand before it, with the lines between that style wants."""
    count = _head(source)
    rest = source.tree.body[count:]
    if count:
        at = source.after(source.tree.body[count - 1])
        begin = end if source.text[:at].endswith(b"\n") else end + end
        return at, at, f"{begin}{text}{end}" + end * (_wanted(rest) - _blank(source, at))
    at = source.lines[_start(source, rest[0]) - 1] if rest else len(source.text)
    return at, at, text + end + end * _wanted(rest)


def _wanted(rest: list[ast.stmt]) -> int:
    """Return how many lines are to be left free before what follows the imports."""
    if not rest:
        return 0
    return 2 if isinstance(rest[0], FunctionNode | ast.ClassDef) else 1


def _blank(source: Source, at: int) -> int:
    """Count the empty lines that begin at an offset."""
    count = 0
    for line in source.text[at:].split(b"\n")[:-1]:
        if line.strip():
            break
        count += 1
    return count


def _start(source: Source, node: ast.stmt) -> int:
    """Return the first line of a statement with the comment that stands right above it.

    A comment that begins the file is the file's.
    """
    first = line = source.first_line(node)
    while line > 1 and source.text[source.lines[line - 2] : source.lines[line - 1]].lstrip()[:1] == b"#":
        line -= 1
    return line if line > 1 else first

"""What a patch brings in by which a program acts beyond itself: processes, the network, files, and the like.

A hint for whoever reads the patch, by names alone; it is no guard. Candidates run in the sandbox.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from ddax.evolution.program.imports import parsed

MODULES = frozenset({
    "aiohttp", "builtins", "ctypes", "ftplib", "http", "httpx", "importlib", "marshal", "multiprocessing",
    "os", "pickle", "pty", "requests", "runpy", "shutil", "signal", "smtplib", "socket", "subprocess", "sys",
    "urllib", "webbrowser",
})  # fmt: skip
"""Modules whose functions reach beyond the program."""
HARMLESS = ("os.path", "os.sep", "os.linesep", "os.fspath", "sys.maxsize", "urllib.parse", "http.HTTPStatus")
"""What of them only computes."""
FUNCTIONS = frozenset({"__import__", "compile", "eval", "exec", "open"})
TOLD = 3
"""Names that are told at most."""


def reaching_out(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    """Say by which names changed files reach beyond the program that no file had before."""
    known = {name for text in before.values() for name in _names(text)}
    new = sorted({name for text in after.values() for name in _names(text)} - known)
    new = [name for name in new if not any(other.startswith(f"{name}.") for other in new)]
    if not new:
        return ()
    more = " and more" if len(new) > TOLD else ""
    return (f"the patch brings in {', '.join(new[:TOLD])}{more}: see what it does beyond the program",)


def _names(text: str) -> Iterator[str]:
    """Return the dotted names of a text that reach beyond it, as they are called where they come from."""
    tree = parsed(text)
    origins = dict(_imported(tree))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Attribute, ast.Name)) and (name := _dotted(node, origins)):
            whole = name in FUNCTIONS or (name.partition(".")[0] in MODULES and "." in name)
            if whole and not any(f"{name}.".startswith(f"{one}.") for one in HARMLESS):
                yield name


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Return each imported name with the dotted one it stands for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((a.asname or a.name.partition(".")[0], a.name) for a in node.names if a.asname)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((a.asname or a.name, f"{node.module}.{a.name}") for a in node.names)


def _dotted(node: ast.expr, origins: Mapping[str, str]) -> str:
    """Return the dotted name of an expression; "" where it has none."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([origins.get(node.id, node.id), *reversed(parts)])

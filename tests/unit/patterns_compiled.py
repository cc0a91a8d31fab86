"""Every pattern that the package compiles, with where it stands and how it is used.

What modules compile as they are imported is noted as it happens, in a process of its own, so it does not
matter where the pattern is kept. What functions compile is read from their code; what such a pattern is
made of and only a call knows is a plain word here.
"""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import ddax

ROOT = Path(ddax.__file__).parent
ASKS = {"match": "match", "fullmatch": "fullmatch", "search": "search", "sub": "all", "subn": "all",
        "split": "all", "findall": "all", "finditer": "all"}  # fmt: skip
"""The function of `re` → how its pattern meets a text."""
WORD = "anna"


class Compiled(NamedTuple):
    """A pattern: where it is compiled, and by which of match, fullmatch, search and all it is used."""

    place: str
    pattern: str | bytes
    flags: int
    used: tuple[str, ...]


@cache
def patterns() -> tuple[Compiled, ...]:
    """Collect the patterns of the package, each once, in the order of their places."""
    found: dict[tuple[str | bytes, int], tuple[str, set[str]]] = {}
    for place, pattern, flags, used in [*_imported(), *_in_functions()]:
        _, uses = found.setdefault((pattern, flags), (place, set()))
        uses |= used
    rows = [Compiled(place, key[0], key[1], tuple(sorted(uses))) for key, (place, uses) in found.items()]
    return tuple(sorted(rows, key=lambda row: row.place))


def _imported() -> Iterator[tuple[str, str | bytes, int, set[str]]]:
    """Yield what a fresh interpreter compiles for the package while it imports all of it."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.unit.patterns_compiled"],
        cwd=ROOT.parent, capture_output=True, text=True, timeout=3000,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        if line.startswith("@@"):
            file, at, pattern, flags, binary = json.loads(line[2:])
            raw = pattern.encode("latin-1") if binary else pattern
            yield f"{file}:{at}", raw, flags, _uses(file, at)


def _uses(file: str, line: int) -> set[str]:
    """Return how the pattern compiled at a line is used: by the methods that its name is asked for."""
    names = [name for first, last, name in _assigned(file) if first <= line <= last]
    used = set() if names else _by_others(file)
    for name in names:
        used |= _methods().get((file, name), set())
    return used or {"search", "all", "match"}


@cache
def _by_others(file: str) -> set[str]:
    """Return how a module asks patterns that have no name of their own; in any way where it does not."""
    found = {
        ASKS[node.attr]
        for node in ast.walk(_tree(file))
        if isinstance(node, ast.Attribute)
        and node.attr in ASKS
        and ast.unparse(node.value) not in ("re", *(name for _, _, name in _assigned(file)))
    }
    return found or {"search", "all", "match"}


@cache
def _assigned(file: str) -> tuple[tuple[int, int, str], ...]:
    """Return the assignments of a module that are one call of `re.compile`: first and last line, name."""
    found = []
    for node in _tree(file).body:
        value = getattr(node, "value", None)
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(value, ast.Call):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if ast.unparse(value.func) == "re.compile" and isinstance(target, ast.Name):
                found.append((node.lineno, node.end_lineno or node.lineno, target.id))
    return tuple(found)


@cache
def _methods() -> Mapping[tuple[str, str], set[str]]:
    """Return how each name of a module is asked as a pattern; one that is handed on may meet anything."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for path in ROOT.rglob("*.py"):
        file = path.relative_to(ROOT).as_posix()
        tree, origin = _tree(file), _origins(file)
        direct: set[int] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                direct |= {id(node.value)} if node.attr in (*ASKS, "pattern", "flags", "groups") else set()
                if node.attr in ASKS:
                    found[origin.get(node.value.id, file), node.value.id] |= {ASKS[node.attr]}
        for node in ast.walk(tree):
            loaded = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in direct
            if loaded and node.id.isupper():
                found[origin.get(node.id, file), node.id] |= _by_others(file)
    return found


def _origins(file: str) -> dict[str, str]:
    """Return the names that a module imports from others of the package, with their files."""
    found = {}
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ddax."):
            base = "/".join((node.module or "").split(".")[1:])
            origin = f"{base}.py" if (ROOT / f"{base}.py").exists() else f"{base}/__init__.py"
            found |= {alias.asname or alias.name: origin for alias in node.names}
    return found


@cache
def _tree(file: str) -> ast.Module:
    return ast.parse((ROOT / file).read_text(encoding="utf-8"))


def _in_functions() -> Iterator[tuple[str, str | bytes, int, set[str]]]:
    """Yield the patterns of every call of `re` that stands in a function."""
    for path in sorted(ROOT.rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        for node in ast.walk(_tree(file)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                calls = [call for call in ast.walk(node) if isinstance(call, ast.Call)]
                for call in calls:
                    if isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", "") == "re":
                        yield from _called(file, call, node)


def _called(file: str, call: ast.Call, within: ast.AST) -> Iterator[tuple[str, str | bytes, int, set[str]]]:
    name = ast.unparse(call.func).removeprefix("re.")
    if name != "compile" and name not in ASKS:
        return
    given = {word.arg: word.value for word in call.keywords}
    where = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(name, 2)
    flags = given.get("flags") or (call.args[where] if len(call.args) > where else ast.Constant(0))
    scope = {**vars(importlib.import_module(_module(file)))}
    bits = _value(flags, scope, {})
    used = {ASKS[name]} if name in ASKS else {"search", "all", "match"}
    for form in _forms(call.args[0], within):
        pattern = _value(form, scope, _local(within))
        pattern = pattern.pattern if isinstance(pattern, re.Pattern) else pattern
        yield (
            f"{file}:{call.lineno}",
            pattern if isinstance(pattern, bytes) else str(pattern),
            int(bits),
            used,
        )


def _module(file: str) -> str:
    return ".".join(["ddax", *Path(file).with_suffix("").parts]).removesuffix(".__init__")


def _forms(node: ast.expr, within: ast.AST) -> list[ast.expr]:
    """Return what a pattern may be: where a loop runs over some that are written out, each of them."""
    for loop in ast.walk(within):
        over = loop.iter if isinstance(loop, ast.comprehension | ast.For) else None
        if isinstance(over, ast.Tuple) and ast.unparse(loop.target) == ast.unparse(node):
            return over.elts
    return [node]


def _local(within: ast.AST) -> dict[str, ast.expr | None]:
    """Return the names of a function: each with what it is assigned, if that is one thing."""
    found: dict[str, ast.expr | None] = {}
    for node in ast.walk(within):
        if isinstance(node, ast.arg):
            found[node.arg] = None
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.id, None)
    for node in ast.walk(within):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if isinstance(node, ast.Assign | ast.NamedExpr) and isinstance(targets[0], ast.Name):
            found[targets[0].id] = node.value
    return found


def _value(node: ast.expr, scope: Mapping[str, Any], local: Mapping[str, ast.expr | None]) -> Any:
    """Evaluate an expression of a function: with its module's names, and a word for what a call brings."""
    known: dict[str, Any] = {"__builtins__": __builtins__}
    for name in {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}:
        if name in local:
            told = local[name]
            deeper = {key: value for key, value in local.items() if key != name}
            known[name] = _value(told, scope, deeper) if told is not None else _Any(WORD)
        elif name in scope:
            known[name] = scope[name]
    try:
        return eval(compile(ast.fix_missing_locations(ast.Expression(node)), "<pattern>", "eval"), known)
    except (AttributeError, IndexError, KeyError, NameError, TypeError, ValueError):
        return _Any(WORD)  # it rests on what only a call knows


class _Any(str):
    """What only a call knows: a word, whatever is asked of it."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        return str.__getattribute__(self, name) if name.startswith("__") else _Any(WORD)

    def __call__(self, *_: object, **__: object) -> _Any:
        return self

    def __getitem__(self, _: object) -> _Any:  # type: ignore[override]
        return self

    def __iter__(self) -> Iterator[str]:
        return iter([WORD])


def _note() -> None:
    """Import all of the package and print what it compiles as it goes."""
    real = re._compile  # type: ignore[attr-defined]

    def noted(pattern: Any, flags: int) -> Any:
        frame = sys._getframe(1)
        while (
            frame
            and Path(frame.f_code.co_filename).name in ("__init__.py", "re.py")
            and "/re" in frame.f_code.co_filename
        ):
            frame = frame.f_back
        made = real(pattern, flags)
        file = frame.f_code.co_filename
        if file.startswith(str(ROOT)) and not isinstance(pattern, re.Pattern):
            binary = isinstance(pattern, bytes)
            row = [Path(file).relative_to(ROOT).as_posix(), frame.f_lineno,
                   pattern.decode("latin-1") if binary else pattern, made.flags, binary]  # fmt: skip
            print("@@" + json.dumps(row))
        return made

    re._compile = noted  # type: ignore[attr-defined]
    for module in pkgutil.walk_packages([str(ROOT)], "ddax."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


if __name__ == "__main__":
    _note()

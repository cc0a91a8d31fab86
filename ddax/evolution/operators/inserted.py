"""Small statements that may be missing: count, copy, collect, and those that stand elsewhere in the file."""

from __future__ import annotations

import ast
import builtins
from functools import lru_cache

from ddax.evolution.operators.base import Scope, Source, dotted
from ddax.evolution.operators.kinds import NUMBERS, SEQUENCES, plain
from ddax.evolution.operators.places import Place
from ddax.evolution.tables import families

_KNOWN = frozenset(
    {"len", "isinstance", "set", "sum", "str", "abs", "any", "all", "v", "sorted", "max", "min"}
)

_EMPTIED = frozenset({"list", "dict", "set", "deque", "defaultdict", "OrderedDict", "Counter"})
"""Types of what an object gathers, and what may have to go when something else begins."""


@lru_cache(maxsize=4096)  # asked of the same conditions and statements at every place
def uses(text: str) -> frozenset[str]:
    """Return the names that a piece of a program needs."""
    return frozenset(n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)) - _KNOWN


def transplants(scope: Scope, source: Source) -> list[tuple[float, str]]:
    """List the small statements of other functions of the file that make sense with the names of a scope.

    What a program lacks at one place it often has at another ("The Plastic Surgery Hypothesis", Barr and
    others, 2014).
    """
    waits = isinstance(scope.node, ast.AsyncFunctionDef)
    here = {ast.unparse(s) for s in scope.statements if isinstance(s, (ast.Assign, ast.AugAssign, ast.Expr))}
    names = {*scope.names, *source.globals, *dir(builtins)}
    known = sorted({text for text, awaited in source.small.items() if waits or not awaited} - here)
    near = _of_siblings(scope, source)
    return [(1.4 if text in near else 2.0, text) for text in known if uses(text) <= names]


def _of_siblings(scope: Scope, source: Source) -> set[str]:
    """Return what the other methods of a class do with the state of their object."""
    owner = source.parents.get(scope.node)
    if not isinstance(owner, ast.ClassDef):
        return set()
    own = (n for n in ast.walk(owner) if isinstance(n, ast.Assign | ast.AugAssign | ast.Expr))
    return {text for node in own if (text := ast.unparse(node)).startswith(("self.", "await self."))}


def statements_for(scope: Scope, place: Place) -> list[tuple[float, str]]:
    """List the small statements that make sense with the names of a scope."""
    found: dict[str, float] = {}
    simple = (s for s in scope.statements if isinstance(s, ast.AugAssign | ast.Assign | ast.Expr))
    own = {
        ast.unparse(s) for s in simple if not isinstance(s, ast.Expr) or not isinstance(s.value, ast.Constant)
    }
    for text in sorted(own):
        if len(text) < 60 and text != ast.unparse(place.node) and "\n" not in text:
            found.setdefault(text, 1.5)
    stores = [n for n in ast.walk(scope.node) if isinstance(getattr(n, "ctx", None), ast.Store)]
    stored = {n.id if isinstance(n, ast.Name) else dotted(n) for n in stores}
    read = {dotted(n) for n in ast.walk(scope.node)} - stored
    indexed = _indexed(scope)
    for name, kinds in scope.names.items():
        flat = plain(kinds)
        if flat == {"bool"} and name in stored:
            for text in (f"{name} = True", f"{name} = False"):
                found.setdefault(text, 1.5)
        for row in families("changed"):
            cost = row["stored" if name in stored else "cost"] if "stored" in row else row["cost"]
            for text in row["put"] if flat & set(row["of"].split()) else ():
                found.setdefault(text.replace("_x", name), cost)
        if name.startswith("self.") and flat & _EMPTIED:
            found.setdefault(f"{name}.clear()", 1.5)
        for other, theirs in scope.names.items():
            if other == name:
                continue
            if "int" in flat and plain(theirs) & SEQUENCES and (name, other) in indexed:
                found.setdefault(f"{name} %= len({other})", 1.5)
            if name.startswith("self.") and name in read and other in stored and plain(theirs) & flat:
                found.setdefault(f"{name} = {other}", 1.4)
            if name in stored and plain(theirs) & flat:
                found.setdefault(f"{name} = {other}", 1.9)
                if flat & (NUMBERS | SEQUENCES):
                    found.setdefault(f"{name} += {other}", 2.0)
                if flat & NUMBERS:
                    found.setdefault(f"{name} -= {other}", 2.2)
            if "list" in flat:
                found.setdefault(f"{name}.append({other})", 1.9)
            if "set" in flat:
                found.setdefault(f"{name}.add({other})", 1.9)
    return sorted((cost, text) for text, cost in found.items())


def _indexed(scope: Scope) -> set[tuple[str, str]]:
    """Return the names in an index or a slice, each with the sequence that is read by it."""
    return {
        (inner.id, ast.unparse(node.value))
        for node in ast.walk(scope.node)
        if isinstance(node, ast.Subscript)
        for inner in ast.walk(node.slice)
        if isinstance(inner, ast.Name)
    }

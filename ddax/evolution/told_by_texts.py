"""Adds to what was seen of a run what the texts of program and tests tell, and what the tests complain of."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from ddax.evolution.inside.loading import module_names
from ddax.evolution.localise import Report
from ddax.evolution.operators import Seen
from ddax.evolution.operators.base import FunctionNode
from ddax.evolution.program.suites import Suite


def informed(seen: Seen, suite: Suite, first: Report) -> Seen:
    """Return what is known for a search: what was seen, what is written, and how the tests `first` ended."""
    nodes = (node for unit in suite.units for node in ast.walk(ast.parse(unit.text)))
    literals = [node.value for node in nodes if isinstance(node, ast.Constant)]
    trees: dict[str, ast.Module] = {}
    for path, text in suite.sources.items():
        with suppress(SyntaxError):
            trees[path] = ast.parse(text)
    owners = [n for tree in trees.values() for n in ast.walk(tree) if isinstance(n, ast.ClassDef)]
    ended = (f"{row.name}: {row.message}" for row in first.rows if not row.good)
    numbers = (v for v in literals if isinstance(v, (int, float)) and not isinstance(v, bool))
    return replace(
        seen,
        words=tuple(dict.fromkeys(v for v in literals if isinstance(v, str) and len(v) <= 40)),
        numbers=tuple(dict.fromkeys(numbers)),
        complaints=tuple(dict.fromkeys((*ended, *([first.error] if first.error else [])))),
        exports={
            name: tuple(dict.fromkeys(_names(tree.body)))
            for path, tree in trees.items()
            for name in module_names(path, suite.roots)[:1]
        },
        classes={owner.name: tuple(dict.fromkeys(_names(owner.body))) for owner in owners},
        parameters=_parameters(trees, owners),
    )


def _names(body: list[ast.stmt]) -> Iterator[str]:
    """Yield the names that a module or a class gives to what it defines."""
    for node in body:
        if isinstance(node, FunctionNode | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name))


def _arguments(function: FunctionNode) -> list[str]:
    given = function.args
    return [a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def _parameters(trees: Mapping[str, ast.Module], owners: list[ast.ClassDef]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, FunctionNode):
                names = _arguments(node)
                found[node.name] = tuple(name for name in names if name not in ("self", "cls"))
    for owner in owners:
        for node in owner.body:
            if isinstance(node, FunctionNode) and node.name == "__init__":
                found[owner.name] = tuple(_arguments(node)[1:])
    return found

"""Says which definitions lie behind suspected lines: they run at import, where no test covers them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from ddax.evolution.localise import Place
from ddax.evolution.operators.base import FunctionNode

BEHIND, ASKED, STEPS = 0.8, 0.8, 2
"""Share of a line's suspicion that goes over to what defines its names, suspicion of what a failing test
names and never runs, and how often definitions lead to further ones."""
_Defined = dict[str, list[list[Place]]]


def words(root: ast.AST) -> set[str]:
    """Return the names and attributes that a piece of a program speaks of."""
    nodes = list(ast.walk(root))
    return {n.id for n in nodes if isinstance(n, ast.Name)} | {
        n.attr for n in nodes if isinstance(n, ast.Attribute)
    }


def _header(node: ast.stmt, body: list[ast.stmt]) -> range:
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    return range(first, max(node.lineno + 1, body[0].lineno))


def _given(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).split(".")[0] for alias in statement.names}
    stored = (n for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return {n.id for n in stored}


def _statements(body: Iterable[ast.stmt]) -> Iterator[tuple[set[str], range]]:
    for node in body:
        if isinstance(node, FunctionNode):
            yield {node.name}, _header(node, node.body)
        elif isinstance(node, ast.ClassDef):
            yield {node.name}, _header(node, node.body)
            yield from _statements(node.body)
        else:
            yield _given(node), range(node.lineno, (node.end_lineno or node.lineno) + 1)


def behind(
    trees: Mapping[str, ast.Module], suspects: Mapping[Place, float], asked: Iterable[str]
) -> dict[Place, float]:
    """Return the suspicion of definitions that suspected lines use, or that failing tests name (`asked`)."""
    defined: _Defined = {}
    spoken: dict[Place, set[str]] = {}
    for path, tree in trees.items():
        for names, lines in _statements(tree.body):
            for name in names:
                defined.setdefault(name, []).append([(path, line) for line in lines])
        for node in ast.walk(tree):
            if isinstance(node, ast.Name | ast.Attribute):
                for line in {node.lineno, node.end_lineno or node.lineno}:
                    word = node.id if isinstance(node, ast.Name) else node.attr
                    spoken.setdefault((path, line), set()).add(word)
    found: dict[Place, float] = {}
    wave = dict.fromkeys(asked, ASKED)
    for place, score in suspects.items():
        for name in spoken.get(place, ()):
            wave[name] = max(wave.get(name, 0.0), BEHIND * min(score, 1.0))
    for _ in range(STEPS):
        found, wave = _spread(found, wave, defined, spoken)
    return {place: score for place, score in found.items() if place not in suspects}


def _spread(
    found: dict[Place, float], wave: dict[str, float], defined: _Defined, spoken: dict[Place, set[str]]
) -> tuple[dict[Place, float], dict[str, float]]:
    """Raise the definitions of some names, and return the names that these speak of in their turn."""
    after: dict[str, float] = {}
    for name, score in wave.items():
        for places in defined.get(name, ()):
            for place in places:
                found[place] = max(found.get(place, 0.0), score)
                for word in spoken.get(place, ()):
                    after[word] = max(after.get(word, 0.0), BEHIND * score)
    return found, after

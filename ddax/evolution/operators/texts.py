"""Operators on what texts say to the library: formats, separators, modes of files, flags."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from ddax.evolution.operators.base import Edit, Source
from ddax.evolution.operators.expressions import Variant

_MODES = ("r", "w", "a", "x", "rb", "wb", "ab", "r+")
_FLAGS = ("IGNORECASE", "MULTILINE", "DOTALL", "VERBOSE")
_TYPES = ("d", "f", "e", "g", "x", "X", "b", "%", "s")
_SPEC = re.compile(r"(?P<fill>.?[<>^=])?(?P<sign>[+ -])?(?P<zero>0)?(?P<width>\d+)?"
                   r"(?P<comma>[,_])?(?:\.(?P<digits>\d+))?(?P<type>[a-zA-Z%])?")  # fmt: skip
SEPARATORS, WORDS = 16, 20
"""Separators and words of the tests that are tried for one text."""


def modes(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Open a file in another mode."""
    parent = source.parents.get(node)
    if not isinstance(node, ast.Constant) or node.value not in _MODES or not isinstance(parent, ast.Call):
        return
    if ast.unparse(parent.func).split(".")[-1] in ("open", "fdopen"):
        for mode in _MODES:
            if mode != node.value:
                yield "mode", 0.6, ast.Constant(mode)


def flags(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Change and add flags of a regular expression."""
    if isinstance(node, ast.Attribute) and node.attr in _FLAGS:
        for name in _FLAGS:
            if name != node.attr:
                other = ast.Attribute(node.value, name, ast.Load())
                yield "flag", 0.7, ast.BinOp(node, ast.BitOr(), other)
                yield "flag", 0.8, other
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        owner = node.func.value
        if isinstance(owner, ast.Name) and owner.id == "re" and not node.keywords:
            for name in _FLAGS:
                flag = ast.keyword("flags", ast.Attribute(owner, name, ast.Load()))
                yield "flag", 1.1, ast.Call(node.func, node.args, [flag])


def words(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Put a word or a number of the tests in the place of a constant, or a separator that they show."""
    if not isinstance(node, ast.Constant) or isinstance(node.value, bool):
        return
    if isinstance(node.value, str):
        if len(node.value) <= 3 and not node.value.isalnum():
            for sign in _separators(source.seen.words):
                yield "sign", 1.1, ast.Constant(sign)
        for word in [w for w in source.seen.words if w != node.value][:WORDS]:
            yield "word", 1.5, ast.Constant(word)
    elif isinstance(node.value, (int, float)):
        for value in source.seen.numbers[:WORDS]:
            yield "number", 1.4, ast.Constant(value)


def _separators(words: tuple[str, ...]) -> list[str]:
    runs = (run for word in words for run in re.findall(r"[^\w]+", word))
    pieces = Counter(
        r[a:b] for r in runs for a in range(len(r)) for b in range(a + 1, min(len(r), a + 3) + 1)
    )
    return [piece for piece, _ in pieces.most_common(SEPARATORS)]


def formats(source: Source) -> Iterator[Edit]:
    """Change how a value is formatted within an f-string: its width, its digits, its signs and its type."""
    for node in ast.walk(source.tree):
        spec = isinstance(source.parents.get(node), ast.FormattedValue)  # a part of the text around it
        if isinstance(node, ast.JoinedStr) and not spec and node.lineno == node.end_lineno:
            start, end = source.span(node)
            for found in re.finditer(rb"(?<![:{]):([^:{}'\"]+)\}", source.text[start:end]):
                old = found[1].decode(errors="replace")
                place = start + found.start(1), start + found.end(1)
                costs: dict[str, float] = {}
                for cost, text in _specs(old):
                    if text != old:
                        costs[text] = min(cost, costs.get(text, cost))
                for text, cost in costs.items():
                    yield Edit(source.path, *place, text, "format", cost, node.lineno)


def _specs(spec: str) -> Iterator[tuple[float, str]]:
    found = _SPEC.fullmatch(spec)
    if found is None:
        return
    part = {name: value or "" for name, value in found.groupdict().items()}

    def written(**changed: str) -> str:
        p = {**part, **changed}
        digits = f".{p['digits']}" if p["digits"] else ""
        return f"{p['fill']}{p['sign']}{p['zero']}{p['width']}{p['comma']}{digits}{p['type']}"

    for name in ("digits", "width"):
        if part[name]:
            for step in (1, -1, 2, -2):
                yield 0.6, written(**{name: str(max(0, int(part[name]) + step))})
    yield 0.6, written(comma="" if part["comma"] else ",")
    yield 0.8, written(zero="" if part["zero"] else "0")
    yield 1.0, written(sign="" if part["sign"] else "+")
    for fill in ("<", ">", "^"):
        if part["fill"][-1:] != fill:
            yield 0.8, written(fill=part["fill"][:-1] + fill)
    for kind in _TYPES:
        if kind != part["type"]:
            yield 1.0, written(type=kind)


TEXT_OPERATORS = (modes, flags, words)

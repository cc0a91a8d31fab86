"""Operators on what texts say to the library: separators, modes of files, flags, words that it knows."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from ddax.evolution.operators.base import Source
from ddax.evolution.operators.expressions import Variant
from ddax.evolution.tables import families

_MODES: list[str] = families("modes")
_FLAGS: list[str] = families("flags")
SEPARATORS, WORDS = 16, 20
"""Separators and words of the tests that are tried for one text."""
_KINDS_OF_WORDS: list[list[str]] = families("words")
"""Words that tell a library what to do, and are taken for one another."""


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
        for word in (w for words in _KINDS_OF_WORDS if node.value in words for w in words):
            if word != node.value:
                yield "word", 0.7, ast.Constant(word)
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


def members(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Add a sign, a word or a number of the tests to those that something is looked for among."""
    text = node.value if isinstance(node, ast.Constant) else None
    if isinstance(text, str) and _among(node, source, "strip", "lstrip", "rstrip"):
        found = Counter(sign for word in source.seen.words for sign in word if sign not in text)
        for sign in sorted(found, key=lambda one: (one.isalnum(), -found[one], one))[:SEPARATORS]:
            yield "member", 1.0, ast.Constant(text + sign)
    elif isinstance(node, ast.Tuple | ast.List | ast.Set) and _among(node, source, "startswith", "endswith"):
        values = [one.value for one in node.elts if isinstance(one, ast.Constant)]
        told = _parts(source, values[0]) if values and isinstance(values[0], str) else source.seen.numbers
        for new in [n for n in told if values and n not in values][:WORDS]:
            yield "member", 1.1, type(node)([*node.elts, ast.Constant(new)])


def _parts(source: Source, like: str) -> list[str]:
    """Return the words in texts of the tests, with the sign before each where `like` begins with one."""
    sign = "" if like[:1].isalnum() else re.escape(like[:1])
    return list(dict.fromkeys(part for word in source.seen.words for part in re.findall(rf"{sign}\w+", word)))


def _among(node: ast.expr, source: Source, *methods: str) -> bool:
    parent = source.parents.get(node)
    if isinstance(parent, ast.Compare):
        return node in parent.comparators and isinstance(parent.ops[0], ast.In | ast.NotIn)
    called = isinstance(parent, ast.Call) and node in parent.args[:1]
    return called and isinstance(parent.func, ast.Attribute) and parent.func.attr in methods  # type: ignore[union-attr]


TEXT_OPERATORS = (modes, flags, words, members)

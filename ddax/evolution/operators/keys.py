"""Operators on what sorting, and the choice of the greatest or the smallest, goes by."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ddax.evolution.operators.expressions import Variant
from ddax.evolution.tables import families


def keys(node: ast.Call, name: str) -> Iterator[Variant]:
    """Sort, or choose, by another key, with a part of the key in falling order, or the other way round."""
    rest = [k for k in node.keywords if k.arg != "key"]
    for old in (k.value for k in node.keywords if k.arg == "key" and isinstance(k.value, ast.Lambda)):
        parts = old.body.elts if isinstance(old.body, ast.Tuple) else []
        for i, part in enumerate(parts):
            if not isinstance(part, ast.UnaryOp):
                falling = ast.Tuple([*parts[:i], ast.UnaryOp(ast.USub(), part), *parts[i + 1 :]], ast.Load())
                key = ast.keyword("key", ast.Lambda(old.args, falling))
                yield "sort_key", 0.7, ast.Call(node.func, node.args, [key, *rest])
    for rank, text in enumerate(families("sort_keys")):
        key = ast.keyword("key", ast.parse(text, mode="eval").body)
        yield "sort_key", 1.0 + 0.05 * rank, ast.Call(node.func, node.args, [*rest, key])
    if name in ("sorted", "sort") and all(k.arg != "reverse" for k in node.keywords):
        turned = ast.keyword("reverse", ast.Constant(True))
        yield "reverse", 0.7, ast.Call(node.func, node.args, [*node.keywords, turned])

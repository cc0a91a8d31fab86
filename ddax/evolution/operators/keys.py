"""Operators on what sorting, and the choice of the greatest or the smallest, goes by."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ddax.evolution.operators.expressions import Variant
from ddax.evolution.tables import families


def keys(node: ast.Call, name: str) -> Iterator[Variant]:
    """Sort, or choose, by another key, or the other way round."""
    rest = [k for k in node.keywords if k.arg != "key"]
    for rank, text in enumerate(families("sort_keys")):
        key = ast.keyword("key", ast.parse(text, mode="eval").body)
        yield "sort_key", 1.0 + 0.05 * rank, ast.Call(node.func, node.args, [*rest, key])
    if name in ("sorted", "sort") and all(k.arg != "reverse" for k in node.keywords):
        turned = ast.keyword("reverse", ast.Constant(True))
        yield "reverse", 0.7, ast.Call(node.func, node.args, [*node.keywords, turned])

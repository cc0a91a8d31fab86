"""Operators on what sorting, and the choice of the greatest or the smallest, goes by."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ddax.evolution.operators.expressions import Variant

_KEYS = (
    "len",
    "lambda x: x[1]",
    "lambda x: x[0]",
    "lambda x: -x",
    "lambda x: -x[1]",
    "abs",
    "str",
    "sum",
    "lambda x: -len(x)",
    "lambda x: (len(x), x)",
    "lambda x: (-len(x), x)",
    "lambda x: x[-1]",
    "lambda x: (x[1], x[0])",
    "lambda x: (-x[1], x[0])",
    "lambda x: len(set(x))",
    "lambda x: (len(set(x)), x)",
    "lambda x: (-len(set(x)), x)",
    "lambda x: (-len(set(x)), x[0])",
    "lambda x: (abs(x), x)",
    "str.lower",
    "ord",
)


def keys(node: ast.Call, name: str) -> Iterator[Variant]:
    """Sort, or choose, by another key, with a part of the key in falling order, or the other way round."""
    rest = [k for k in node.keywords if k.arg != "key"]
    for old in (k.value for k in node.keywords if k.arg == "key" and isinstance(k.value, ast.Lambda)):
        for body in _downwards(old.body):
            key = ast.keyword("key", ast.Lambda(old.args, body))
            yield "sort_key", 0.7, ast.Call(node.func, node.args, [key, *rest])
        yield from _both_ways(node, old, rest)
    for rank, text in enumerate(_KEYS):
        yield (
            "sort_key",
            1.0 + 0.05 * rank,
            ast.Call(node.func, node.args, [*rest, ast.keyword("key", ast.parse(text, mode="eval").body)]),
        )
    if name in ("sorted", "sort") and all(k.arg != "reverse" for k in node.keywords):
        yield (
            "reverse",
            0.7,
            ast.Call(node.func, node.args, [*node.keywords, ast.keyword("reverse", ast.Constant(True))]),
        )


def _both_ways(node: ast.Call, key: ast.Lambda, rest: list[ast.keyword]) -> Iterator[Variant]:
    """Let what falls as a whole fall by the first parts of its key only: equal ones rise by the last."""
    upwards = [k for k in rest if k.arg != "reverse"]
    parts = key.body.elts if isinstance(key.body, ast.Tuple) else []
    if len(upwards) == len(rest) or len(parts) < 2:
        return
    falling: list[ast.expr] = [ast.UnaryOp(ast.USub(), part) for part in parts[:-1]]
    body = ast.Tuple([*falling, parts[-1]], ast.Load())
    new = ast.keyword("key", ast.Lambda(key.args, body))
    yield "sort_key", 0.6, ast.Call(node.func, node.args, [new, *upwards])


def _downwards(body: ast.expr) -> Iterator[ast.expr]:
    """Yield a key of several parts with one of them in falling order."""
    parts = body.elts if isinstance(body, ast.Tuple) else []
    for i, part in enumerate(parts):
        if not isinstance(part, ast.UnaryOp):
            falling = ast.UnaryOp(ast.USub(), part)
            yield ast.Tuple([*parts[:i], falling, *parts[i + 1 :]], ast.Load())

"""Operators on what an assignment keeps: the opposite of a flag, a sum under a key, a copy of an argument."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ddax.evolution.operators.base import Edit, Source
from ddax.evolution.operators.kinds import NUMBERS, kinds_of, plain
from ddax.evolution.operators.places import Place

_COPIES = {ast.List: "list", ast.Dict: "dict"}


def stored(place: Place) -> Iterator[Edit]:
    """Turn a flag over, add to what is kept under a key, or keep a copy of what a caller gave."""
    node, source = place.node, place.source
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return
    target, value = node.targets[0], node.value
    if _is_flag(target, value):
        told = source.segment(target)
        yield place.edit(place.line(f"{told} = not {told}"), "toggle", 1.0)
    if isinstance(target, ast.Subscript) and _may_count(target, value, source):
        owner, key, added = (source.segment(n) for n in (target.value, target.slice, value))
        yield place.edit(place.line(f"{owner}[{key}] = {owner}.get({key}, 0) + {added}"), "accumulate", 1.1)
    if isinstance(target, ast.Attribute) and (kind := _given(value)):
        yield place.edit(
            place.line(f"{source.segment(target)} = {kind}({source.segment(value)})"), "copy", 0.8
        )


def _is_flag(target: ast.expr, value: ast.expr) -> bool:
    """Tell whether a truth is given to a name or an attribute."""
    truth = isinstance(value, ast.Constant) and isinstance(value.value, bool)
    return truth and isinstance(target, ast.Name | ast.Attribute)


def _may_count(target: ast.Subscript, value: ast.expr, source: Source) -> bool:
    """Tell whether a key of what may be a dictionary is given what may be a number, whatever it held."""
    scope = source.scope_of(target)
    owner, kinds = plain(kinds_of(target.value, scope)), plain(kinds_of(value, scope))
    if isinstance(target.slice, ast.Slice) or (owner and "dict" not in owner):
        return False
    read = any(ast.unparse(n) == ast.unparse(target.value) for n in ast.walk(value))
    return not read and (not kinds or bool(kinds & (NUMBERS - {"bool"})))


def _given(value: ast.expr) -> str:
    """Return the type of `given or []`, which is the caller's own list wherever one was given."""
    if not isinstance(value, ast.BoolOp) or not isinstance(value.op, ast.Or) or len(value.values) != 2:
        return ""
    return _COPIES.get(type(value.values[1]), "") if isinstance(value.values[0], ast.Name) else ""


STORED = (stored,)

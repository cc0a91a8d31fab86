"""Where a function's own statements begin, and changes that are put there."""

from __future__ import annotations

import ast
import textwrap

from ddax.evolution.operators.base import FunctionNode, Source

Change = tuple[int, int, str]
"""The bytes of a text from the first offset to the second, and what stands there instead."""


def indent_of(source: Source, node: ast.stmt) -> str:
    """Return the white space before a statement; "" where something else stands before it."""
    line = source.text[source.lines[node.lineno - 1] : source.span(node)[0]].decode()
    return line if not line.strip() else ""


def at_head(source: Source, function: FunctionNode, code: str) -> Change | None:
    """Put lines behind a function's header and docstring; None for one that stands on a single line."""
    first = function.body[0]
    indent = indent_of(source, first)
    if not indent:
        return None
    docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    at = source.after(first) if docstring else source.lines[source.first_line(first) - 1]
    begin = "" if source.text[:at].endswith(b"\n") else "\n"
    return at, at, begin + textwrap.indent(code, indent)

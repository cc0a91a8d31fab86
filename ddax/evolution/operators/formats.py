"""Operators on how a value is formatted: in an f-string, by `format`, or by `%`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ddax.evolution.operators.base import Edit, Source

_TYPES = ("d", "f", "e", "g", "x", "X", "b", "%", "s")
_SPEC = re.compile(r"(?P<fill>.?[<>^=])?(?P<sign>[+ -])?(?P<zero>0)?(?P<width>\d+)?"
                   r"(?P<comma>[,_])?(?:\.(?P<digits>\d+))?(?P<type>[a-zA-Z%])?")  # fmt: skip
_FIELD = re.compile(rb"(?<![:{]):(?P<spec>[^:{}'\"\n]+)\}")
_NAMED = re.compile(rb"\{\w*:(?P<spec>[^:{}'\"\n]+)\}")
_PERCENT = re.compile(rb"%(?P<spec>[ +0-]*+\d*+(?:\.\d++)?[dfegxs])")
_WHOLE = re.compile(rb"['\"](?P<spec>[^'\"\\]+)['\"]")
_WIDTHS = ("2", "3", "4", "5", "6", "8")
"""How wide a number is often made by zeros before it."""
SPECS = 16
"""Formats that are tried for one value that has none."""


def formats(source: Source) -> Iterator[Edit]:
    """Change how a value is formatted: its width, its digits, its signs and its type."""
    for node in ast.walk(source.tree):
        pattern = _pattern(node, source)
        if pattern is None or not isinstance(node, ast.expr):
            continue
        start, end = source.span(node)
        for found in pattern.finditer(source.text[start:end]):
            line = node.lineno + source.text[start : start + found.start()].count(b"\n")
            place = start + found.start("spec"), start + found.end("spec")
            for text, cost in _others(found["spec"].decode(errors="replace")).items():
                yield Edit(source.path, *place, text, "format", cost, line)


def _pattern(node: ast.AST, source: Source) -> re.Pattern[bytes] | None:
    """Return what finds the formats in a text; None for one that formats nothing."""
    parent = source.parents.get(node)
    if isinstance(node, ast.JoinedStr):  # one below a value is its format, a part of the text around
        return None if isinstance(parent, ast.FormattedValue) else _FIELD
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return None
    if isinstance(parent, ast.Attribute) and parent.attr == "format":
        return _NAMED
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mod) and parent.left is node:
        return _PERCENT
    if isinstance(parent, ast.Call) and node in parent.args[1:] and ast.unparse(parent.func) == "format":
        return _WHOLE
    return None


def formats_added(source: Source) -> Iterator[Edit]:
    """Format a value of an f-string that is written as it is."""
    likely = _likely(source)
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.FormattedValue) or node.format_spec is not None or node.conversion != -1:
            continue
        end = source.span(node.value)[1]
        if source.text[end : end + 1] == b"}" and source.stands(node.value):
            for rank, text in enumerate(likely):
                cost = 0.8 + 0.02 * rank
                yield Edit(source.path, end, end, f":{text}", "format_add", cost, node.value.lineno)


def conversions(source: Source) -> Iterator[Edit]:
    """Write a value of an f-string by its `repr`, or no longer so."""
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.FormattedValue) or not source.stands(node.value):
            continue
        end, line = source.span(node.value)[1], node.value.lineno
        if source.text[end : end + 2] == b"!r":
            yield Edit(source.path, end, end + 2, "", "conversion", 0.9, line)
        elif source.text[end : end + 1] in (b"}", b":"):
            yield Edit(source.path, end, end, "!r", "conversion", 1.1, line)


def _likely(source: Source) -> list[str]:
    """Return the formats that the file has elsewhere, then those that texts of the tests look like."""
    own = (spec.decode(errors="replace") for spec in _FIELD.findall(source.text))
    found = [spec for spec in dict.fromkeys(own) if _SPEC.fullmatch(spec)]
    for sign, pattern, kind in ((".", r"\d\.(\d{1,4})(?!\d)", "f"), ("", r"(?<!\d)(0\d+)(?!\d)", "d")):
        sizes = sorted({len(part) for word in source.seen.words for part in re.findall(pattern, word)})
        found += [f"{sign or 0}{size}{kind}" for size in sizes]
    found += ["," for word in source.seen.words if re.search(r"\d,\d{3}\b", word)]
    padded = (part for word in source.seen.words for part in re.findall(r"(?<! ) +\S+|(?<!\S)\S+ +", word))
    widths = sorted({len(part) for part in padded if "  " in part or part.startswith(" ")})
    return list(dict.fromkeys([*found, *(f"{sign}{n}" for n in widths for sign in "><^")]))[:SPECS]


def _others(old: str) -> dict[str, float]:
    """Return the formats near to one, with their costs."""
    costs: dict[str, float] = {}
    for cost, text in _specs(old):
        if text != old:
            costs[text] = min(cost, costs.get(text, cost))
    return costs


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
            for step in (1, -1, 2, -2, 3, -3, 4, -4, 5, -5):
                value = str(max(0, int(part[name]) + step))
                yield (0.6 if abs(step) <= 2 else 1.0), written(**{name: value})
    for width in () if part["width"] or part["type"] in ("%", "s") else _WIDTHS:
        yield 0.9, written(zero="0", width=width)
    yield 0.6, written(comma="" if part["comma"] else ",")
    yield 0.8, written(zero="" if part["zero"] else "0")
    yield 1.0, written(sign="" if part["sign"] else "+")
    for fill in ("<", ">", "^"):
        if part["fill"][-1:] != fill:
            yield 0.8, written(fill=part["fill"][:-1] + fill)
    for kind in _TYPES:
        if kind != part["type"]:
            yield 1.0, written(type=kind)


FORMAT_EDITS = (formats, formats_added, conversions)

"""Operators that put in what is easily forgotten: a last group, a maximum, `finally`, a check for None."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator

from ddax.evolution.operators.base import Edit, FunctionNode, Source, dotted, own_nodes
from ddax.evolution.operators.expressions import Variant
from ddax.evolution.operators.groups import splice
from ddax.evolution.operators.places import Place

_NONE_HAS_NOT = re.compile(r"'NoneType' object has no attribute '(\w+)'")
REST = 3
"""Statements that a `finally` takes in at most."""


def leftovers(place: Place) -> Iterator[Edit]:
    """Do once more behind a loop, with what is left, what the loop does with each full group."""
    if not isinstance(place.node, ast.For | ast.AsyncFor | ast.While) or place.node.orelse:
        return
    nodes = list(own_nodes(place.node))
    reset = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    used = [n for inner in nodes if isinstance(inner, ast.If) for n in inner.body]
    for node in (n for n in used if isinstance(n, ast.Expr) and isinstance(n.value, ast.Yield | ast.Call)):
        read = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        for name in sorted(read & reset):
            yield place.after(f"if {name}:\n    {ast.unparse(node)}", "leftover", 0.9)


def extremes(place: Place) -> Iterator[Edit]:
    """Keep the greater or the smaller of what a variable holds and what it is given."""
    node, source = place.node, place.source
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or isinstance(node.value, ast.Constant):
        return
    if not isinstance(node.targets[0], ast.Name | ast.Attribute | ast.Subscript):
        return
    target, value = source.segment(node.targets[0]), source.segment(node.value)
    parent = source.parents.get(node)
    for name in ("max", "min"):
        cost = 0.9 if isinstance(parent, ast.For | ast.While | ast.If) else 1.4
        yield place.edit(place.line(f"{target} = {name}({target}, {value})"), "extreme", cost)


def finally_(place: Place) -> Iterator[Edit]:
    """Do what follows a statement also where that raises: behind `yield`, or behind a call."""
    node, rest = place.node, place.block[place.index + 1 :]
    value = getattr(node, "value", None)
    if not rest or len(rest) > REST or not isinstance(node, ast.Expr) or isinstance(rest[-1], ast.Return):
        return
    if not isinstance(value, ast.Yield | ast.Call | ast.Await) or _yields(rest):
        return
    last = Place(place.source, place.block, len(place.block) - 1)
    if isinstance(place.source.parents.get(node), ast.Try) or not last.lines_of_its_own:
        return
    step, text = place.source.step, place.source.text
    after = text[place.stop : last.stop].decode()
    tried, freed = (textwrap.indent(part, step) for part in (place.text, after))
    new = f"{place.indent}try:\n{tried}{place.indent}finally:\n{freed}"
    cost = 0.6 if isinstance(value, ast.Yield) else 1.6
    yield Edit(place.source.path, place.start, last.stop, new, "finally", cost, node.lineno)


def _yields(statements: list[ast.stmt]) -> bool:
    return any(isinstance(n, ast.Yield | ast.YieldFrom) for part in statements for n in ast.walk(part))


def none_checks(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Ask whether what a condition uses is there, or do without what cannot be called on None."""
    complaints = source.seen.complaints
    if not any("NoneType" in text for text in complaints):
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        wanted = {m[1] for text in complaints if (m := _NONE_HAS_NOT.search(text))}
        if node.func.attr in wanted:
            there = ast.Compare(node.func.value, [ast.IsNot()], [ast.Constant(None)])
            yield "none_check", 0.9, ast.IfExp(there, node, ast.Constant(None))
    parent = source.parents.get(node)
    test = isinstance(parent, ast.If | ast.While | ast.IfExp) and parent.test is node
    if not test and not (isinstance(parent, ast.comprehension) and node in parent.ifs):
        return
    for text in dict.fromkeys(_asked(node)):
        there = ast.Compare(ast.parse(text, mode="eval").body, [ast.IsNot()], [ast.Constant(None)])
        values = node.values if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) else [node]
        yield "none_check", 0.6, ast.BoolOp(ast.And(), [there, *values])


def _asked(node: ast.expr) -> Iterator[str]:
    """Yield the variables, attributes and elements that a condition compares or takes attributes of."""
    for inner in ast.walk(node):
        sides = [inner.left, *inner.comparators] if isinstance(inner, ast.Compare) else []
        sides += [inner.value] if isinstance(inner, ast.Attribute) else []
        for side in sides:
            if isinstance(side, ast.Name | ast.Subscript) or dotted(side):
                yield ast.unparse(side)


def shadowed(source: Source) -> Iterator[Edit]:
    """Give the variable of a loop a name of its own where it hides one that is used outside of the loop."""
    for function in source.functions:
        for loop in (n for n in own_nodes(function) if isinstance(n, ast.For | ast.AsyncFor)):
            inside = {n for n in ast.walk(loop) if isinstance(n, ast.Name)}
            hidden = {n.id for n in own_nodes(function) if isinstance(n, ast.Name) and n not in inside}
            hidden |= {n.arg for n in own_nodes(function) if isinstance(n, ast.arg)}
            for target in (n for n in ast.walk(loop.target) if isinstance(n, ast.Name) and n.id in hidden):
                yield from _renamed(source, function, loop, target)


def _renamed(
    source: Source, function: FunctionNode, loop: ast.For | ast.AsyncFor, target: ast.Name
) -> Iterator[Edit]:
    """Rename a loop's variable with all its uses in the loop, or with one of them."""
    known = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
    new = next(name for i in range(len(known) + 1) if (name := f"{target.id}_{i + 2}") not in known)
    body = (n for part in loop.body for n in ast.walk(part))
    uses = [n for n in body if isinstance(n, ast.Name) and n.id == target.id and isinstance(n.ctx, ast.Load)]
    for chosen in [uses, *([use] for use in uses if len(uses) > 1)]:
        changes = [(*source.span(n), new) for n in (target, *chosen)]
        if chosen:
            yield splice(source, changes, "shadow", 1.0)


def returned(place: Place) -> Iterator[Edit]:
    """Return what a function was given or has made, where it returns nothing and a test met None."""
    source, function = place.source, place.source.parents.get(place.node)
    if not isinstance(function, FunctionNode) or place.node is not function.body[-1]:
        return
    nodes = list(own_nodes(function))
    ends = (ast.Return, ast.Yield, ast.YieldFrom)
    if any(isinstance(n, ends) for n in nodes) or not any("None" in c for c in source.seen.complaints):
        return
    made = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    given = [a.arg for a in nodes if isinstance(a, ast.arg)]
    for rank, name in enumerate(dict.fromkeys([*reversed(made), *given])):
        yield place.after(f"return {name}", "return", 0.6 + 0.1 * rank)


def recursed(place: Place) -> Iterator[Edit]:
    """Give a part what the function makes of it, where it only calls a method of that part."""
    node, function = place.node, place.source.scope_of(place.node).node
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.keywords:
        return
    part, arguments = call.func.value, function.args.args if isinstance(function, FunctionNode) else []
    method = isinstance(place.source.parents.get(function), ast.ClassDef)
    if not isinstance(part, ast.Subscript) or not isinstance(function, ast.FunctionDef) or method:
        return
    if len(arguments) == 1 + len(call.args):
        given = ", ".join(place.source.segment(a) for a in (part, *call.args))
        text = f"{place.source.segment(part)} = {function.name}({given})"
        yield place.edit(place.line(text), "recursion", 1.2)


FORGOTTEN_STATEMENTS = (leftovers, extremes, finally_, returned, recursed)
FORGOTTEN_EXPRESSIONS = (none_checks,)
FORGOTTEN_WHOLES = (shadowed,)

"""Conditions: the atoms that can be said about the names in scope, and operators that use them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ddax.evolution.judging.changes import OPPOSITE
from ddax.evolution.operators.base import Scope, Source
from ddax.evolution.operators.calls import parse
from ddax.evolution.operators.expressions import Variant
from ddax.evolution.operators.inserted import uses
from ddax.evolution.operators.kinds import NUMBERS, SIZED, elements, kinds_of, plain
from ddax.evolution.tables import families

Atom = tuple[float, str]
ATOMS = 2000
"""What is said of the names of a scope at most; a function has more only with dozens of names."""
ELSEWHERE = 12
"""Conditions of other functions that are tried in a scope."""


def _unary(name: str, kinds: frozenset[str], numbers: Sequence[float]) -> Iterator[Atom]:
    flat = plain(kinds) or frozenset({"?"})
    for row in families("asked"):
        if flat & set(row["of"].split()):
            yield from ((cost, text.replace("_x", name)) for cost, text in row["put"])
    for value in numbers if flat & {"int", "float"} else ():
        if value not in (0, 1, 2):
            yield from ((0.6, f"{name} {op} {value}") for op in ("==", "<", ">", "<=", ">="))


def _binary(a: str, x: frozenset[str], b: str, y: frozenset[str]) -> Iterator[Atom]:
    p, q = plain(x), plain(y)
    if p & NUMBERS and q & NUMBERS:
        for cost, op in ((0.2, "<"), (0.2, ">"), (0.2, "=="), (0.3, "!="), (0.4, "<="), (0.4, ">=")):
            yield cost, f"{a} {op} {b}"
        yield 0.7, f"{a} % {b} == 0"
    elif p and q and p & q:
        yield 0.3, f"{a} == {b}"
        yield 0.3, f"{a} != {b}"
        if "str" in p:
            yield 0.4, f"{a} in {b}"
        if "str" in p or "list" in p:
            yield 0.7, f"len({a}) == len({b})"
            yield 0.7, f"len({a}) > len({b})"
            yield 0.7, f"len({a}) < len({b})"
    if plain(elements(y)) & p or (q & {"set", "dict", "list"} and not elements(y)):
        yield 0.3, f"{a} in {b}"
        yield 0.3, f"{a} not in {b}"
    if "int" in p and q & SIZED:
        for op in ("<", ">=", "==", ">"):
            yield 0.6, f"{a} {op} len({b})"
        yield 0.8, f"{a} == len({b}) - 1"
    if "str" in p and q & SIZED and elements(y) <= {"str"}:
        yield 0.8, f"{a} == {b}[0]"
        yield 0.8, f"{a} == {b}[-1]"


def atoms(scope: Scope, source: Source) -> list[Atom]:
    """List the atoms over the names of a scope with their extra cost, cheapest first."""
    key = scope.node
    cached: dict[ast.AST, list[Atom]] = source.__dict__.setdefault("_atoms", {})
    if key in cached:
        return cached[key]
    values = (c.value for c in source.constants)
    numbers = sorted({v for v in values if isinstance(v, int | float) and not isinstance(v, bool)})
    found: dict[str, float] = {}
    for name, kinds in scope.names.items():
        for cost, text in _unary(name, kinds, numbers):
            found.setdefault(text, cost)
        for other, theirs in scope.names.items():
            if other != name:
                for cost, text in _binary(name, kinds, other, theirs):
                    found.setdefault(text, cost)
    for node in ast.walk(scope.node):
        if isinstance(node, ast.Compare):
            text = ast.unparse(node)
            found[text] = min(found.get(text, 9.0), 0.1)
            found.setdefault(f"not {text}", 0.4)
    for text in _asked_elsewhere(scope, source):
        found[text] = min(found.get(text, 9.0), 0.15)
    for text, cost in _repeated(scope):
        found.setdefault(text, cost)
    cached[key] = sorted(((cost, text) for text, cost in found.items()), key=lambda a: a[0])[:ATOMS]
    return cached[key]


def _asked_elsewhere(scope: Scope, source: Source) -> list[str]:
    """List what other functions of the file ask of names that a scope knows too, and the opposite."""
    known = {*scope.names, *source.globals}
    own = set(ast.walk(scope.node))
    found: list[str] = []
    for node in (n for n in ast.walk(source.tree) if isinstance(n, ast.Compare) and n not in own):
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        if len(node.ops) == 1 and names & set(scope.names) - {"self"} and uses(ast.unparse(node)) <= known:
            opposite = ast.Compare(node.left, [OPPOSITE[type(node.ops[0])]()], node.comparators)
            found += [ast.unparse(node), ast.unparse(opposite)]
    return list(dict.fromkeys(found))[:ELSEWHERE]


def _repeated(scope: Scope) -> Iterator[tuple[str, float]]:
    """Compare elements of the same function with one another, with constants and with names."""
    entries = (
        e for e in scope.expressions if isinstance(e, ast.Subscript) and not isinstance(e.slice, ast.Slice)
    )
    subscripts = {ast.unparse(e) for e in entries}
    made = (ast.unparse(e) for e in scope.expressions if isinstance(e, ast.Call | ast.BinOp))
    calls = {text for text in made if len(text) < 24}
    for text in sorted(subscripts | calls):
        for value in ("0", "1", "2"):
            for op in ("==", "<=", ">"):
                yield f"{text} {op} {value}", 0.8
        for other in sorted(subscripts | set(scope.names)):
            if other != text:
                for op in ("==", "<", ">", "<=", ">=", "!="):
                    yield f"{text} {op} {other}", 1.0


def is_condition(node: ast.expr, source: Source) -> bool:
    """Say whether an expression decides a branch, a loop, a filter, or what is returned as a truth."""
    parent = source.parents.get(node)
    if isinstance(parent, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        return parent.test is node
    if isinstance(parent, ast.comprehension):
        return node in parent.ifs
    return isinstance(parent, (ast.Return, ast.Assign)) and isinstance(
        node, (ast.Compare, ast.BoolOp, ast.UnaryOp)
    )


def conditions(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Negate, strengthen, weaken, replace or settle a condition."""
    if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
        yield from _filters(node, source)
    if not is_condition(node, source):
        return
    yield "negate", 0.5, ast.UnaryOp(ast.Not(), node)
    yield "settle", 1.2, ast.Constant(True)
    yield "settle", 1.2, ast.Constant(False)
    scope = source.scope_of(node)
    for cost, text in atoms(scope, source):
        atom = parse(text)
        yield "strengthen", 1.4 + cost, _join(ast.And(), node, atom)
        yield "weaken", 1.4 + cost, _join(ast.Or(), node, atom)
        yield "condition", 1.5 + cost, atom
    yield from _crossed(node)


def _crossed(node: ast.expr) -> Iterator[Variant]:
    """Add the missing combination of operands that stand in a condition: x+y==z, y+z==x → x+z==y."""
    names = sorted({n.id for n in ast.walk(node) if isinstance(n, ast.Name)})
    for compare in (n for n in ast.walk(node) if isinstance(n, ast.Compare)):
        inside = sorted({n.id for n in ast.walk(compare) if isinstance(n, ast.Name)})
        for a, b in ((a, b) for a in inside for b in names if a != b):
            other = parse(ast.unparse(compare))
            for name in (n for n in ast.walk(other) if isinstance(n, ast.Name)):
                name.id = {a: b, b: a}.get(name.id, name.id)
            yield "cross", 1.6, _join(ast.Or(), node, other)
            yield "cross", 1.7, _join(ast.And(), node, other)


def _join(op: ast.boolop, node: ast.expr, atom: ast.expr) -> ast.BoolOp:
    values = node.values if isinstance(node, ast.BoolOp) and type(node.op) is type(op) else [node]
    return ast.BoolOp(op, [*values, atom])


def _filters(node: ast.ListComp | ast.GeneratorExp | ast.SetComp, source: Source) -> Iterator[Variant]:
    """Leave out what a condition on the variables of the loops does not hold of, asked in the innermost."""
    scope = source.scope_of(node)
    last = node.generators[-1]
    targets = {n.id for part in node.generators for n in ast.walk(part.target) if isinstance(n, ast.Name)}
    true = [(-0.2, name) for name in sorted(targets)]
    for cost, text in (*true, *_others(node.elt, targets, scope), *atoms(scope, source)):
        atom = parse(text)
        if targets & {n.id for n in ast.walk(atom) if isinstance(n, ast.Name)} or not targets:
            more = ast.comprehension(last.target, last.iter, [*last.ifs, atom], last.is_async)
            yield "filter", 1.6 + cost, type(node)(node.elt, [*node.generators[:-1], more])


def _others(made: ast.expr, targets: set[str], scope: Scope) -> Iterator[Atom]:
    """Ask whether what a loop makes is another thing than a variable of its type holds."""
    kinds = plain(kinds_of(made, scope))
    for name, theirs in scope.names.items():
        if name not in targets and not isinstance(made, ast.Name) and kinds & plain(theirs):
            yield 0.2, f"{ast.unparse(made)} != {name}"

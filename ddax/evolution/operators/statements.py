"""Operators on statements: guards, wrapping, insertion, deletion, order, indentation, loops."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator

from ddax.evolution.operators.base import Edit, FunctionNode, Scope, Source, dotted, own_nodes
from ddax.evolution.operators.conditions import atoms
from ddax.evolution.operators.inserted import statements_for, transplants, uses
from ddax.evolution.operators.kinds import compatible, kinds_of, plain
from ddax.evolution.operators.places import Place
from ddax.evolution.tables import families

GUARD_ATOMS, WRAP_ATOMS = 60, 60
"""Conditions tried at one place."""
_SIGNS: dict[type[ast.AST], str] = {getattr(ast, name): sign for name, sign in families("signs").items()}
_PAIRS = ({ast.Add, ast.Sub}, {ast.Mult, ast.FloorDiv}, {ast.BitAnd, ast.BitOr}, {ast.LShift, ast.RShift})
"""Operators by which a target is changed, and those that are taken for one another."""
_COUNTING: set[type[ast.AST]] = {ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Div}
"""Operators of sums; what counts is seldom meant to shift or mask bits."""
CUT_SHORT = 0.5
"""Added to the cost of returning a number from within a loop whatever holds: such an answer is seldom meant
("Anti-patterns in Search-Based Program Repair", Tan and others, 2016)."""
EXIT_WORDS = 6
"""Texts of the tests that a function may return early."""
_NOT_RAISED = re.compile(r"DID NOT RAISE (?!any\b)(?:<class ')?(?:\w+\.)*(\w+)|\b(\w+) not raised\b")
"""Complaints of pytest and of unittest."""
_WRAPPED = (ast.Assign, ast.AugAssign, ast.Expr, ast.Break, ast.Continue, ast.For, ast.While)
"""Statements that are put under a condition."""
_NO_RESULT = (ast.Constant, ast.Await, ast.Yield, ast.NamedExpr)
"""Expressions that stand alone for what they do, not for what they are."""


def _docstring(place: Place) -> bool:
    return isinstance(place.node, ast.Expr) and isinstance(place.node.value, ast.Constant)


def _in_loop(place: Place) -> bool:
    here: ast.AST | None = place.node
    while here is not None and not isinstance(here, FunctionNode):
        if here is not place.node and isinstance(here, (ast.For, ast.While)):
            return True
        here = place.source.parents.get(here)
    return False


def structure(place: Place) -> Iterator[Edit]:
    """Delete, copy, swap, indent and dedent a statement."""
    node, block, i = place.node, place.block, place.index
    if _docstring(place):
        return
    if len(block) > 1:
        yield place.edit("", "delete", 0.9)
    elif not isinstance(node, ast.Pass):
        yield place.edit(place.line("pass"), "delete", 1.2)
    if isinstance(node, (ast.If, ast.With, ast.For, ast.While)):
        body = _block_text(place, node.body)
        if body is not None and not _is_elif(place):
            yield place.edit(textwrap.indent(body, place.indent), "unwrap_block", 1.1)
    if i + 1 < len(block):
        following = Place(place.source, block, i + 1)
        if following.lines_of_its_own and following.start >= place.stop:
            gap = place.source.text[place.stop : following.start].decode()
            text, path = following.text + gap + place.text, place.source.path
            yield Edit(path, place.start, following.stop, text, "swap_statements", 1.0, node.lineno)
    for depth in range(1, _openings(block[i - 1]) + 1) if i else ():
        set_in = textwrap.indent(place.text, depth * place.source.step)
        yield place.edit(set_in, "indent", 0.9 + 0.1 * depth)
    if (i and i == len(block) - 1) or isinstance(node, (ast.Return, ast.AugAssign, ast.Expr, ast.Assign)):
        yield from _dedent(place)


def _openings(node: ast.stmt) -> int:
    """Count the blocks that end with a statement, one within the other."""
    if not isinstance(node, (ast.For, ast.While, ast.If, ast.With)):
        return 0
    last = (node.orelse if not isinstance(node, ast.With) and node.orelse else node.body)[-1]
    return 1 + _openings(last) if last.lineno > node.lineno else 0


def _dedent(place: Place) -> Iterator[Edit]:
    parent = place.source.parents.get(place.node)
    if not isinstance(parent, (ast.For, ast.While, ast.If, ast.With)) or place.block[-1] is not place.node:
        return
    step, ends_it = place.source.step, place.node.end_lineno == parent.end_lineno
    if len(place.block) < 2 or not ends_it or len(place.indent) < 2 * len(step):
        return
    lines = place.text.splitlines(keepends=True)
    yield place.edit("".join(line.removeprefix(step) for line in lines), "dedent", 0.9)


def _block_text(place: Place, body: list[ast.stmt]) -> str | None:
    first, last = Place(place.source, body, 0), Place(place.source, body, len(body) - 1)
    if not first.lines_of_its_own:
        return None
    return textwrap.dedent(place.source.text[first.start : last.stop].decode())


def _generates(scope: Scope) -> bool:
    """Say whether a function yields."""
    return any(isinstance(n, ast.Yield | ast.YieldFrom) for n in own_nodes(scope.node))


def _is_elif(place: Place) -> bool:
    return place.raw.lstrip().startswith("elif")


def branches(place: Place) -> Iterator[Edit]:
    """Turn if into while and back, split elif, drop else, swap branches."""
    node = place.node
    text = place.text
    if isinstance(node, ast.If):
        word = "elif" if _is_elif(place) else "if"
        head = text.lstrip()
        if word == "if":
            if not node.orelse:
                yield place.edit(place.indent + head.replace("if", "while", 1), "if_while", 1.1)
            if place.index and isinstance(place.block[place.index - 1], ast.If):
                yield place.edit(place.indent + head.replace("if", "elif", 1), "elif", 1.2)
        else:
            yield place.edit(place.indent + head.replace("elif", "if", 1), "elif", 0.9)
        if node.orelse and not _is_else_if(node, place.source):
            body, other = _block_text(place, node.body), _block_text(place, node.orelse)
            if body is not None and other is not None:
                test = place.source.segment(node.test)
                alone = place.line(f"{word} {test}:")
                alone += textwrap.indent(body, place.indent + place.source.step)
                yield place.edit(alone, "else_drop", 1.1)
                yield place.edit(alone + textwrap.indent(other, place.indent), "else_drop", 1.1)
    elif isinstance(node, ast.While) and not node.orelse:
        yield place.edit(place.indent + text.lstrip().replace("while", "if", 1), "while_if", 1.2)


def _is_else_if(node: ast.If, source: Source) -> bool:
    first = node.orelse[0]
    alone = len(node.orelse) == 1 and isinstance(first, ast.If)
    return alone and source.text[source.span(first)[0] :].startswith(b"elif")


def assignments(place: Place) -> Iterator[Edit]:
    """Change augmented operators and targets; turn one kind of assignment into the other."""
    node, source = place.node, place.source
    scope = source.scope_of(node)
    if isinstance(node, ast.AugAssign):
        target, value = source.segment(node.target), source.segment(node.value)
        old = type(node.op)
        for kind, symbol in _SIGNS.items():
            if kind is not old:
                cost = _augmenting(kind, old)
                yield place.edit(place.line(f"{target} {symbol}= {value}"), "augment", cost)
        yield place.edit(place.line(f"{target} = {value}"), "assign_plain", 0.6)
        front = place.line(f"{target} = {value} {_SIGNS.get(old, '+')} {target}")
        yield place.edit(front, "augment_front", 1.0)
        yield from _targets(place, node.target, f" {_SIGNS.get(old, '+')}= {value}", scope)
    elif isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = source.segment(node.targets[0]), source.segment(node.value)
        if isinstance(node.targets[0], (ast.Name, ast.Subscript, ast.Attribute)):
            for symbol in ("+", "-", "*", "//", "|"):
                line = place.line(f"{target} {symbol}= {value}")
                yield place.edit(line, "assign_augmented", 0.9 if symbol == "+" else 1.4)
        if isinstance(node.targets[0], ast.Tuple):
            for i in range(1, len(node.targets[0].elts)):
                parts = [source.segment(e) for e in node.targets[0].elts]
                parts[i - 1], parts[i] = parts[i], parts[i - 1]
                yield place.edit(place.line(f"{', '.join(parts)} = {value}"), "target_swap", 0.8)
        yield from _targets(place, node.targets[0], f" = {value}", scope)
        if isinstance(node.value, ast.BinOp) and isinstance(node.targets[0], ast.Name):
            yield place.edit(place.line(f"{target} = {target} + {value}"), "assign_augmented", 1.4)


def _augmenting(one: type[ast.AST], other: type[ast.AST]) -> float:
    if {one, other} in _PAIRS:
        return 0.4
    return 1.0 if (one in _COUNTING) == (other in _COUNTING) else 2.0


def _targets(place: Place, target: ast.expr, rest: str, scope: Scope) -> Iterator[Edit]:
    old = target.id if isinstance(target, ast.Name) else dotted(target)
    if not old:
        return
    for name, kinds in scope.names.items():
        if name not in (old, "self") and compatible(kinds, kinds_of(target, scope)):
            yield place.edit(place.line(f"{name}{rest}"), "target", 0.8)


def flow(place: Place) -> Iterator[Edit]:
    """Exchange break, continue, return, yield and their relatives."""
    node, source = place.node, place.source
    if isinstance(node, (ast.Break, ast.Continue)):
        yield place.edit(place.line("continue" if isinstance(node, ast.Break) else "break"), "flow", 0.6)
        for value in ("False", "True", "None"):
            yield place.edit(place.line(f"return {value}"), "flow", 1.4)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield) and node.value.value is not None:
        if not isinstance(node.value.value, ast.Tuple):  # several values are nothing that can be gone through
            yield place.edit(place.line(f"yield from {source.segment(node.value.value)}"), "flow", 0.4)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.YieldFrom):
        yield place.edit(place.line(f"yield {source.segment(node.value.value)}"), "flow", 0.4)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield place.edit(place.line(f"return {source.segment(node.value)}"), "flow", 0.9)
        if _generates(scope := source.scope_of(node)) and not isinstance(scope.node, ast.AsyncFunctionDef):
            yield place.edit(place.line(f"yield from {source.segment(node.value)}"), "flow", 0.5)
        if isinstance(node.value.func, ast.Attribute) and isinstance(node.value.func.value, ast.Name):
            owner = node.value.func.value.id
            yield place.edit(place.line(f"{owner} = {source.segment(node.value)}"), "flow", 1.1)
    elif isinstance(node, ast.Expr) and not isinstance(node.value, _NO_RESULT):
        yield place.edit(place.line(f"return {source.segment(node.value)}"), "flow", 0.4)
    elif isinstance(node, ast.Return) and node.value is not None:
        if _in_loop(place):
            yield place.edit(place.line("continue"), "flow", 1.4)
            yield place.edit(place.line("break"), "flow", 1.4)
        if isinstance(node.value, ast.Call):
            yield place.edit(place.line(f"yield from {source.segment(node.value)}"), "flow", 1.8)


def results(scope: Scope, source: Source) -> list[tuple[float, str]]:
    """List what a function may return early: values it returns elsewhere, constants of their types, names."""
    found: dict[str, float] = {}
    kinds: set[str] = set()
    for node in scope.statements:
        if isinstance(node, ast.Return) and node.value is not None:
            kinds |= plain(kinds_of(node.value, scope))
            text = ast.unparse(node.value)
            if len(text) < 30:
                found.setdefault(text, 0.2)
    for kind in sorted(kinds):
        for text in families("answers").get(kind, ()):
            found.setdefault(text, 0.0)
    # A text of the tests is no answer of what returns other things: it would say what they ask, no more.
    for word in source.seen.words[:EXIT_WORDS] if not kinds or "str" in kinds else ():
        found.setdefault(repr(word), 0.6)
    for text in ("None", "False", "True", "0", "1", "-1", "''", "[]"):
        found.setdefault(text, 0.7)
    for name, theirs in scope.names.items():
        if not kinds or plain(theirs) & kinds:
            found.setdefault(name, 0.4)
    return sorted((cost, text) for text, cost in found.items())


def guards(place: Place) -> Iterator[Edit]:
    """Insert ``if condition: return value`` (or break, continue) before a statement."""
    if _docstring(place) or _is_elif(place) or isinstance(place.node, FunctionNode):
        return
    scope = place.source.scope_of(place.node)
    if isinstance(scope.node, ast.Module):
        return
    defined = _defined_before(place, scope)
    silent = not any(isinstance(n, ast.Return) and n.value is not None for n in scope.statements)
    values = [(cost, f"return {text}") for cost, text in results(scope, place.source)]
    exits = [(-0.4, "return")] if silent else list(values)
    if _in_loop(place):
        exits += [(0.0, "continue"), (0.1, "break")]
    refused = (_NOT_RAISED.search(text) for text in place.source.seen.complaints)
    exits += [(-0.3, f"raise {name}") for name in sorted({m[1] or m[2] for m in refused if m})]
    count = 0
    for cost, atom in atoms(scope, place.source):
        if not uses(atom) <= defined:
            continue
        count += 1
        if count > GUARD_ATOMS:
            break
        for extra, leave in exits:
            yield place.before(f"if {atom}:\n    {leave}", "guard", 1.8 + cost + extra)
    for extra, leave in [*values, *(exits if silent else exits[len(values) :])]:
        yield place.after(leave, "leave", 1.6 + extra + CUT_SHORT * (_in_loop(place) and _is_number(leave)))


def _is_number(leave: str) -> bool:
    """Say whether what leaves a function returns a number that stands there."""
    return bool(re.fullmatch(r"return -?[0-9.]+", leave))


def _defined_before(place: Place, scope: Scope) -> set[str]:
    """Return the names a condition at this place may use: those stored on earlier lines, and parameters."""
    names = (n for n in ast.walk(scope.node) if isinstance(n, ast.Name))
    stored = [n for n in names if isinstance(n.ctx, ast.Store)]
    inner, early = {n.id for n in stored}, {n.id for n in stored if n.lineno < place.node.lineno}
    return (set(scope.names) - inner) | early | {f.name for f in place.source.functions}


def wrapping(place: Place) -> Iterator[Edit]:
    """Put a statement under a condition."""
    node = place.node
    if _docstring(place) or not isinstance(node, _WRAPPED):
        return
    scope = place.source.scope_of(node)
    defined = _defined_before(place, scope)
    usable = [(cost, atom) for cost, atom in atoms(scope, place.source) if uses(atom) <= defined]
    for cost, atom in usable[:WRAP_ATOMS]:
        yield place.under(f"if {atom}:", "wrap_if", 1.7 + cost)


def insertions(place: Place) -> Iterator[Edit]:
    """Insert a small statement before or after: count, copy, collect, the reuse of a nearby one."""
    node, source = place.node, place.source
    if _docstring(place) or _is_elif(place) or isinstance(node, FunctionNode):
        return
    scope = source.scope_of(node)
    if isinstance(scope.node, ast.Module):
        return
    ends = isinstance(node, (ast.Return, ast.Break, ast.Continue, ast.Raise))
    for cost, code in [*statements_for(scope, place), *transplants(scope, source)]:
        if not ends and place.index == len(place.block) - 1:
            yield place.after(code, "insert", cost)
        yield place.before(code, "insert", cost + 0.1)


STATEMENT_OPERATORS = (structure, branches, assignments, flow, insertions, wrapping, guards)

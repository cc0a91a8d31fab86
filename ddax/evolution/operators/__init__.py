"""Typed mutation operators over Python programs, ordered by how likely each is to be the repair.

``first_order`` lists every single edit of a text, cheapest first: an edit's rank is the prior cost of
its operator plus `weight` times how little its line is suspected.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile

from ddax.evolution.operators.base import ATOMIC, Edit, Seen, Source, fingerprint, needs_parentheses
from ddax.evolution.operators.calls import CALL_OPERATORS
from ddax.evolution.operators.classes import CLASS_OPERATORS
from ddax.evolution.operators.conditions import conditions
from ddax.evolution.operators.containers import CONTAINER_EXPRESSIONS, CONTAINER_STATEMENTS
from ddax.evolution.operators.expressions import EXPRESSION_OPERATORS
from ddax.evolution.operators.failing import FAILING_OPERATORS, FAILING_STATEMENTS
from ddax.evolution.operators.formats import FORMAT_EDITS
from ddax.evolution.operators.groups import GROUP_OPERATORS, WHOLE_OPERATORS
from ddax.evolution.operators.importing import IMPORT_EDITS, IMPORT_OPERATORS
from ddax.evolution.operators.patterns import patterns
from ddax.evolution.operators.places import places
from ddax.evolution.operators.statements import STATEMENT_OPERATORS
from ddax.evolution.operators.templates import templates
from ddax.evolution.operators.texts import TEXT_OPERATORS
from ddax.evolution.operators.unlikely import IDLE, TWICE, leaving_idle, saying_twice

__all__ = ["Edit", "Seen", "Source", "edits", "fingerprint", "first_order"]

_OPERATORS = (
    *EXPRESSION_OPERATORS, *CALL_OPERATORS, *FAILING_OPERATORS, *GROUP_OPERATORS, *TEXT_OPERATORS,
    *IMPORT_OPERATORS, *CONTAINER_EXPRESSIONS, conditions, templates,
)  # fmt: skip
_STATEMENTS = (*STATEMENT_OPERATORS, *FAILING_STATEMENTS, *CONTAINER_STATEMENTS)
_PIECE = re.compile(rb"(?s)(?<!\w)\w*(\"\"\"|'''|\"|')(?:\\.|(?!\1).)*\1")
_JOINING = (ast.BoolOp, ast.BinOp, ast.Compare, ast.UnaryOp)
"""Parents whose operand has the parentheses around it to itself."""
_WHOLES = (*WHOLE_OPERATORS, *CLASS_OPERATORS, *IMPORT_EDITS, *FORMAT_EDITS, patterns)


def _fixed(node: ast.AST, source: Source) -> bool:
    """Say whether an expression is an annotation, a decorator or a docstring, which no edit touches."""
    parent = source.parents.get(node)
    if isinstance(parent, ast.arg) or (isinstance(parent, ast.AnnAssign) and parent.annotation is node):
        return True
    if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return parent.returns is node or node in parent.decorator_list
    return isinstance(parent, (ast.Expr, ast.JoinedStr)) and isinstance(node, ast.Constant)


def _expression_edits(source: Source, suspects: Mapping[int, float]) -> Iterator[Edit]:
    queue: list[ast.AST] = [source.tree]
    while queue:
        node = queue.pop(0)
        queue.extend(n for n in ast.iter_child_nodes(node) if not _fixed(n, source))
        if not isinstance(node, ast.expr) or not _placed(node, source):
            continue
        if suspects and not _suspected(node, suspects):
            continue
        yield from expression_edits(node, source)


def _placed(node: ast.expr, source: Source) -> bool:
    """Say whether an expression has a place of its own; texts and formats of f-strings have none."""
    parent = source.parents.get(node)
    if isinstance(parent, ast.JoinedStr):
        return False
    if not isinstance(parent, ast.FormattedValue):
        return True
    return node is parent.value and source.stands(node)


def _quotes(node: ast.expr, source: Source) -> str:
    """Return the quotes of the f-strings around a node; before Python 3.12 none may stand in them."""
    found, at = set[str](), source.span(node)[0]
    here: ast.AST | None = node
    while here is not None:
        if isinstance(here, ast.JoinedStr):
            start, end = source.span(here)
            pieces = _PIECE.finditer(source.text[start:end])  # several may stand one after the other
            found |= {p[1].decode()[0] for p in pieces if start + p.start() < at < start + p.end()}
        here = source.parents.get(here)
    return "".join(sorted(found))


def _suspected(node: ast.expr, suspects: Mapping[int, float]) -> bool:
    return any(line in suspects for line in range(node.lineno, (node.end_lineno or node.lineno) + 1))


def _unparsed(node: ast.expr) -> str:
    """Write an expression; `and` and `or` without the parentheses that `ast` puts around what needs none."""
    if isinstance(node, ast.BoolOp):
        bare = (ast.Compare, ast.UnaryOp, *ATOMIC)
        values = [t if isinstance(v, bare) else f"({t})" for v in node.values for t in [_unparsed(v)]]
        return (" and " if isinstance(node.op, ast.And) else " or ").join(values)
    return ast.unparse(ast.fix_missing_locations(node) if isinstance(node, ast.Lambda) else node)


def _written(node: ast.expr, source: Source, quotes: str) -> str:
    """Write an expression with the quotes of its file, or with those that the f-strings around it leave."""
    text = _unparsed(node)
    if quotes:
        return text.replace("'", '"') if quotes == "'" and '"' not in text else text
    return source.styled(text)


def expression_edits(node: ast.expr, source: Source) -> Iterator[Edit]:
    """Yield the edits of one expression."""
    start, end = source.span(node)
    parent = source.parents.get(node)
    enclosed = isinstance(node, ast.GeneratorExp) and isinstance(parent, ast.Call)
    quotes = _quotes(node, source)
    bare = (
        isinstance(parent, _JOINING) and source.text[start - 1 : start] + source.text[end : end + 1] == b"()"
    )
    known = {_written(node, source, quotes): -1.0}  # what stands there already is no edit
    twice = saying_twice(node, source)
    for operator in _OPERATORS:
        for name, cost, new in operator(node, source):
            text = _written(new, source, quotes)
            if (
                needs_parentheses(new, node, parent)
                and not bare
                and not (isinstance(new, ast.Tuple) and text.startswith("("))
            ):
                text = f"({text})"
            if enclosed and not isinstance(new, ast.GeneratorExp):
                text = f"({text})"
            if quotes and any(sign in text for sign in f"{quotes}\\"):
                continue
            cost += TWICE * twice(text)
            if known.get(text, 99.0) > cost:
                known[text] = cost
                yield Edit(source.path, start, end, text, name, cost, node.lineno)


def edits(source: Source, suspects: Mapping[int, float]) -> Iterator[Edit]:
    """Yield every single edit of a text on its suspected lines (on all of them where none is given)."""
    yield from _expression_edits(source, suspects)
    for place in places(source):
        near = any(line in suspects for line in (range(place.start_line, place.end_line + 1)))
        if suspects and not near:
            continue
        for operator in _STATEMENTS:
            yield from operator(place)
    for whole in _WHOLES:
        yield from whole(source)


UNUSED_BONUS = 0.8
"""Taken from the cost of an edit that uses a name which is given a value and never read."""


def _uses_more(names: re.Pattern[str], edit: Edit, source: Source) -> bool:
    if not names.search(edit.text):
        return False
    old = source.text[edit.start : edit.end].decode()
    return len(names.findall(edit.text)) > len(names.findall(old))


def first_order(
    source: Source,
    suspects: Mapping[int, float],
    weight: float = 4.0,
    priors: Mapping[str, float] | None = None,
    late: Callable[[], bool] = lambda: False,
) -> list[tuple[float, Edit]]:
    """List all single edits with their rank, best first; the order is deterministic.

    `priors` is added to the cost of the operators that it names. Where it is `late`, the list is what was
    made until then.
    """
    learned = priors or {}
    idle, leaves_idle = source.unused(), leaving_idle(source)
    uses = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(idle)))})\b") if idle else None

    def rank(edit: Edit) -> float:
        bonus = UNUSED_BONUS if uses is not None and _uses_more(uses, edit, source) else 0.0
        cost = edit.cost + learned.get(edit.operator, 0.0) - bonus + IDLE * leaves_idle(edit)
        return cost + weight * (1.0 - suspects.get(edit.line, 0.0))

    made = takewhile(lambda _: not late(), edits(source, suspects))
    listed = [(rank(e), e) for e in made]
    return sorted(listed, key=lambda item: (item[0], item[1].line, item[1].start, item[1].text))

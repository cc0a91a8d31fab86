"""Says what a patch takes out of a program: text, and branches, by inputs near the tested ones.

A patch that settles or drops a condition deletes what the program did behind it: a known form of
overfitting ("An Analysis of Patch Plausibility and Correctness for Generate-and-Validate Patch
Generation Systems", Qi and others, 2015; "Anti-patterns in Search-Based Program Repair", Tan and
others, 2016).
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence

TAKE, TAKEN, MARK = "__take__", "__taken__", "__mark__"
READ = f"''.join(str({TAKEN}[k]) for k in sorted({TAKEN}))"
"""The expression that gives, for each condition in order, 1 (only false), 2 (only true), 3 (both) or 0."""
CONDITIONS = 300
"""Conditions of a file that are watched at most: what an answer of a probe has room for."""


class _Watcher(ast.NodeTransformer):
    """Wraps what is only asked for its truth: tests of branches and loops, filters of comprehensions."""

    def __init__(self) -> None:
        self.count = 0

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Wrap the tests of a node after those inside it."""
        super().generic_visit(node)
        if isinstance(node, (ast.If, ast.While, ast.IfExp)):
            node.test = self.wrap(node.test)
        elif isinstance(node, ast.comprehension):
            node.ifs = [self.wrap(test) for test in node.ifs]
        return node

    def wrap(self, test: ast.expr) -> ast.expr:
        """Wrap the parts of a condition that `and`, `or` and `not` join."""
        if isinstance(test, ast.BoolOp):
            test.values = [self.wrap(value) for value in test.values]
            return test
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test.operand = self.wrap(test.operand)
            return test
        if self.count == CONDITIONS or isinstance(test, ast.Constant):  # `while True` settles nothing
            return test
        self.count += 1
        arguments: list[ast.expr] = [ast.Constant(self.count - 1), test]
        return ast.Call(ast.Name(TAKE, ast.Load()), arguments, [])


def watched(text: str) -> str:
    """Return a program's text with its conditions noted as they are met; raises SyntaxError."""
    tree = ast.parse(text)
    watcher = _Watcher()
    watcher.visit(tree)
    # Lambdas: a `def` would use up the budget of ticks that the program's own functions have.
    head = ast.parse(
        f"{TAKEN} = dict.fromkeys(range({watcher.count}), 0)\n"
        f"{MARK} = lambda number, mark: {TAKEN}.__setitem__(number, {TAKEN}[number] | mark)\n"
        f"{TAKE} = lambda number, value: not {MARK}(number, 2) if value else bool({MARK}(number, 1))\n"
    ).body
    at = sum(_stays_first(statement, i) for i, statement in enumerate(tree.body))
    tree.body[at:at] = head
    return ast.unparse(ast.fix_missing_locations(tree))


def _stays_first(statement: ast.stmt, index: int) -> bool:
    docstring = index == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return docstring or (isinstance(statement, ast.ImportFrom) and statement.module == "__future__")


def dropped(old: str, new: str) -> float:
    """Return the share, in [0, 1], of the conditions of a text that are gone; 0 where one is no program."""
    try:
        before, after = _conditions(old), _conditions(new)
    except SyntaxError:
        return 0.0
    return max(0.0, 1.0 - after / before) if before else 0.0


def _conditions(text: str) -> int:
    watcher = _Watcher()
    watcher.visit(ast.parse(text))
    return watcher.count


def lost(answers: Sequence[str], before: Sequence[str]) -> float:
    """Return by which share, in [0, 1], fewer branches are taken than the unchanged program has.

    Both are answers to READ, `before` the unchanged program's. So a condition that was taken out counts
    as much as one that always goes the same way. An answer that raises counts as no branch taken.
    """
    branches = 2 * len(_marks(before))
    taken = sum(int(mark).bit_count() for mark in _marks(answers))
    return max(0.0, 1.0 - taken / branches) if branches else 0.0


def _marks(answers: Sequence[str]) -> str:
    return "".join(a.removeprefix("str ").strip("'") for a in answers if not a.startswith("raises"))


_WORDS = re.compile(r"\w+|[^\w\s]")


def fewer_statements(old: str, new: str) -> bool:
    """Say whether a program has fewer statements than before; `pass` is none, nor is what does not parse."""
    try:
        return _statements(new) < _statements(old)
    except SyntaxError:
        return False


def _statements(text: str) -> int:
    return sum(isinstance(n, ast.stmt) and not isinstance(n, ast.Pass) for n in ast.walk(ast.parse(text)))


def only_taken_out(old: str, new: str) -> bool:
    """Say whether a text differs by nothing but words and signs that are gone."""
    before, after = Counter(_WORDS.findall(old)), Counter(_WORDS.findall(new))
    return before != after and after <= before

"""What a reasoner is shown of a program under repair: what a person who repairs it would look at.

The code that is suspected with what it calls, the failing tests with their values and tracebacks, and what
the search has tried and how close it came.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ddax.evolution.evaluator import CodeEvaluator, describe
from ddax.evolution.localise import Row
from ddax.evolution.operators.base import FunctionNode
from ddax.evolution.program.definitions import words
from ddax.evolution.program.imports import parsed
from ddax.evolution.program.suites import Suite, Unit

WHOLE = 16_000
"""Characters up to which a file is shown whole; of a longer one the functions that matter are."""
SOURCE, ELSEWHERE = 1_500, 4_000
"""Characters of the text of one test, and of what is called in other files."""
TESTS = 3
"""Failing tests that are told in full."""
SHORT = 3
"""Lines of a function that is not worth being left out."""


def failing_tests(
    evaluator: CodeEvaluator, rows: Sequence[Row], sources: Mapping[str, str], *, ticks: int = 0
) -> tuple[str, ...]:
    """Tell of each failing test: its text, the values of its assertion and the traceback; few of them whole.

    Where the program cannot be run for it, what is known of how they ended is told.
    """
    suite = evaluator.suite
    units = [row.unit for row in rows[:TESTS]]
    said, _ = evaluator.tell(units, sources, ticks=ticks) if units else ((), "")
    texts = said or tuple(describe([row], suite).partition(": ")[2] for row in rows[:TESTS])
    whole = [
        f"{suite.units[unit].id}\n{source_of(suite, suite.units[unit])}\n{text}".strip()
        for unit, text in zip(units, texts, strict=True)
    ]
    rest = [suite.units[row.unit].id for row in rows[TESTS:]]
    more = [f"and {len(rest)} more: {', '.join(rest[:TESTS])}"] if rest else []
    return (*whole, *more)


def source_of(suite: Suite, unit: Unit) -> str:
    """Return the text of a test with the set-up, fixtures and helpers of its file that it names."""
    if unit.kind == "doctest" or not unit.text:
        return _cut(unit.text)
    if unit.kind == "script":
        return _cut(unit.code if _sets_up(unit.code) else unit.text)
    if unit.kind == "main":
        return f"python {unit.path}"
    tree = ast.parse(suite.tests[unit.path])
    test = ast.parse(unit.text)
    asked = words(test) | {node.arg for node in ast.walk(test) if isinstance(node, ast.arg)}
    return _cut("\n".join([*_set_up(tree, unit, asked), unit.text]))


def _sets_up(code: str) -> bool:
    return any(isinstance(node, ast.Assign | ast.AugAssign | ast.With) for node in ast.walk(ast.parse(code)))


def _set_up(tree: ast.Module, unit: Unit, asked: Collection[str]) -> Iterator[str]:
    """Yield what a test file makes ready for a test: what the test names, and the set-up of its class."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == unit.cls:
            own = (x for x in node.body if isinstance(x, FunctionNode))
            yield from (ast.unparse(x) for x in own if x.name in ("setUp", "setup_method", "setUpClass"))
        elif (isinstance(node, FunctionNode) and node.name in asked) or (
            isinstance(node, ast.Assign) and words(node) & set(asked)
        ):
            yield ast.unparse(node)


def _cut(text: str) -> str:
    """Return a text, of a long one its end: there stands what is asserted."""
    return text if len(text) <= SOURCE else f"…{text[-SOURCE:]}"


def outlined(text: str, lines: Collection[int], most: int = WHOLE) -> str:
    """Return a file as it is shown: of a long one the bodies of what does not matter are left out.

    What matters are the functions in which the lines stand, and those of the file that these call.
    """
    functions = _functions(text) if len(text) > most else []
    kept = _kept(functions, lines)
    shown = text.splitlines()
    for node in sorted(functions, key=lambda node: -node.lineno):
        first, last = node.body[0].lineno, node.end_lineno or node.lineno
        inside = any(node.lineno < one.lineno <= last for one in kept)
        if node not in kept and not inside and last - first >= SHORT and first > node.lineno:
            shown[first - 1 : last] = [f"{' ' * node.body[0].col_offset}..."]
    return "\n".join(shown) + "\n" if functions else text


def _functions(text: str) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in ast.walk(parsed(text)) if isinstance(node, FunctionNode)]


def _kept(
    functions: Sequence[ast.FunctionDef | ast.AsyncFunctionDef], lines: Collection[int]
) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    suspected = [f for f in functions if any(f.lineno <= line <= (f.end_lineno or 0) for line in lines)]
    called = {word for function in suspected for word in words(function)}
    return [f for f in functions if f in suspected or f.name in called]


def called_elsewhere(files: Mapping[str, str], path: str, lines: Collection[int]) -> str:
    """Return the functions of other files that the suspected ones of a file call, each under its path."""
    suspected = _kept(_functions(files[path]), lines)
    asked = {word for function in suspected for word in words(function)} - set(dir(builtins))
    own = {function.name for function in suspected}
    found = [
        f"# {other}\n{ast.get_source_segment(text, node) or ''}"
        for other, text in files.items()
        if other != path and other.endswith(".py")
        for node in _functions(text)
        if node.name in asked - own
    ]
    return "\n\n".join(_within(found, ELSEWHERE))


def _within(texts: Iterable[str], most: int) -> Iterator[str]:
    for text in texts:
        if len(text) > most:
            return
        most -= len(text)
        yield text

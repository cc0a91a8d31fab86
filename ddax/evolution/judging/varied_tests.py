"""Varies the visible tests, and turns what they claim into questions.

Calls of functions with plain arguments are varied one by one (see `inputs`). Objects have a history, and
are given functions and other objects, which cannot be written down: here the tests that make them are
varied instead. Each variant changes one value, leaves one call out, also of a chain, or makes it twice
("A snowballing literature study on test amplification", Danglot and others, 2019).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice, repeat, zip_longest
from operator import itemgetter
from typing import Any

from ddax.evolution.inside.observing import NOTE, OBSERVED, RAISED, RAISES, STATE
from ddax.evolution.judging.inputs import Probe, near
from ddax.evolution.program.suites import Unit

VARIANTS, LONGEST, TESTS = 120, 4000, 24
"""Variants that are run at most, characters of a test that is varied, tests that are varied."""
_LITERAL = (ast.Constant, ast.List, ast.Tuple, ast.Dict)
_Body = list[ast.stmt]


def variants_of(units: Sequence[Unit], names: Collection[str]) -> list[Probe]:
    """Return probes that run tests and variants of them; where there are many, those that use `names`."""
    known = [(i, unit) for i, unit in enumerate(units) if unit.kind != "main" and len(unit.text) <= LONGEST]
    chosen = sorted(known, key=lambda item: not any(name in item[1].text for name in names))[:TESTS]
    queues = [islice(zip(repeat(i), _texts(unit)), VARIANTS) for i, unit in sorted(chosen, key=itemgetter(0))]
    rows = [row for turn in zip_longest(*queues) for row in turn if row is not None]
    return [{"unit": i, "text": text} for i, text in rows[:VARIANTS]]


def _texts(unit: Unit) -> Iterator[str]:
    """Yield the text of a test that observes, then of its variants, without repeats."""
    try:
        test = _function(unit)
    except SyntaxError:  # `ast.unparse` may write an f-string that Python below 3.12 does not read
        return
    known = set[str]()
    for variant in _variants(test):
        text = ast.unparse(ast.fix_missing_locations(observing(variant)))
        if text not in known:
            known.add(text)
            yield text


def _function(unit: Unit) -> Any:
    if unit.kind == "script":
        empty = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        return ast.FunctionDef(OBSERVED, empty, ast.parse(unit.code).body, [], None, lineno=1)
    test: Any = ast.parse(unit.text).body[0]
    test.name = OBSERVED
    return test


def _variants(test: Any) -> Iterator[Any]:
    """Yield a test as it is, then with one thing changed; each place in its turn."""
    yield copy.deepcopy(test)
    queues = [_rebodied(test), _relinked(test), *(_revalued(test, at) for at in _places(test))]
    yield from _alternately(queues)


def _alternately(queues: Sequence[Iterator[Any]]) -> Iterator[Any]:
    waiting = list(queues)
    while waiting:
        for queue in list(waiting):
            if (item := next(queue, None)) is None:
                waiting.remove(queue)
            else:
                yield item


def _rebodied(test: Any) -> Iterator[Any]:
    """Yield a test with one call made twice or left out."""
    for i, statement in enumerate(test.body):
        calls = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
        for times in (2, 0) if calls else (2,) if isinstance(statement, ast.Assert) else ():
            changed = copy.deepcopy(test)
            changed.body[i : i + 1] = [copy.deepcopy(statement) for _ in range(times)]
            if changed.body:
                yield changed


def _relinked(test: Any) -> Iterator[Any]:
    """Yield a test with one call of a chain, as in `basket.add(1).add(2)`, made twice or left out."""
    for at, link in enumerate(ast.walk(test)):
        if isinstance(link, ast.Call) and _goes_on(link):
            for again in (True, False):
                changed = copy.deepcopy(test)
                node: Any = list(ast.walk(changed))[at]
                owner = node.func.value
                if again:
                    node.func = ast.Attribute(copy.deepcopy(node), node.func.attr, ast.Load())
                else:
                    node.__dict__.update(owner.__dict__)
                yield changed


def _goes_on(link: ast.Call) -> bool:
    """Say whether a call is made on what another call gave."""
    return isinstance(link.func, ast.Attribute) and isinstance(link.func.value, ast.Call)


def _places(test: ast.AST) -> list[int]:
    """Return where, in the order of `ast.walk`, the values stand that a test gives to the program."""
    left_out = set[ast.AST]()
    for node in ast.walk(test):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            left_out |= {n for d in node.decorator_list for n in ast.walk(d)}
        elif isinstance(node, ast.Compare):
            left_out |= {node.left, *node.comparators}
        elif isinstance(node, ast.Expr | ast.Assert | ast.JoinedStr | ast.FormattedValue):
            left_out |= set(ast.iter_child_nodes(node))
        elif isinstance(node, ast.Call) and (claims(node) or _name(node.func) in ("raises", "approx")):
            left_out |= {*node.args, *node.keywords, *(k.value for k in node.keywords)}
    return [i for i, n in enumerate(ast.walk(test)) if isinstance(n, _LITERAL) and n not in left_out]


def _revalued(test: Any, at: int) -> Iterator[Any]:
    """Yield a test with another value at a place."""
    try:
        value = ast.literal_eval(list(ast.walk(test))[at])
    except ValueError:
        return
    for other in near(value):
        changed = copy.deepcopy(test)
        node, new = list(ast.walk(changed))[at], ast.parse(repr(other), mode="eval").body
        if isinstance(node, ast.Constant):
            node.value = other
            yield changed
        elif type(node) is type(new):
            node.__dict__.update(new.__dict__)
            yield changed


def observing(test: Any) -> Any:
    """Turn a test into one that claims nothing and notes what it sees, its objects at the end too."""
    test.decorator_list = [d for d in test.decorator_list if _name(d) == "parametrize"]
    test.body = [*_guarded(test.body), ast.Expr(_call(STATE, _call("locals")))]
    return test


def _guarded(body: _Body) -> _Body:
    """Let a body go on after what raises, and note that it did."""
    made: _Body = []
    for statement in body:
        if isinstance(
            statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Global | ast.Nonlocal
        ):
            made.append(statement)
        elif isinstance(statement, ast.With) and any(_raising(i.context_expr) for i in statement.items):
            made.append(_tried(_unguarded(statement.body), RAISES))
        else:
            made.append(_tried(_noted([statement], _guarded), RAISED))
    return made


def _tried(body: _Body, noted: str) -> ast.stmt:
    handler = ast.ExceptHandler(
        ast.Name("Exception", ast.Load()),
        "__error__",
        [ast.Expr(_call(noted, ast.Name("__error__", ast.Load())))],
    )
    return ast.Try(body=body or [ast.Pass()], handlers=[handler], orelse=[], finalbody=[])


def _unguarded(body: _Body) -> _Body:
    """Let a body end at what raises, which is expected of it."""
    return _noted(body, _unguarded)


def _noted(body: _Body, within: Callable[[_Body], _Body]) -> _Body:
    """Note what the statements of a body ask for, give back and keep."""
    made: _Body = []
    for statement in body:
        value = getattr(statement, "value", None)
        if isinstance(statement, ast.Assert):
            made += [ast.Expr(part) for part in _asked(statement.test)]
        elif isinstance(statement, ast.Expr) and isinstance(value, ast.Call) and claims(value):
            made += [ast.Expr(_call(NOTE, part)) for part in value.args if not isinstance(part, ast.Constant)]
        elif isinstance(statement, ast.Expr | ast.Assign) and value is not None:
            statement.value = _call(NOTE, value)
            made.append(statement)
        else:
            for name in ("body", "orelse", "finalbody"):
                if getattr(statement, name, None):
                    setattr(statement, name, within(getattr(statement, name)))
            made.append(statement)
    return made


def _asked(test: ast.expr) -> list[ast.expr]:
    """Return the parts of a claim with what each is asked for, and the claim itself."""
    if isinstance(test, ast.BoolOp):
        return [part for value in test.values for part in _asked(value)]
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _asked(test.operand)
    if isinstance(test, ast.Compare):
        sides = [side for side in (test.left, *test.comparators) if not isinstance(side, _LITERAL)]
        if all(isinstance(op, ast.Eq | ast.NotEq | ast.Is | ast.IsNot) for op in test.ops):
            return [_call(NOTE, side) for side in sides]
    return [_call(NOTE, test)]


def claims(call: ast.Call) -> bool:
    """Say whether a call is an assertion of a TestCase."""
    return isinstance(call.func, ast.Attribute) and call.func.attr.startswith("assert")


def _raising(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and _name(node.func) in ("raises", "assertRaises", "assertRaisesRegex")


def _name(node: ast.expr) -> str:
    inner = node.func if isinstance(node, ast.Call) else node
    return inner.attr if isinstance(inner, ast.Attribute) else inner.id if isinstance(inner, ast.Name) else ""


def _call(name: str, *args: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])

"""Makes inputs near those that were seen, and reads the examples that a program's docstrings give."""

from __future__ import annotations

import ast
import doctest
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ddax.evolution.inside.values import decode, encode
from ddax.evolution.program.imports import parsed

PER_FUNCTION, FUNCTIONS = 60, 4
Probe = dict[str, Any]


def _no(_data: Any) -> Any:
    raise ValueError("not a plain value")


def near(value: Any) -> Iterator[Any]:
    """Yield values near a plain one: the neighbours of a number, a list less or more an element."""
    if type(value) is bool:
        yield not value
    elif type(value) is int:
        yield from (value + 1, value - 1, 0, -value, 2 * value + 1)
    elif type(value) is float:
        yield from (value + 0.5, -value, 0.0, value * 2)
    elif type(value) in (str, bytes, list, tuple):
        yield from (value[:0], value[1:], value[:-1], value[::-1], value + value[:1], value + value)
        if type(value) is str:
            yield from (value.upper(), value.replace(value[:1], " ", 1) if value else " ")
        elif type(value) in (list, tuple) and value:
            for index in (0, len(value) - 1):
                for other in list(near(value[index]))[:3]:
                    yield value[:index] + type(value)([other]) + value[index + 1 :]
    elif type(value) is dict and value:
        keys = list(value)
        yield {k: value[k] for k in keys[1:]}
        for other in list(near(value[keys[0]]))[:2]:
            yield {**value, keys[0]: other}


def around(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return the seen arguments and their neighbours, one argument changed at a time, without repeats."""
    made: dict[str, list[Any]] = {}
    queues = [iter([list(row)]) for row in rows]
    queues += [_changed(list(row)) for row in rows]
    while queues and len(made) < PER_FUNCTION:
        for queue in list(queues):
            item = next(queue, None)
            if item is None:
                queues.remove(queue)
            elif len(made) < PER_FUNCTION:
                made.setdefault(repr(item), item)
    return list(made.values())


def _changed(row: list[Any]) -> Iterator[list[Any]]:
    for index, value in enumerate(row):
        for other in near(value):
            yield [*row[:index], other, *row[index + 1 :]]


def changed_functions(path: str, old: str, new: str) -> set[tuple[str, str]]:
    """Return the functions at the top of a file that differ in two valid texts of it, as (path, name)."""
    before, after = (
        {(path, n.name): ast.dump(n) for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)}
        for text in (old, new)
    )
    return {name for name, dump in before.items() if after.get(name) != dump}


def changed_classes(old: str, new: str) -> set[str]:
    """Return the names of the classes that differ in two valid texts, and of those of their methods."""
    before, after = (
        {n.name: n for n in ast.parse(text).body if isinstance(n, ast.ClassDef)} for text in (old, new)
    )
    found = set[str]()
    for name, node in before.items():
        other = after.get(name)
        if other is not None and ast.dump(node) != ast.dump(other):
            kept = {ast.dump(n) for n in other.body}
            own = (n for n in node.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
            found |= {name, *(n.name for n in own if ast.dump(n) not in kept)}
    return found


def probes_of(
    calls: Mapping[tuple[str, str], Sequence[Sequence[Any]]], changed: Collection[tuple[str, str]] = ()
) -> list[Probe]:
    """Return probes around the calls that the tests made; `calls` maps (path, function) to JSON rows.

    Where there are more functions than are probed, the `changed` ones come first.
    """
    chosen = sorted(calls, key=lambda function: (function not in changed, function))[:FUNCTIONS]
    probes: list[Probe] = []
    for path, name in sorted(chosen):
        rows = calls[path, name]
        values = [[decode(a, _no) for a in row] for row in rows]
        for args in around(values):
            probes.append({"path": path, "name": name, "args": [encode(a, _no) for a in args]})
    return probes


def examples(path: str, text: str) -> list[tuple[Probe, str]]:
    """Return the doctest examples of a file that are single expressions, with the expected text."""
    found: list[tuple[Probe, str]] = []
    for node in ast.walk(parsed(text)):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found += _examples_in(path, ast.get_docstring(node) or "")
    return found


def _examples_in(path: str, docstring: str) -> list[tuple[Probe, str]]:
    try:
        shown = doctest.DocTestParser().get_examples(docstring)
    except ValueError:
        return []
    rows = []
    for example in shown:
        try:
            tree = ast.parse(example.source.strip(), mode="eval")
        except SyntaxError:
            continue
        want = example.want.strip()
        if not want and isinstance(tree.body, ast.Compare):
            want = "True"  # `>>> double(2) == 4` with nothing below it is a claim
        if want and not example.exc_msg:
            rows.append(({"path": path, "code": example.source.strip()}, want))
    return rows


def agrees(answer: str, want: str) -> bool:
    """Say whether a probe's answer is the value that an example shows, whatever its quotes and spaces."""
    from ddax.evolution.inside.probing import show

    try:
        return answer == show(ast.literal_eval(want))
    except (ValueError, SyntaxError):
        return answer.partition(" ")[2] == want

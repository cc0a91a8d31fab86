"""Calls functions of a program on given inputs and says what came of each, as short plain text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .limits import OutOfTime
from .loading import Program, Ticks
from .values import decode, encode

SHOWN = 400
"""Characters of a result that are kept; longer ones count as equal where these are."""


def unknown(_data: Any) -> Any:
    """Refuse what is no plain value."""
    raise ValueError("not a plain value")


def show(value: Any) -> str:
    """Write a result with its type; sets in order, numbers rounded to what a reader would call equal."""
    if type(value) is float:
        return f"float {value:.9g}"
    if type(value) in (set, frozenset):
        return f"{type(value).__name__} {sorted(map(repr, value))}"[:SHOWN]
    if type(value) in (list, tuple):
        return f"{type(value).__name__} [{', '.join(show(v) for v in value[:60])}]"[:SHOWN]
    return f"{type(value).__name__} {value!r}"[:SHOWN]


def attempt(action: Callable[[], Any], ticks: Ticks, limit: int) -> str:
    """Return what an action gives, or the kind of what it raises."""
    ticks.reset(limit)
    try:
        return show(action())
    except OutOfTime:
        raise
    except BaseException as error:  # what a program raises is its answer
        return f"raises {type(error).__name__}"


def answer(program: Program, ticks: Ticks, row: dict[str, Any], limit: int) -> str:
    """Answer a probe: a function with plain arguments, or an expression in a module of the program."""
    return attempt(_action(program, row), ticks, limit)


def _action(program: Program, row: dict[str, Any]) -> Callable[[], Any]:
    def call() -> Any:
        space = program.load(row["path"])
        if "code" in row:
            return eval(row["code"], dict(space))  # noqa: S307 - this is the sandboxed side
        return space[row["name"]](*(decode(a, unknown) for a in row["args"]))

    return call


def plain(values: list[Any]) -> list[Any] | None:
    """Write arguments as JSON, or None where one is no plain value."""
    try:
        return [encode(value, unknown) for value in values]
    except (ValueError, RecursionError):
        return None

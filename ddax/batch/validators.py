"""Say whether an answer is right, by what the task itself says; no model is asked."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

from ddax.batch.tasks import BatchTask, Contains, Exact, Numeric, Own, Regex, TestsPass, Validator, plain
from ddax.errors import UsageError

_NUMBER = re.compile(
    r"(?:(?<![\w.)])[-+])?(?:(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|(?<![\w.])\.\d+)(?:[eE][-+]?\d+)?"
)
"""A sign behind a word or a number joins the two: 2019-2020 are two years."""


class Check(TypedDict):
    """What a validator found."""

    kind: str
    ok: bool
    why: str


def checks(task: BatchTask, result: Mapping[str, Any], *, repaired: bool) -> list[Check]:
    """Return what each validator of a task says of a result."""
    return [_check(one, task, result, repaired) for one in task.validators]


def check_functions(tasks: Iterable[BatchTask]) -> None:
    """Load the own functions of tasks; raises UsageError for the first that cannot be."""
    if os.getcwd() not in sys.path:  # as a worker that is a process of its own has it, by `python -m`
        sys.path.append(os.getcwd())
    for task in tasks:
        for one in task.validators:
            if isinstance(one, Own):
                _function(one.value, task)


def score(found: list[Check]) -> float | None:
    """Return the share of validators that hold; None where the task has none."""
    return sum(check["ok"] for check in found) / len(found) if found else None


def _check(one: Validator, task: BatchTask, result: Mapping[str, Any], repaired: bool) -> Check:
    answer = str(result["answer"])
    match one:
        case Exact():
            ok = plain(one.value) in (plain(str(result["short"])), plain(answer))
        case Contains():
            ok = plain(one.value) in plain(answer)
        case Regex():
            ok = re.search(one.value, answer) is not None
        case Numeric():
            ok = any(abs(number - one.value) <= one.tolerance for number in numbers(answer))
        case TestsPass():
            ok = repaired
        case Own():
            return _own(one, task, result)
    wanted = getattr(one, "value", "every test passes")
    return Check(kind=one.kind, ok=ok, why="" if ok else f"wanted {wanted!r}, got {answer[:200]!r}")


def _own(one: Own, task: BatchTask, result: Mapping[str, Any]) -> Check:
    """Ask a function of the user's; one that raises has not said that the answer is right."""
    function = _function(one.value, task)
    try:
        ok = bool(function(task.model_dump(mode="json"), dict(result)))
    except Exception as error:  # whatever a function of the user's own raises
        return Check(kind=one.kind, ok=False, why=f"{one.value} raised {type(error).__name__}: {error}")
    return Check(
        kind=one.kind, ok=ok, why="" if ok else f"{one.value} says no of {str(result['answer'])[:200]!r}"
    )


def numbers(text: str) -> list[float]:
    """Return the numbers of a text in their order; commas may group thousands."""
    return [float(found.replace(",", "")) for found in _NUMBER.findall(text)]


def _function(name: str, task: BatchTask) -> Any:
    module, _, attribute = name.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except Exception as error:  # a module of the user's own may raise anything
        raise UsageError(
            f"{task.place}: the validator {name!r} cannot be loaded.",
            why=f"{type(error).__name__}: {error}.",
            mend="Name a function as module:name, of a module in this folder or on Python's path.",
        ) from error

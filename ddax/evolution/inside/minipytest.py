"""A small stand-in for pytest: raises, approx, mark, fixture, skip, and the commonest fixtures.

It keeps the worker light and fast. Left out: plugins, conftest, fixture scopes. A suite that needs those
is told so.
"""

from __future__ import annotations

import inspect  # here, so that the warm worker has it and no candidate pays for it
import math
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .fixtures import FIXTURES, CaptureFixture, MonkeyPatch


class Skipped(BaseException):
    """Say that a test is skipped."""


class Caught:
    """What `raises` yields: the exception in `value`, its class in `type`."""

    value: BaseException
    type: type[BaseException]

    def match(self, pattern: str) -> bool:
        """Check the message against a regular expression."""
        assert re.search(pattern, str(self.value)), f"{pattern!r} does not match {self.value!s}"
        return True


@contextmanager
def _raising(expected: Any, match: str | None) -> Iterator[Caught]:
    caught = Caught()
    try:
        yield caught
    except expected as error:
        caught.value, caught.type = error, type(error)
    else:
        raise AssertionError(f"DID NOT RAISE {expected}")
    if match is not None:
        caught.match(match)


def raises(expected: Any, *args: Any, match: str | None = None, **kwargs: Any) -> Any:
    """Expect an exception, as a context manager or around a call."""
    if not args:
        return _raising(expected, match)
    with _raising(expected, match) as caught:
        args[0](*args[1:], **kwargs)
    return caught


class Approx:
    """Equal within a tolerance; sequences and mappings element by element."""

    def __init__(self, expected: Any, rel: float | None = None, abs: float | None = None) -> None:
        default = 1e-6 if abs is None else 0.0  # an absolute tolerance alone leaves no relative one
        self.expected, self.rel = expected, default if rel is None else rel
        self.abs = 1e-12 if abs is None else abs

    def _close(self, a: Any, b: Any) -> bool:
        if isinstance(b, Mapping):
            return set(a) == set(b) and all(self._close(a[k], b[k]) for k in b)
        if isinstance(b, Iterable) and not isinstance(b, (str, bytes)):
            a, b = list(a), list(b)
            return len(a) == len(b) and all(map(self._close, a, b))
        if isinstance(b, (int, float)) and isinstance(a, (int, float)):
            return math.isclose(a, b, rel_tol=self.rel, abs_tol=self.abs)
        return bool(a == b)

    def __eq__(self, other: object) -> bool:
        return self._close(other, self.expected)

    __hash__ = None  # type: ignore[assignment]


def skip(reason: str = "", **_options: Any) -> None:
    """Skip the running test."""
    raise Skipped(reason)


def fail(reason: str = "", **_options: Any) -> None:
    """Fail the running test."""
    raise AssertionError(reason)


def fixture(function: Any = None, **_options: Any) -> Any:
    """Mark a function as a fixture; every test calls it anew."""
    if function is None:
        return fixture
    function.__ddax_fixture__ = True
    return function


class _Mark:
    def parametrize(self, names: Any, values: Iterable[Any], **_options: Any) -> Callable[[Any], Any]:
        """Run a test once for every row of values."""
        keys = [n.strip() for n in names.split(",")] if isinstance(names, str) else list(names)

        def decorate(function: Any) -> Any:
            rows = [dict(zip(keys, _row(value, len(keys)), strict=True)) for value in values]
            function.__ddax_rows__ = [
                {**a, **b} for a in getattr(function, "__ddax_rows__", [{}]) for b in rows
            ]
            return function

        return decorate

    def skip(self, *args: Any, **kwargs: Any) -> Any:
        """Skip the marked test."""
        return _skipper if not (args and callable(args[0])) else _skipper(args[0])

    def skipif(self, condition: Any, **_options: Any) -> Any:
        """Skip the marked test where a condition holds."""
        return _skipper if condition else _same

    def __getattr__(self, name: str) -> Any:
        return _same


def _row(value: Any, count: int) -> tuple[Any, ...]:
    value = value.values if isinstance(value, Param) else value
    return (value,) if count == 1 and not isinstance(value, _Values) else tuple(value)


class _Values(tuple[Any, ...]):
    """The values of one `param`."""


class Param:
    """One row given by `param`."""

    def __init__(self, *values: Any, **_options: Any) -> None:
        self.values = _Values(values)


def _same(*args: Any, **_kwargs: Any) -> Any:
    return args[0] if len(args) == 1 and callable(args[0]) else _same


def _skipper(function: Any) -> Any:
    def skipped(*_args: Any, **_kwargs: Any) -> None:
        raise Skipped("marked")

    return skipped


class _Fixtures:
    """The values of one run of a test: those of its row, and of fixtures, each made once."""

    def __init__(self, space: Mapping[str, Any], row: Mapping[str, Any]) -> None:
        self.space, self.values = space, dict(row)
        self.endings: list[Iterator[Any]] = []

    def value(self, name: str) -> Any:
        """Return a value by its name; a fixture is made on first use."""
        if name not in self.values:
            self.values[name] = self._made(name)
        return self.values[name]

    def _made(self, name: str) -> Any:
        maker = self.space.get(name)
        if not hasattr(maker, "__ddax_fixture__"):
            maker = FIXTURES.get(name)
        if maker is None:
            raise LookupError(f"the fixture {name!r} is not in this file; use the pytest of the project")
        value = maker(**{p: self.value(p) for p in inspect.signature(maker).parameters})
        if inspect.isgenerator(value):
            self.endings.append(value)
            return next(value)
        return value

    def end(self) -> None:
        """End the fixtures, the last one first."""
        for ending in reversed(self.endings):
            next(ending, None)


def finish(result: Any) -> None:
    """Run what an asynchronous test returned."""
    if type(result).__name__ == "coroutine":
        import asyncio

        asyncio.run(result)


def _alone(function: Any) -> bool:
    """Say whether a function takes nothing, as its code tells; to make its signature takes long."""
    code = getattr(function, "__code__", None)
    if code is None or hasattr(function, "__wrapped__"):
        return False
    return code.co_argcount + code.co_kwonlyargcount == int(
        hasattr(function, "__self__")
    ) and not code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)


def call_test(function: Any, space: Mapping[str, Any]) -> None:
    """Call a test for every row of its parameters, with its fixtures; raises where it fails."""
    for row in getattr(function, "__ddax_rows__", [{}]):
        fixtures = _Fixtures(space, row)
        wanted = {} if _alone(function) else inspect.signature(function).parameters
        try:
            values = {
                n: fixtures.value(n)
                for n, p in wanted.items()
                if n in row or (p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD))
            }
            finish(function(**values))
        finally:
            fixtures.end()


def install() -> None:
    """Offer this stand-in under the name pytest."""
    module = types.ModuleType("pytest")
    module.__dict__.update(
        raises=raises,
        approx=Approx,
        skip=skip,
        fail=fail,
        fixture=fixture,
        mark=_Mark(),
        param=Param,
        Skipped=Skipped,
        MonkeyPatch=MonkeyPatch,
        CaptureFixture=CaptureFixture,
    )
    sys.modules["pytest"] = module

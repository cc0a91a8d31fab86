"""Runs variants of tests that claim nothing, and says what they saw: results, errors, objects at the end."""

from __future__ import annotations

import ast
import functools
import hashlib
import random
import re
import sys
from collections import deque
from itertools import islice
from types import FunctionType
from typing import Any

from .limits import OutOfTime
from .loading import TICK, Program, instrument
from .probing import SHOWN, show

OBSERVED, NOTE, RAISED, RAISES, STATE = "__observed__", "__note__", "__raised__", "__raises__", "__state__"
DEPTH, ELEMENTS, NOTES = 4, 30, 200
"""How deep objects are looked into, elements of a collection that are told, and notes of a test."""
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_GROUPS: tuple[Any, ...] = (list, tuple, deque, set, frozenset)


class Observer:
    """What one variant of a test saw, in order."""

    def __init__(self, modules: frozenset[str]) -> None:
        self.modules, self.notes, self.raised = modules, list[str](), ""

    def note(self, value: Any) -> Any:
        """Note a value, and give it back."""
        if len(self.notes) < NOTES:
            self.notes.append(self.told(value))
        return value

    def error(self, error: BaseException) -> None:
        """Note an error that no test expects there."""
        self.raised = self.raised or type(error).__name__
        self.notes.append(f"raised {type(error).__name__}")

    def expected(self, error: BaseException) -> None:
        """Note an error where a test expects one."""
        self.notes.append(f"raises {type(error).__name__}")

    def state(self, space: dict[str, Any]) -> None:
        """Note what the program's objects hold that the names of a test stand for."""
        for name, value in sorted(space.items()):
            if name == "self" or type(value).__module__ in self.modules:
                self.notes.append(f"{name}: {self.told(value)}")

    def told(self, value: Any, depth: int = 0) -> str:
        """Write a value; an object of the program by what it holds, a foreign one by its `repr`."""
        kind = type(value)
        if depth > DEPTH:
            return "..."
        if value is None or kind in (bool, int, float, complex, str, bytes, range):
            return show(value)
        if isinstance(value, BaseException):
            return kind.__name__
        if isinstance(value, dict):
            rows = islice(dict.items(value), ELEMENTS)
            held = [f"{self.told(k, depth + 1)}: {self.told(v, depth + 1)}" for k, v in rows]
            return f"{kind.__name__} {{{', '.join(held)}}}"
        if (base := next((c for c in _GROUPS if isinstance(value, c)), None)) is not None:
            held = [self.told(v, depth + 1) for v in islice(base.__iter__(value), ELEMENTS)]
            return f"{kind.__name__} {sorted(held) if base in (set, frozenset) else held}"
        if kind.__module__ not in self.modules:
            return f"{kind.__name__} {_described(value)}"
        held = [f"{n}={text}" for n, text in self.attributes(value, depth + 1).items()]
        return f"{kind.__name__} ({', '.join(held)})"

    def attributes(self, value: Any, depth: int = 0) -> dict[str, str]:
        """Write what the attributes of an object hold, in the order of their names."""
        slots = (n for c in type(value).__mro__ for n in getattr(c, "__slots__", ()) if hasattr(value, n))
        names = sorted({*getattr(value, "__dict__", {}), *slots})
        return {n: self.told(getattr(value, n), depth) for n in names if not n.startswith("__")}


def _described(value: Any) -> str:
    try:
        return _ADDRESS.sub("", repr(value))[:SHOWN]
    except Exception as error:  # the text of a foreign object is foreign code
        return f"<its text raised {type(error).__name__}>"


class Effects:
    """Notes which attributes the methods of the program's classes change."""

    def __init__(self, program: Program) -> None:
        self.seen, self.looking = set[tuple[str, str]](), False
        self.observer = Observer(frozenset(program.names.values()))
        for name in program.names.values():
            space = getattr(sys.modules.get(name), "__dict__", {})
            for value in list(space.values()):
                if isinstance(value, type) and value.__module__ == name:
                    self.watch(value)

    def watch(self, cls: type) -> None:
        """Put a watch around the methods of a class."""
        for name, method in list(vars(cls).items()):
            if isinstance(method, FunctionType) and name not in ("__init__", "__new__"):
                setattr(cls, name, self.watched(f"{cls.__qualname__}.{name}", method))

    def watched(self, name: str, method: FunctionType) -> Any:
        """Return a method that notes what it changes."""

        @functools.wraps(method)
        def call(*args: Any, **kwargs: Any) -> Any:
            if self.looking:
                return method(*args, **kwargs)
            before = self.look(args[0])
            try:
                return method(*args, **kwargs)
            finally:
                after = self.look(args[0])
                self.seen |= {(name, key) for key in {*before, *after} if before.get(key) != after.get(key)}

        return call

    def look(self, value: Any) -> dict[str, str]:
        """Write what an object holds; what methods change while it is asked is not noted."""
        self.looking = True
        try:
            return self.observer.attributes(value)
        finally:
            self.looking = False

    def __str__(self) -> str:
        return " ".join(sorted(f"{method}:{attribute}" for method, attribute in self.seen))


def observe(runner: Any, unit: dict[str, Any], text: str, limit: int, owner: Any) -> str:
    """Run a variant of a test and return what it saw; `raises` comes first where an error was unexpected."""
    modules = frozenset({*runner.program.names.values(), "__test__", unit["path"].removesuffix(".py")})
    seen = Observer(modules)
    random.seed(0)
    runner.ticks.reset(limit)
    try:
        owner.varied(unit, functools.partial(_made, runner.ticks.tick, text, seen))
    except OutOfTime:
        raise
    except BaseException as error:  # every way to end is seen
        seen.error(error)
    head, notes = f"raises {seen.raised}" if seen.raised else "saw", "; ".join(seen.notes)
    if len(notes) > SHOWN:  # many variants are told in one report: the end by its digest
        notes = f"{notes[:SHOWN]} {hashlib.sha256(notes.encode('utf-8', 'replace')).hexdigest()}"
    return f"{head} {notes}"


def _made(tick: Any, text: str, seen: Observer, own: dict[str, Any]) -> Any:
    """Return the variant of a test with the names of its file."""
    space = {**own, NOTE: seen.note, RAISED: seen.error, RAISES: seen.expected, STATE: seen.state, TICK: tick}
    exec(compile(instrument(ast.parse(text)), "<variant>", "exec", dont_inherit=True), space)  # noqa: S102 - this is the sandboxed side
    return space[OBSERVED]

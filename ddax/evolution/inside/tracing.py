"""Watches one run of the tests: which lines each unit executes, and which types every name had."""

from __future__ import annotations

import sys
from types import FrameType, FunctionType, ModuleType
from typing import Any

from .probing import plain

SAMPLES = 6
"""Visits of a line at which the types of its frame are noted."""
FIELDS = 20
"""Attributes of an object whose types are noted, as those of names are."""
CALLS = 12
"""Calls of a function by the tests whose arguments are kept."""


def type_name(value: Any) -> str:
    """Name a type, with the type of the first element where there is one: ``list[int]``."""
    kind = type(value)
    if isinstance(value, (FunctionType, ModuleType)) or kind.__name__ == "builtin_function_or_method":
        return "callable" if callable(value) else "module"
    if kind in (list, tuple, set, frozenset, dict) and value:
        return f"{kind.__name__}[{type(next(iter(value))).__name__}]"
    return kind.__name__


class Tracer:
    """Collects coverage per unit and types per function of the program's files."""

    def __init__(self, paths: frozenset[str]) -> None:
        self.paths = paths
        self.lines: set[tuple[str, int]] = set()
        self.types: dict[tuple[str, int], dict[str, set[str]]] = {}
        self.attributes: dict[str, set[str]] = {}
        self.calls: dict[tuple[str, str], list[Any]] = {}
        self.visits: dict[tuple[str, int], int] = {}
        self.functions: dict[tuple[str, str], int] = {}

    def note(self, frame: FrameType) -> None:
        """Note the types of the locals of a frame."""
        seen = self.types.setdefault((frame.f_code.co_filename, self.first_line(frame)), {})
        for name, value in list(frame.f_locals.items()):
            if name.startswith(("__", ".")):
                continue
            kind = type_name(value)
            seen.setdefault(name, set()).add(kind)
            if type(value).__module__ not in ("builtins", "typing") and hasattr(value, "__dict__"):
                known = self.attributes.setdefault(kind, set())
                known.update(n for n in vars(value) if not n.startswith("__"))
                known.update(n for n in vars(type(value)) if not n.startswith("__"))
                for inner, held in list(vars(value).items())[:FIELDS]:
                    seen.setdefault(f"{name}.{inner}", set()).add(type_name(held))

    def first_line(self, frame: FrameType) -> int:
        """Return the first line of a frame's function; that of a comprehension is the one around it."""
        code = frame.f_code
        name = code.co_qualname
        while name.endswith(">") and ".<locals>." in name:
            name = name.rpartition(".<locals>.")[0]
        if name == code.co_qualname:
            self.functions[code.co_filename, name] = code.co_firstlineno
        return self.functions.get((code.co_filename, name), code.co_firstlineno)

    def local(self, frame: FrameType, event: str, _argument: Any) -> Any:
        """Trace the lines of a frame of the program."""
        if event == "line" or event == "return":
            place = (frame.f_code.co_filename, frame.f_lineno)
            self.lines.add(place)
            count = self.visits[place] = self.visits.get(place, 0) + 1
            if count <= SAMPLES or (count & (count - 1)) == 0:
                self.note(frame)
        return self.local

    def top(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        """Choose the frames that are traced."""
        if frame.f_code.co_filename not in self.paths:
            return None
        self.lines.add((frame.f_code.co_filename, frame.f_lineno))
        outside = frame.f_back is None or frame.f_back.f_code.co_filename not in self.paths
        if outside and frame.f_code.co_qualname == frame.f_code.co_name:
            self.call(frame)
        return self.local

    def call(self, frame: FrameType) -> None:
        """Keep the plain positional arguments of a call from outside of a function at the top."""
        code = frame.f_code
        known = self.calls.setdefault((code.co_filename, code.co_name), [])
        names = code.co_varnames[: code.co_argcount]
        if len(known) < CALLS and names and code.co_kwonlyargcount == 0:
            args = plain([frame.f_locals[name] for name in names])
            if args is not None and args not in known:
                known.append(args)

    def start(self) -> None:
        """Trace from here on."""
        sys.settrace(self.top)

    def stop(self) -> list[list[Any]]:
        """Stop, and return the lines seen since the last stop, as pairs of a path and its lines."""
        sys.settrace(None)
        found: dict[str, list[int]] = {}
        for path, line in sorted(self.lines):
            found.setdefault(path, []).append(line)
        self.lines = set()
        return [[path, lines] for path, lines in found.items()]

    def report(self) -> dict[str, Any]:
        """Return what was seen as plain JSON values."""
        return {
            "types": [
                [p, n, {v: sorted(k) for v, k in t.items()}] for (p, n), t in sorted(self.types.items())
            ],
            "calls": [[p, n, rows] for (p, n), rows in sorted(self.calls.items()) if rows],
            "attributes": {k: sorted(v) for k, v in sorted(self.attributes.items())},
        }

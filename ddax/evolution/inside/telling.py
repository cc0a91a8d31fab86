"""Says of a failing test what a person would look at: the values of its assertion, and the traceback.

The assertion is not evaluated again: its parts are noted while it runs, and the frames hold the rest.
"""

from __future__ import annotations

import ast
import builtins
import os
import types
from collections.abc import Callable, Mapping
from typing import Any

from .limits import OutOfTime
from .loading import TICK, WORK, OutOfTicks
from .units import described

SAW = "__saw__"
ENDLESS = "It does not end; it was stopped here:"
VALUE, MESSAGE, TOLD = 200, 800, 1_800
"""Characters that are kept of a value, of an error's message, and of all that is told of one test."""
FRAMES, VALUES = 4, 12
"""Frames of a traceback that are told, and values of each of them and of an assertion."""
_QUIET = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)
"""What says nothing by its value."""


class Notes:
    """The values of the parts of the assertion that ran last, by their text."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.at = -1

    def saw(self, assertion: int, text: str, value: Any) -> Any:
        """Note the value of a part and give it on; a new assertion forgets those of the last."""
        if assertion != self.at:
            self.at, self.values = assertion, {}
        if len(self.values) < VALUES and not isinstance(value, _QUIET):
            self.values[text] = shown(value)
        return value


def shown(value: Any) -> str:
    """Write a value as a person would see it, cut where it is long."""
    try:
        text = repr(value)
    except Exception as error:  # the text of a foreign object is foreign code
        text = f"<its text raised {type(error).__name__}>"
    return text if len(text) <= VALUE else f"{text[:VALUE]}…"


class _Noting(ast.NodeTransformer):
    """Wraps the parts of one assertion, so that their values are noted."""

    def __init__(self, assertion: int) -> None:
        self.assertion = assertion

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Visit what is inside, but not what is called, and nothing that has names of its own."""
        if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            return node
        if isinstance(node, ast.Call):
            node.args = [self.visit(argument) for argument in node.args]
            for keyword in node.keywords:
                keyword.value = self.visit(keyword.value)
            if isinstance(node.func, ast.Attribute):
                node.func.value = self.visit(node.func.value)
        else:
            super().generic_visit(node)
        return node

    def visit(self, node: ast.AST) -> Any:
        """Return the node with its parts wrapped, and itself where its value may tell something."""
        if not isinstance(node, ast.expr):
            return super().visit(node)
        text = ast.unparse(node)
        found = super().visit(node)
        loaded = isinstance(getattr(node, "ctx", None), ast.Load)
        if not (isinstance(node, ast.Call) or (loaded and not isinstance(node, ast.List | ast.Tuple))):
            return found
        call = ast.Call(
            ast.Name(SAW, ast.Load()), [ast.Constant(self.assertion), ast.Constant(text), found], []
        )
        return ast.copy_location(call, node) if not isinstance(node, ast.Starred) else found


def noting(text: str) -> ast.Module:
    """Return the tree of a test file whose assertions note the values of their parts."""
    tree = ast.parse(text)
    for number, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.Assert):
            node.test = _Noting(number).visit(node.test)
        elif isinstance(node, ast.Expr) and _asserts(node.value):
            assert isinstance(node.value, ast.Call)
            inside = _Noting(number)
            node.value.args = [inside.visit(argument) for argument in node.value.args]
    return ast.fix_missing_locations(tree)


def _asserts(node: ast.expr) -> bool:
    """Tell whether an expression is an assertion of unittest: `self.assertEqual(...)`."""
    function = node.func if isinstance(node, ast.Call) else None
    own = isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)
    return own and function.value.id == "self" and function.attr.startswith("assert")  # type: ignore[union-attr]


class Teller:
    """Runs units once more and tells how each ended; `texts` are those of the tests by their names."""

    def __init__(self, texts: Mapping[str, str], sources: Mapping[str, str]) -> None:
        self.texts, self.sources, self.notes = texts, sources, Notes()
        setattr(builtins, SAW, self.notes.saw)

    def codes(self) -> dict[str, types.CodeType]:
        """Return the codes of the tests, with assertions that note their values."""
        return {
            key: compile(noting(text), f"<{key}>", "exec", dont_inherit=True)
            for key, text in self.texts.items()
        }

    def files(self) -> dict[str, types.CodeType]:
        """Return such codes of the test files that pytest imports, by their places."""
        places = {os.path.join(WORK, path): text for path, text in self.texts.items()}
        return {place: compile(noting(text), place, "exec") for place, text in places.items()}

    def of(self, run: Callable[[], BaseException | None]) -> str:
        """Run a unit and tell how it ended; "" where it passed."""
        self.notes.values = {}
        error = run()
        if error is None:
            return ""
        endless = isinstance(error, OutOfTicks | OutOfTime)
        said = ENDLESS if endless else f"{type(error).__name__}: {described(error, MESSAGE)}".rstrip(": ")
        lines = [said]
        if isinstance(error, AssertionError):
            lines += [f"  {part} is {value}" for part, value in self.notes.values.items() if part != value]
        return "\n".join([*lines, *self.frames(error)])[:TOLD]

    def frames(self, error: BaseException) -> list[str]:
        """Return the frames of the program in which an error arose, innermost last, with their values."""
        found, trace = [], error.__traceback__
        while trace is not None:
            path = trace.tb_frame.f_code.co_filename
            if path in self.sources:
                said = self.sources[path].splitlines()[trace.tb_lineno - 1 : trace.tb_lineno]
                place = f"at {path}:{trace.tb_lineno} in {trace.tb_frame.f_code.co_name}: "
                found.append([place + "".join(said).strip(), *_locals(trace.tb_frame.f_locals)])
            trace = trace.tb_next
        return [line for frame in found[-FRAMES:] for line in frame]


def _locals(values: Mapping[str, Any]) -> list[str]:
    told = [(n, v) for n, v in values.items() if not isinstance(v, _QUIET) and n not in (SAW, TICK)]
    kept = [(n, v) for n, v in told if not n.startswith("__")]
    return [f"    {name} = {shown(value)}" for name, value in kept[:VALUES]]

"""Runs test units against a loaded program and says plainly what happened to each.

What needs pytest is run by it (`ownpytest`); here are tests that ask for nothing: asserts, plain functions,
TestCases.
"""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .limits import OutOfTime
from .loading import TICK, WORK, OutOfTicks, Program, Ticks

MESSAGE = 300
"""Characters of a message that are kept."""


class Skipped(BaseException):
    """Say that a test is skipped."""


class Outcome(NamedTuple):
    """How a unit ended: `kind` is pass, assert, error, timeout, skip or uncollected.

    `line` is in the program.
    """

    kind: str
    name: str
    message: str
    path: str
    line: int
    depth: int
    ticks: int


def _where(error: BaseException, paths: frozenset[str]) -> tuple[str, int, int]:
    path, line, depth, trace = "", 0, 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in paths:
            path, line, depth = trace.tb_frame.f_code.co_filename, trace.tb_lineno, depth + 1
        trace = trace.tb_next
    return path, line, depth


def described(error: BaseException | None, most: int = MESSAGE) -> str:
    """Return the text of an error; one that cannot be asked for it is no reason to fail."""
    try:
        return str(error)[:most]
    except OutOfTime:
        raise
    except BaseException as inner:  # the text of a foreign exception is foreign code
        return f"<its message raised {type(inner).__name__}>"


def _skipped(error: BaseException | None) -> bool:
    return isinstance(error, Skipped) or (type(error).__module__, type(error).__name__) in (
        ("unittest.case", "SkipTest"),
        ("_pytest.outcomes", "Skipped"),
        ("_pytest.outcomes", "XFailed"),
    )


class _Verdict:
    """What a TestCase tells how it ended: its first failure, and a skip apart. unittest's is slow to load."""

    failfast = False

    def __init__(self) -> None:
        self.raised: BaseException | None = None
        self.skip: BaseException | None = None
        heard = {
            "addError": self.keep,
            "addFailure": self.keep,
            "addSubTest": lambda _test, _part, details: self.keep(None, details),
            "addSkip": lambda _test, reason: self.keep(None, (None, Skipped(reason))),
            "addUnexpectedSuccess": lambda _test: self.keep(
                None, (None, AssertionError("it was expected to fail"))
            ),
        }
        unheard = ("startTest", "stopTest", "addSuccess", "addExpectedFailure", "addDuration")
        self.__dict__.update(dict.fromkeys(unheard, lambda *_details: None) | heard)

    def keep(self, _test: object, details: Any) -> None:
        """Keep what was raised, as (type, value, ...), where it is the first; None where nothing was."""
        error = details[1] if details is not None else None
        if _skipped(error):
            self.skip = error
        elif self.raised is None:
            self.raised = error


class Runner:
    """Runs the units of one program in this process; test modules are executed once."""

    def __init__(
        self, program: Program, ticks: Ticks, targets: list[str], codes: Mapping[str, types.CodeType]
    ) -> None:
        self.program, self.ticks, self.targets, self.codes = program, ticks, targets, codes
        self.paths = frozenset(program.sources)
        self.modules: dict[str, dict[str, Any]] = {}
        self.last: BaseException | None = None

    def namespace(self, name: str, unit: Mapping[str, Any]) -> dict[str, Any]:
        """Make the globals of a test; `shared` ones begin with those of the targets."""
        place = os.path.join(WORK, unit["path"])
        space: dict[str, Any] = {"__name__": name, "__file__": place, "__builtins__": __builtins__}
        if unit["shared"]:
            for path in self.targets:
                own = self.program.load(path)
                space.update({k: v for k, v in own.items() if not k.startswith("__") or k == "__tick__"})
        return space

    def module(self, unit: Mapping[str, Any]) -> dict[str, Any]:
        """Execute the test file of a unit once and return its globals."""
        path = unit["path"]
        if path not in self.modules:
            name = path.removesuffix(".py").replace("/", ".")
            module = types.ModuleType(name)
            module.__dict__.update(self.namespace(name, unit))
            sys.modules[name] = module
            exec(self.codes[path], module.__dict__)  # noqa: S102 - this is the sandboxed side
            self.modules[path] = module.__dict__
        return self.modules[path]

    def execute(self, unit: Mapping[str, Any]) -> None:
        """Run a unit; it failed if this raises."""
        if unit["kind"] == "script":
            space = self.namespace("__test__", unit)
            exec(self.codes[unit["id"]], space)  # noqa: S102 - this is the sandboxed side
        elif unit["kind"] == "main":
            self.script(unit["path"])
        elif unit["kind"] == "function":
            self.module(unit)[unit["name"]]()
        elif hasattr(self.module(unit)[unit["cls"]], "setUpClass"):
            self.unittest(unit)
        else:
            getattr(self.instance(unit), unit["name"])()

    def instance(self, unit: Mapping[str, Any]) -> Any:
        """Make an instance of a test class as its test finds it."""
        cls = self.module(unit)[unit["cls"]]
        if hasattr(cls, "setUpClass"):
            instance = cls(unit["name"])
            instance.setUp()
            return instance
        instance = cls()
        if hasattr(instance, "setup_method"):
            takes = instance.setup_method.__code__.co_argcount > 1  # pytest hands the test over if asked
            instance.setup_method(*([getattr(instance, unit["name"])] if takes else []))
        return instance

    def varied(self, unit: Mapping[str, Any], make: Callable[[Mapping[str, Any]], Any]) -> None:
        """Run what `make` gives for the names of a test's file in its place; raises what it raises."""
        script = unit["kind"] == "script"
        test = make(self.namespace("__test__", unit) if script else self.module(unit))
        (test.__get__(self.instance(unit)) if unit["kind"] == "method" else test)()

    def script(self, path: str) -> None:
        """Run a file of the program as Python runs a script; leaving with a failure is an error."""
        main = types.ModuleType("__main__")
        main.__dict__.update({"__file__": os.path.join(WORK, path), TICK: self.ticks.tick})
        sys.modules["__main__"], sys.argv = main, [path]
        try:
            exec(self.program.compile(path), main.__dict__)  # noqa: S102 - this is the sandboxed side
        except SystemExit as error:
            if error.code not in (None, 0):
                raise

    def unittest(self, unit: Mapping[str, Any]) -> None:
        """Run one method of a TestCase; re-raises its first failure."""
        case = self.module(unit)[unit["cls"]](unit["name"])
        verdict, cls = _Verdict(), type(case)
        if "__ddax_ready__" not in cls.__dict__ and not getattr(cls, "__unittest_skip__", False):
            cls.setUpClass()
            cls.__ddax_ready__ = True
        case(verdict)
        ended = verdict.raised if verdict.raised is not None else verdict.skip
        if ended is not None:
            raise ended

    def run(self, unit: Mapping[str, Any], limit: int, seconds: float = 0.0, coming: Any = None) -> Outcome:
        """Run a unit within its budget and classify how it ended; nothing is kept for what is `coming`."""
        self.ticks.reset(limit, seconds)
        failure: BaseException | None = None
        loading = unit["kind"] in ("function", "method")
        try:
            if loading:
                self.module(unit)
            loading = False
            self.execute(unit)
        except BaseException as error:  # every way to fail is an outcome
            failure = error
        self.last, found = failure, self.outcome(failure)
        return found._replace(kind="uncollected") if loading and found.kind in ("error", "assert") else found

    def outcome(self, failure: BaseException | None) -> Outcome:
        """Classify how a unit ended by what it raised."""
        kind, name, message, where = "pass", "", "", ("", 0, 0)
        if _skipped(failure):
            kind, message = "skip", described(failure)
        elif isinstance(failure, (OutOfTicks, OutOfTime)):
            kind, name, where = "timeout", type(failure).__name__, _where(failure, self.paths)
        elif failure is not None:
            kind = "assert" if isinstance(failure, AssertionError) else "error"
            name, message = type(failure).__name__[:80], described(failure)
            where = _where(failure, self.paths)
        if kind == "pass" and self.ticks.out:
            kind, name = "timeout", "OutOfTicks"
        return Outcome(kind, name, message, *where, self.ticks.used)

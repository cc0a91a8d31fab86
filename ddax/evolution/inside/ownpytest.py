"""Runs units by the pytest that is installed beside the program: fixtures, conftest, plugins, doctests.

Its plugins are loaded and its session is begun once, in the warm worker; a candidate's process collects and
runs the tests. The list of units and the verdict are ours; the options `addopts` are not taken over.
"""

from __future__ import annotations

import importlib.machinery
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from importlib.metadata import entry_points
from types import CodeType
from typing import Any

from .loading import WORK, module_names
from .units import Outcome, Runner

ARGUMENTS = (
    "-q", "--tb=native", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist", "--assert=plain",
    "--capture=no", "--rootdir=.", "-o", "addopts=", "-o", "log_cli=false",
)  # fmt: skip
_EARLY = re.compile(rb"\bpytest_(?:addoption|cmdline_\w+|sessionstart|plugins|load_initial_conftests)\b")
"""What a conftest has to say before a session begins."""


class Own:
    """Starts pytest sessions over some test files; its modules and plugins are imported beforehand."""

    def __init__(self, message: Mapping[str, Any]) -> None:
        from _pytest.config import _prepareconfig  # type: ignore[import-not-found,unused-ignore]

        self.prepare: Callable[[list[str]], Any] = _prepareconfig
        doctests = ["--doctest-modules"] if message["doctests"] else []
        paths = dict.fromkeys([*message["tests"], *message["doctests"]])
        self.arguments = [*ARGUMENTS, *message["options"], *doctests, *paths]
        self.codes: dict[str, CodeType] = {}
        conftests = set(_conftests(paths))
        self.early = any(_EARLY.search(content) for _, content in conftests)
        for place, content in {*conftests, *((os.path.join(WORK, p), _content(p)) for p in paths)}:
            with suppress(SyntaxError, ValueError):  # which pytest meets again, and tells
                self.codes[place] = compile(content, place, "exec", dont_inherit=True)
        # A conftest or a named plugin may import the program, which is the candidate's: none is read here.
        named = {n: os.environ.pop(n) for n in ("PYTEST_PLUGINS",) if n in os.environ}
        self.early |= bool(named) or "-p" in message["options"] or _is_plugin(message)
        options = [] if self.early else message["options"]
        self.begun = _begun(self.prepare([*ARGUMENTS, *options, *doctests, *paths, "--noconftest"]))
        os.environ.update(named)

    def session(self, runner: Runner, loop: Callable[[Any], None]) -> None:
        """Collect the tests of this process's program and let `loop` run the units it wants."""
        plugin = _Plugin(runner)
        try:
            self.hand_out()
            session = _begun(self.prepare(self.arguments)) if self.early else self.begun
            session.config.pluginmanager._noconftest = False
            session.config.pluginmanager.register(plugin, "ddax")
            session.config.hook.pytest_collection(session=session)
            plugin.take(session.items)
        except (Exception, SystemExit, KeyboardInterrupt) as error:  # one conftest fails every unit
            plugin.broken = plugin.uncollected(error)
        # Nothing ends the session: the process does, and tidying up would cost more than the tests.
        loop(plugin)

    def hand_out(self) -> None:
        """Let the files of tests be imported from what was compiled of them beforehand."""
        loader: Any = importlib.machinery.SourceFileLoader
        usual: Callable[[Any, str], Any] = loader.get_code
        loader.get_code = lambda this, name: self.codes.get(this.path) or usual(this, name)


def _is_plugin(message: Mapping[str, Any]) -> bool:
    """Say whether a plugin that is installed is of the program itself."""
    own = {n.partition(".")[0] for p in message["sources"] for n in module_names(p, message["roots"])}
    return any(one.module.partition(".")[0] in own for one in entry_points(group="pytest11"))


def _begun(config: Any) -> Any:
    from _pytest.main import Session  # type: ignore[import-not-found,unused-ignore]

    config._do_configure()
    session: Any = Session.from_config(config)
    config.hook.pytest_sessionstart(session=session)
    return session


def _content(path: str) -> bytes:
    with open(os.path.join(WORK, path), "rb") as stream:
        return stream.read()


def _conftests(paths: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Yield the conftests of some files, with what they hold."""
    folders = {os.path.dirname(path) for path in paths}
    for folder in list(folders):
        while folder:
            folder = os.path.dirname(folder)
            folders.add(folder)
    for folder in folders:
        if os.path.isfile(place := os.path.join(WORK, folder, "conftest.py")):
            yield place, _content(os.path.join(folder, "conftest.py"))


class _Plugin:
    """Runs one unit at a time; what a unit needs of others' set-up stays as it is."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.items: dict[str, list[Any]] = {}
        self.cases: list[tuple[str, str]] = []
        self.broken = Outcome("uncollected", "NotCollected", "pytest did not collect it", "", 0, 0, 0)
        self.errors: dict[str, Outcome] = {}
        self.raised: BaseException | None = None
        self.last: BaseException | None = None

    def take(self, items: list[Any]) -> None:
        """Note the items of a session by their own names and by those of their functions."""
        for item in items:
            base = item.nodeid.partition("::")[0]
            if not hasattr(item, "dtest"):
                base = f"{item.parent.nodeid}::{getattr(item, 'originalname', None) or item.name}"
            self.cases.append((base, item.nodeid))
            self.items.setdefault(base, []).append(item)
        self.items |= {i.nodeid: [i] for i in items}

    def uncollected(self, error: BaseException) -> Outcome:
        """Say why tests could not be collected, by the error that lies behind."""
        inner = getattr(error, "cause", None) or error.__cause__ or error
        found = self.runner.outcome(inner)
        name = type(error).__name__ if "Conftest" in type(error).__name__ else found.name
        message = found.message if inner is error or name == found.name else f"{found.name}: {found.message}"
        if found.name == "CollectError":  # its last line says why
            message = next((line for line in reversed(message.split("\n")) if line.strip()), message)
        kind = "timeout" if found.kind == "timeout" else "uncollected"
        return found._replace(kind=kind, name=name, message=message)

    def pytest_exception_interact(self, node: Any, call: Any) -> None:
        """Note which file, folder or class could not be collected, and why."""
        if not hasattr(node, "runtest"):
            self.errors[node.nodeid] = self.uncollected(call.excinfo.value)

    def pytest_collectreport(self, report: Any) -> None:
        """Note which file is skipped as a whole."""
        if report.skipped:
            said = str(report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr)
            self.errors[report.nodeid] = Outcome("skip", "", said[:200], "", 0, 0, 0)

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        """Keep what a phase of a test raised; pytest goes on to make its report."""
        if call.excinfo is not None and self.raised is None:
            self.raised = call.excinfo.value

    def missing(self, unit: Mapping[str, Any]) -> Outcome:
        """Say why there is nothing to run of a unit."""
        places = [unit["id"].partition("[")[0], unit["path"]]
        while places[-1]:
            places.append(os.path.dirname(places[-1]))
        return next((self.errors[p] for p in [*places, "."] if p in self.errors), self.broken)

    def told(self) -> list[str]:
        """Return the cases of each test function, and what could not be collected."""
        return [f"{base}\n{case}" for base, case in self.cases] + [f"{place}\n" for place in self.errors]

    def run(self, unit: Mapping[str, Any], limit: int, seconds: float = 0.0, coming: Any = None) -> Outcome:
        """Run a unit within its budget and classify how it ended; `coming` is the one to be run next."""
        self.runner.ticks.reset(limit, seconds)
        self.last = None
        items = self.items.get(unit["id"], [])
        if not items:
            return self.missing(unit)
        after = self.items.get(coming["id"], [None])[0] if coming else None
        outcome = self.runner.outcome(None)
        for item, following in zip(items, [*items[1:], after], strict=True):
            outcome = self.item(item, following)
            if outcome.kind not in ("pass", "skip"):
                with suppress(BaseException):  # what does not end well was counted already
                    item.session._setupstate.teardown_exact(after)
                break
        return outcome

    def varied(self, unit: Mapping[str, Any], make: Callable[[Mapping[str, Any]], Any]) -> None:
        """Run what `make` gives for the names of a test's file in its place; raises what it raises."""
        item = self.items[unit["id"]][0]
        function = make(vars(item.module))
        item.obj = function.__get__(item.instance) if item.cls else function
        self.last = None
        self.item(item, None)
        if self.last is not None:
            raise self.last

    def item(self, item: Any, following: Any) -> Outcome:
        """Run one item; what pytest reports as passed or skipped has not failed."""
        from _pytest.runner import runtestprotocol  # type: ignore[import-not-found,unused-ignore]

        self.raised = None
        try:
            reports = runtestprotocol(item, log=False, nextitem=following)
        except BaseException as error:  # out of time between two phases, or pytest was told to stop
            self.last = error
            return self.runner.outcome(error)
        self.last, self.raised = _seen(self.raised), None
        if any(report.failed for report in reports):
            return self.runner.outcome(self.last or AssertionError("the test was expected to fail"))
        self.last = None
        skipped = any(r.skipped and not hasattr(r, "wasxfail") for r in reports)
        outcome = self.runner.outcome(None)
        return outcome._replace(kind="skip") if skipped and outcome.kind == "pass" else outcome


def _seen(error: BaseException | None) -> BaseException | None:
    """Return what an example of a docstring gave in place of what it shows, or raised; others as they are."""
    for failure in getattr(error, "failures", None) or [error]:
        example = getattr(failure, "example", None)
        if example is None:
            continue
        if (raised := getattr(failure, "exc_info", None)) is not None:
            return raised[1]  # type: ignore[no-any-return]
        got, want = str(getattr(failure, "got", "")).strip(), example.want.strip()
        return AssertionError(f"{example.source.strip()} gives {got}, not {want}")
    return error

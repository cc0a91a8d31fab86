"""Runs units by the pytest that is installed beside the program: fixtures, conftest, plugins.

The session is prepared once in the warm worker and run in the candidate's process. The list of units
and the verdict are ours; the project's options (`addopts`) are not taken over.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from .units import Outcome, Runner

ARGUMENTS = (
    "-q", "--tb=native", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist", "--assert=plain",
    "--capture=no", "--rootdir=.", "-o", "addopts=", "-o", "log_cli=false",
)  # fmt: skip


class Own:
    """Starts pytest sessions over some test files; its modules and plugins are imported beforehand."""

    def __init__(self, tests: Mapping[str, str]) -> None:
        sys.modules.pop("pytest", None)  # the stand-in
        from _pytest.config import _prepareconfig  # type: ignore[import-not-found,unused-ignore]

        self.prepare: Callable[[list[str]], Any] = _prepareconfig
        self.tests = list(tests)
        # A conftest may import the program, which is the candidate's: none is read here.
        self.prepare([*ARGUMENTS, "--noconftest", *self.tests])._ensure_unconfigure()

    def session(self, runner: Runner, loop: Callable[[Any], None]) -> None:
        """Collect the tests of this process's program and let `loop` run the units it wants."""
        plugin = _Plugin(runner)
        try:
            config = self.prepare([*ARGUMENTS, *self.tests])
            config.pluginmanager.register(plugin, "ddax")
            self.collect(config, plugin)
        except Exception as error:  # a conftest that does not load fails every unit
            plugin.broken = (type(error).__name__[:80], str(error).split("\n")[0][:200])
        # Nothing ends the session: the process does, and tidying up would cost more than the tests.
        loop(plugin)

    def collect(self, config: Any, plugin: _Plugin) -> None:
        """Begin a session and collect its items."""
        from _pytest.main import Session  # type: ignore[import-not-found,unused-ignore]

        config._do_configure()
        session: Any = Session.from_config(config)
        config.hook.pytest_sessionstart(session=session)
        config.hook.pytest_collection(session=session)
        for item in session.items:
            plugin.items.setdefault(item.nodeid.split("[")[0], []).append(item)


class _Plugin:
    """Runs one unit at a time: all items of a test function, in a fresh set-up each."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.items: dict[str, list[Any]] = {}
        self.broken: tuple[str, str] = ("NotCollected", "pytest did not collect it")
        self.errors: dict[str, tuple[str, str]] = {}
        self.raised: BaseException | None = None
        self.last: BaseException | None = None

    def pytest_collectreport(self, report: Any) -> None:
        """Note which file could not be collected, and why."""
        if report.failed:
            text = str(report.longrepr).strip().split("\n")
            self.errors[report.nodeid] = ("CollectError", text[-1][:200])

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        """Keep what a phase of a test raised; pytest goes on to make its report."""
        if call.excinfo is not None and self.raised is None:
            self.raised = call.excinfo.value

    def run(self, unit: Mapping[str, Any], limit: int) -> Outcome:
        """Run a unit within `limit` ticks and classify how it ended."""
        self.runner.ticks.reset(limit)
        items = self.items.get(unit["id"], [])
        if not items:
            name, message = self.errors.get(unit["path"], self.broken)
            return Outcome("error", name, message, "", 0, 0, 0)
        outcome = self.runner.outcome(None)
        for item in items:
            outcome = self.item(item)
            if outcome.kind not in ("pass", "skip"):
                break
        return outcome

    def raising(self, unit: Mapping[str, Any], limit: int) -> BaseException | None:
        """Run a unit and return what it raised; None where it did not fail."""
        self.last = None
        outcome = self.run(unit, limit)
        if outcome.kind in ("pass", "skip"):
            return None
        return self.last or AssertionError(f"{outcome.name}: {outcome.message}")

    def item(self, item: Any) -> Outcome:
        """Run one item; what pytest reports as passed or skipped has not failed."""
        from _pytest.runner import runtestprotocol  # type: ignore[import-not-found,unused-ignore]

        self.raised = None
        reports = runtestprotocol(item, log=False, nextitem=None)
        failed = any(report.failed for report in reports)
        raised, self.raised = self.raised, None
        self.last = raised
        if failed:
            return self.runner.outcome(raised or AssertionError("the test was expected to fail"))
        return self.runner.outcome(None)

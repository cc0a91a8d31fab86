"""The records of a repair: the task, an evaluation, and the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ddax.evolution.inside.loading import ROOTS
from ddax.evolution.program.suites import Runner, Suite, build_suite
from ddax.evolution.program.test_command import ALL, Selection
from ddax.types import Usage

Trust = Literal["none", "plausible", "confirmed", "separate"]
"""How far a verdict goes: `plausible` in a warm worker, `confirmed` in a fresh sandbox, `separate` by
tests in another process than the candidate's."""


@dataclass(frozen=True)
class RepairTask:
    """A program (`files`: path → text), the `targets` that may change, and its `tests` (path → text).

    `goal` says in words what is wanted; only a model reads it. `held_out` are ids of units that the
    search never sees; they judge what it found. `roots` to `imports` are the suite's; `script` is a file
    that must run to its end, `conftest` says whether one goes with the tests, `hints` are (path, line) pairs
    known to matter, as from a traceback. With `hold_out` a share of the tests is kept from the search where
    there are enough, and refuses what does not pass it. `priors` is added to the cost of operators: what
    earlier repairs taught.
    """

    files: Mapping[str, str]
    targets: tuple[str, ...]
    tests: Mapping[str, str]
    goal: str = ""
    held_out: tuple[str, ...] = ()
    roots: tuple[str, ...] = ROOTS
    runner: Runner | None = None
    folder: str = ""
    doctests: tuple[str, ...] = ()
    selection: Selection = ALL
    options: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    imports: tuple[str, ...] = ()
    script: str = ""
    conftest: bool = False
    hints: tuple[tuple[str, int], ...] = ()
    hold_out: bool = False
    priors: Mapping[str, float] = field(default_factory=dict)

    def suite(self) -> Suite:
        """Read the tests; raises SourceError where there is none or a target is missing."""
        return build_suite(
            self.files, self.targets, self.tests, roots=self.roots, runner=self.runner,
            script=self.script, folder=self.folder, doctests=self.doctests, selection=self.selection,
            options=self.options, environment=self.environment, imports=self.imports,
        )  # fmt: skip


@dataclass(frozen=True)
class Evaluation:
    """A program's score on the 0–100 scale and what it rests on.

    0 syntax error · 10 fails at import · 15 time-out · 18 resource limit or killed · 20–30 an error in
    every test · 40–60 by the share of tests passed · 99 all passed · 100 confirmed in a fresh sandbox.
    `signature` has one letter per test: p passed, f failed, e error, t time-out, - not run.
    """

    score: float
    syntax_valid: bool
    runtime_valid: bool
    correctness_valid: bool
    error_message: str
    signature: str
    report: str = ""

    @property
    def passed(self) -> int:
        """Count the tests that passed."""
        return self.signature.count("p")


@dataclass(frozen=True)
class RepairResult:
    """What a repair brought; on failure `files` are the originals and `diff` is empty.

    Pairs of tests are (passed, all); `held_out` counts the tests that the search did not see.
    `out_of_time` says that the search ended with its time, so that more of it may bring one.
    """

    solved: bool
    score: float
    diff: str
    files: Mapping[str, str]
    hypothesis: str
    reasoning: str
    tried: int
    seconds: float
    first_seconds: float
    tests_before: tuple[int, int]
    tests_after: tuple[int, int]
    held_out: tuple[int, int]
    trust: Trust
    caveats: tuple[str, ...] = ()
    suspicious: tuple[tuple[str, int, float], ...] = ()
    failures: tuple[str, ...] = ()
    origin: str = ""
    operators: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    out_of_time: bool = False

"""The records of a repair: the task, an evaluation, and the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from ddax.errors import UsageError
from ddax.evolution.inside.loading import ROOTS
from ddax.evolution.judging.evidence import Finding
from ddax.evolution.program.suites import Runner, Suite, build_suite
from ddax.evolution.program.test_command import ALL, Selection
from ddax.types import Usage
from ddax.wording import amount

Trust = Literal["none", "plausible", "confirmed", "separate"]
"""How far a verdict goes: `plausible` in a warm worker, `confirmed` in a fresh sandbox, `separate` by
tests in another process than the candidate's."""
Status = Literal["fixed", "proposed", "none", "nothing"]
"""How a repair ended: with a fix, with proposals of which a person has to take one, with neither, or with
nothing to repair, since every test passed."""


@dataclass(frozen=True)
class RepairTask:
    """A program (`files`: path → text), the `targets` that may change, and its `tests` (path → text).

    `goal` says in words what is wanted; only a model reads it. `held_out` are ids of units that the
    search never sees; they judge what it found. `roots` to `imports` are the suite's; `script` is a file
    that must run to its end, `conftest` says whether one goes with the tests, `hints` are (path, line) pairs
    known to matter, as from a traceback. With `hold_out` a share of the tests is kept from the search where
    there are enough, and refuses what does not pass it. `priors` is added to the cost of operators: what
    earlier repairs taught. `rest` are other files of tests (path → text): of them, and of the tests that
    `selection` does not name, those that run what a patch changes judge it, but for those that it leaves out.
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
    rest: Mapping[str, str] = field(default_factory=dict)

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
class Proposal:
    """A change with which every test passes, what it rests on, and what it lacks to count as a fix.

    `files` are all files of the program with it, `held_out` counts (passed, all) of the tests that the
    search did not see.
    """

    diff: str
    files: Mapping[str, str] = field(repr=False)
    hypothesis: str
    reasoning: str
    score: float
    tests_after: tuple[int, int]
    held_out: tuple[int, int]
    trust: Trust
    finding: Finding
    first_seconds: float = 0.0
    origin: str = ""
    operators: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()


@dataclass(frozen=True)
class Difference:
    """An input on which proposals differ, and what the program gives for it: `before`, and with each."""

    asked: str
    before: str
    answers: tuple[str, ...]


@dataclass(frozen=True)
class RepairResult:
    """What a repair brought; without a fix `files` are the originals and `diff` is empty.

    With `status` "proposed" the patches stand in `proposals`, the likeliest first, and `accept` takes one
    of them. Pairs of tests are (passed, all); `held_out` counts the tests that the search did not see.
    `out_of_time` says that the search ended with its time, so that more of it may bring one.
    """

    status: Status
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
    finding: Finding | None = None
    proposals: tuple[Proposal, ...] = ()
    differences: tuple[Difference, ...] = ()

    @property
    def solved(self) -> bool:
        """Say whether there is a fix; a proposal is none."""
        return self.status == "fixed"

    @property
    def patched(self) -> bool:
        """Say whether there is a patch with which every test passes, be it a fix or a proposal."""
        return self.status in ("fixed", "proposed")

    @property
    def proposed(self) -> tuple[str, ...]:
        """Say in words what is proposed, and where the proposals differ."""
        told = [
            f"Proposal {number}: {one.hypothesis} ({'; '.join(one.finding.lacks)})\n\n{one.diff}"
            for number, one in enumerate(self.proposals, 1)
        ]
        for apart in self.differences:
            answers = "; ".join(f"{n} gives {answer}" for n, answer in enumerate(apart.answers, 1))
            told.append(f"They differ on {apart.asked}: now it gives {apart.before}; {answers}.")
        return tuple(told)

    def accept(self, number: int = 1) -> RepairResult:
        """Return the result with a proposal taken by a person, or the fix; raises UsageError for no such."""
        if self.status == "fixed" and number == 1:
            return self
        if not 1 <= number <= len(self.proposals):
            raise UsageError(
                f"There is no proposal {number}.",
                why=f"This repair has {amount(len(self.proposals), 'proposal')}.",
                mend="Give the number of one that is shown.",
            )
        return self.with_patch(self.proposals[number - 1])

    def best(self) -> RepairResult:
        """Return the result with its first patch, fix or proposal, as what it brought; itself without one."""
        return self.with_patch(self.proposals[0]) if self.proposals else self

    def with_patch(self, patch: Proposal) -> RepairResult:
        """Return the result with a patch as what it brought."""
        return replace(
            self,
            score=patch.score, diff=patch.diff, files=patch.files, hypothesis=patch.hypothesis,
            reasoning=patch.reasoning, first_seconds=patch.first_seconds, tests_after=patch.tests_after,
            held_out=patch.held_out, trust=patch.trust, caveats=(*patch.caveats, *self.caveats),
            origin=patch.origin, operators=patch.operators, finding=patch.finding,
        )  # fmt: skip

"""The port of repair: what nodes ask of it, and what of a repair they tell. `ddax.evolution` is behind it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

from ddax.actions.protocol import Action
from ddax.actions.sources.scanning import IGNORED
from ddax.configs.settings import Evolution
from ddax.errors import MissingPart
from ddax.reasoning.protocol import Reasoner
from ddax.registered import PARTS, load
from ddax.types import JsonDict, Usage

MayChange = Callable[[tuple[str, ...]], tuple[str, ...]]
"""Takes the files of a program and returns those that may change; raises SourceError where none may."""


class Repaired(Protocol):
    """What a repair brought; pairs of tests are (passed, all)."""

    @property
    def solved(self) -> bool: ...
    @property
    def status(self) -> str: ...
    @property
    def proposed(self) -> tuple[str, ...]: ...
    @property
    def diff(self) -> str: ...
    @property
    def hypothesis(self) -> str: ...
    @property
    def reasoning(self) -> str: ...
    @property
    def tried(self) -> int: ...
    @property
    def tests_before(self) -> tuple[int, int]: ...
    @property
    def tests_after(self) -> tuple[int, int]: ...
    @property
    def held_out(self) -> tuple[int, int]: ...
    @property
    def trust(self) -> str: ...
    @property
    def caveats(self) -> tuple[str, ...]: ...
    @property
    def failures(self) -> tuple[str, ...]: ...
    @property
    def operators(self) -> tuple[str, ...]: ...
    @property
    def usage(self) -> Usage: ...


class Repairs(Protocol):
    """Finds code with tests among sources, and repairs it."""

    @property
    def log(self) -> str:
        """The log of which edits have held."""
        ...

    def find(self, sources: tuple[str, ...]) -> str:
        """Return the first folder that has both code and tests, or "" where none has."""
        ...

    def actions(self, sources: tuple[str, ...]) -> tuple[Action, ...]:
        """Return the actions that only a task with code and tests has."""
        ...

    async def repair(
        self, root: str, *, goal: str, may_change: MayChange, learned: Sequence[Mapping[str, object]],
        settings: Evolution, reasoner: Reasoner | None, rng: np.random.Generator, clock: Callable[[], float],
    ) -> Repaired:  # fmt: skip
        """Search for a patch that makes the failing tests of a folder pass; writes nothing."""
        ...

    def rule_row(self, operator: str, task: str) -> JsonDict:
        """Return the row that one success of an operator leaves in the log."""
        ...


def open_repairs() -> Repairs | None:
    """Return the repair of code; None where it was left out, and then no task is one of code."""
    try:
        opened: Repairs = load("repair")()
    except MissingPart:
        return None
    return opened


def found_code(repairs: Repairs | None, sources: tuple[str, ...]) -> str:
    """Return the folder of a task of code among its sources; "" for any other task."""
    return repairs.find(sources) if repairs is not None else ""


def unrepaired(repairs: Repairs | None, sources: tuple[str, ...]) -> str:
    """Say that code with tests is only read, since its repair was left out; "" where there is none."""
    if repairs is not None:
        return ""
    folder = next((one for one in sources if "://" not in one and os.path.isdir(one) and _has_code(one)), "")
    if not folder:
        return ""
    gone = PARTS["repair"].missing()
    return f"{folder} has code and tests, which were only read. {gone.what} {gone.why} {gone.mend}"


def _has_code(folder: str) -> bool:
    """Tell whether there are both Python files and tests for them below a folder."""
    kinds = set[bool]()
    for _, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in IGNORED]
        kinds |= {
            name.startswith("test_") or name.endswith("_test.py") for name in files
            if name.endswith(".py") and name != "conftest.py"
        }  # fmt: skip
        if len(kinds) == 2:
            return True
    return False


def needed(repairs: Repairs | None) -> Repairs:
    """Return the repair of code for a task that needs it; raises `MissingPart` where it was left out."""
    if repairs is None:
        raise PARTS["repair"].missing()
    return repairs

"""The repair of code as nodes ask for it: they know the port alone (`ddax.graph.repairs`)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ddax.actions.protocol import Action
from ddax.configs.settings import Evolution
from ddax.evolution.learned import RULES, adjustments, rule_row, successes
from ddax.evolution.program.code_task import find_code
from ddax.evolution.program.project import read_folder
from ddax.evolution.records import RepairResult
from ddax.reasoning.protocol import Reasoner
from ddax.types import JsonDict


class CodeRepairs:
    """Finds code with tests among sources, and repairs it in a sandbox."""

    log = RULES

    def find(self, sources: tuple[str, ...]) -> str:
        """Return the first folder that has both code and tests, or "" where none has."""
        return find_code(sources)

    def actions(self, sources: tuple[str, ...]) -> tuple[Action, ...]:
        """Return the actions that only a task with code and tests has."""
        if not find_code(sources):
            return ()
        from ddax.evolution.run_tests import running_tests_of

        return (running_tests_of(sources),)

    async def repair(
        self, root: str, *, goal: str, may_change: Callable[[tuple[str, ...]], tuple[str, ...]],
        learned: Sequence[Mapping[str, object]], settings: Evolution, reasoner: Reasoner | None,
        rng: np.random.Generator, clock: Callable[[], float],
    ) -> RepairResult:  # fmt: skip
        """Search for a patch that makes the failing tests of a folder pass; writes nothing."""
        from ddax.evolution.repair import repair  # most runs repair nothing, and start sooner without

        task = (await asyncio.to_thread(read_folder, root)).task
        task = replace(
            task, targets=may_change(task.targets), goal=goal, hold_out=True,
            priors=adjustments(successes(learned)),
        )  # fmt: skip
        return await repair(task, settings=settings, reasoner=reasoner, rng=rng, clock=clock)

    def rule_row(self, operator: str, task: str) -> JsonDict:
        """Return the row that one success of an operator leaves in the log."""
        return rule_row(operator, task)

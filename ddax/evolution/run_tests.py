"""The action `test`: run the tests of the task's code in the sandbox, and say which fail."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ddax.actions.protocol import Action, ActionContext, ActionResult
from ddax.actions.registry import action
from ddax.errors import ActionError, NotAllowed
from ddax.evolution.evaluator import CodeEvaluator
from ddax.evolution.program.code_task import find_code
from ddax.evolution.program.project import read_folder
from ddax.evolution.records import Evaluation
from ddax.evolution.sandbox.probe import choose
from ddax.evolution.sandbox.protocol import Limits
from ddax.wording import amount

WALL_SECONDS = 60.0


class RunTestsArguments(BaseModel):
    """The folder that holds the code and its tests."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    root: str
    intent: str = ""


@action(effect="none")
async def test(context: ActionContext, arguments: RunTestsArguments) -> ActionResult:
    """Run the tests of the code, isolated from the machine."""
    found, total = await asyncio.to_thread(evaluate, arguments)
    if found.passed < total:
        raise ActionError(
            f"{total - found.passed} of {amount(total, 'test fails', 'tests fail')}.",
            why=found.report or found.error_message,
            kind="tests_fail",
        )
    return ActionResult("the test passes" if total == 1 else f"all {total} tests pass")


def running_tests_of(sources: Sequence[str]) -> Action:
    """Return the action for the code of a run: no folder outside of its sources is read, or run."""

    async def of_sources(context: ActionContext, arguments: RunTestsArguments) -> ActionResult:
        if not await asyncio.to_thread(_lies_in, arguments.root, sources):
            raise NotAllowed(
                f"{arguments.root!r} is no source of this run.",
                why="Only code of its sources is run.",
                mend="Name the folder as a source of the run.",
            )
        return await test.function(context, arguments)

    return replace(test, function=of_sources)


def _lies_in(root: str, sources: Sequence[str]) -> bool:
    path = Path(root).resolve()
    return any(path.is_relative_to(Path(source).resolve()) for source in sources)


def evaluate(arguments: RunTestsArguments) -> tuple[Evaluation, int]:
    """Run the tests of a folder in a sandbox; return how they ended, and how many there are."""
    if not find_code((arguments.root,)):
        raise ActionError(f"there are no code and tests in {arguments.root!r}.", kind="not_found")
    suite = read_folder(arguments.root).task.suite()
    with CodeEvaluator(choose(), suite, limits=Limits(wall=WALL_SECONDS)) as evaluator:
        return evaluator.evaluate({}), len(suite.units)

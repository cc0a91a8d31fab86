"""The command `demo`: one real question over the documentation of the running Python, no key, no network.

It succeeds only if the right answer was found *and* cited; further examples hook in through `ACTS`:
a repair of code against its tests.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from ddax.cli.answer import print_result
from ddax.cli.backend import Agent, OnEvent, Output, Result, new_thread, opener_of
from ddax.cli.board import Board
from ddax.cli.looking.runs import print_tree
from ddax.cli.options import EVENTS, JSON, MODEL, SEED
from ddax.cli.running.work import perform

QUESTION = "Which function returns the median of numeric data?"
ANSWER = "statistics.median"
SOURCES = ("python:",)

EXAMPLE = "examples/repair"
REPAIR_SECONDS = 60.0
"""When the search gives up: a busy machine makes it many times as long as a free one."""

Act = Callable[[Output], int]


def repair_act(output: Output) -> int:
    """Repair the shipped example against its tests; return 0 only if every test passes then."""
    import asyncio

    import numpy as np

    from ddax.cli.patch import print_repair
    from ddax.configs.settings import Evolution
    from ddax.errors import SandboxError
    from ddax.evolution.program.project import read_project
    from ddax.evolution.repair import repair
    from ddax.evolution.sandbox import choose

    project = read_project(["."], None, cwd=example_folder())
    output.say()
    output.say(f"Repair:   {', '.join(project.task.targets)} against {', '.join(project.task.tests)}")
    try:
        sandbox = choose()
    except SandboxError as exc:  # the question was answered; a machine without a sandbox lacks this act only
        output.note(f"The repair is left out. {exc}")
        return 0
    result = asyncio.run(
        repair(
            project.task, settings=Evolution(seconds=REPAIR_SECONDS), rng=np.random.default_rng(0),
            clock=time.monotonic, sandbox=sandbox,
        )
    )  # fmt: skip
    print_repair(
        result, None, output, seconds=REPAIR_SECONDS,
        hint="To do so with your own code: ddax fix PATH --tests COMMAND",
    )  # fmt: skip
    return 0 if result.solved else 1


def example_folder() -> Path:
    """Return the folder of the example: inside the installed package, else in the checkout."""
    package = Path(__file__).parents[2]
    return next(f for f in (package / EXAMPLE, package.parent / EXAMPLE) if f.is_dir())


ACTS: tuple[Act, ...] = (repair_act,)
"""What is shown after the question; each prints through the output and returns an exit code."""


def demo(
    context: typer.Context,
    seed: SEED = 0,
    model: MODEL = "embedded",
    max_usd: Annotated[float, typer.Option(help="Cap of US dollars.")] = 0.05,
    json: JSON = False,
    verbose: EVENTS = False,
) -> None:
    """Answer a question over Python's own documentation, offline."""
    output = Output(json=json, verbose=verbose)
    from ddax.configs.settings import Context

    settings = Context.model_validate({
        "sources": SOURCES, "namespace": "demo", "seed": seed, "model": model, "budget": {"max_usd": max_usd},
    })  # fmt: skip
    output.say(f"Question: {QUESTION}")
    output.say(f"Sources:  {' '.join(SOURCES)}")
    thread = f"demo-{new_thread()}"
    state: dict[str, Any] = {}

    async def job(agent: Agent, on_event: OnEvent) -> Result:
        result = await agent.run(QUESTION, thread=thread, on_event=on_event)
        state.update(await agent.state(thread))
        return result

    result = perform(opener_of(context), settings, thread, job, output)
    if not (json or sys.stdout.isatty()):  # a terminal has seen the live tree
        print_tree(Board.of_state(state))
    code = print_result(result, output)
    if code == 0 and not is_right(result):
        output.note(f"error: the demo expected {ANSWER!r} in the answer and among its citations.")
        code = 1
    for act in () if code or json else ACTS:
        code = code or act(output)
    raise typer.Exit(code)


def is_right(result: Mapping[str, Any]) -> bool:
    """Tell whether the answer is the known one and its page is cited."""
    said = f"{result['answer']} {result.get('short', '')}"
    return ANSWER in said and any(citation["title"] == ANSWER for citation in result["citations"])

"""The command `demo`: one real question over the documentation of the running Python, no key, no network.

It succeeds only if the right answer was found *and* cited; further examples hook in through `ACTS`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ddax.cli.answer import print_result
from ddax.cli.backend import Opener, Output, how_to_resume, new_thread, opener_of, run_folder
from ddax.cli.board import Board
from ddax.cli.errors import Interrupted
from ddax.cli.runs import print_tree
from ddax.cli.watch import watcher

if TYPE_CHECKING:
    from ddax.configs.settings import Context

JSON = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object on stdout.")]
VERBOSE = Annotated[bool, typer.Option("--verbose", "-v", help="Tracebacks; with --json events on stderr.")]
QUESTION = "Which function returns the median of numeric data?"
ANSWER = "statistics.median"
SOURCES = ("python:",)

Act = Callable[[Output], int]
ACTS: tuple[Act, ...] = ()
"""What is shown after the question; each prints through the output and returns an exit code."""


def demo(
    context: typer.Context,
    seed: Annotated[int, typer.Option(help="Seed of every random choice.")] = 0,
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Answer a question over Python's own documentation, offline."""
    output = Output(json=json, verbose=verbose)
    from ddax.configs.settings import Context

    settings = Context.model_validate({"sources": SOURCES, "namespace": "demo", "seed": seed})
    output.say(f"Question: {QUESTION}")
    output.say(f"Sources:  {' '.join(SOURCES)}")
    thread = f"demo-{new_thread()}"
    try:
        result, state = asyncio.run(_ask(opener_of(context), settings, thread, output))
    except KeyboardInterrupt as exc:
        raise Interrupted(how_to_resume(thread) if run_folder().load(thread) else "") from exc
    if not (json or sys.stdout.isatty()):  # a terminal has seen the live tree
        print_tree(Board.of_state(state))
    code = print_result(result, output)
    if code == 0 and not is_right(result):
        output.note(f"error: the demo expected {ANSWER!r} in the answer and in a quote of its citations.")
        code = 1
    for act in () if code or json else ACTS:
        code = code or act(output)
    raise typer.Exit(code)


async def _ask(
    opener: Opener, settings: Context, thread: str, output: Output
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    async with opener(settings) as agent:
        with watcher(output) as watch:
            result = await agent.run(QUESTION, thread=thread, on_event=watch.on_event)
        return result, await agent.state(thread)


def is_right(result: Mapping[str, Any]) -> bool:
    """Tell whether the answer is the known one and a citation carries it."""
    said = f"{result['answer']} {result.get('short', '')}"
    return ANSWER in said and any(ANSWER in citation["quote"] for citation in result["citations"])

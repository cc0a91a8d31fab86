"""The command `answer`: answer the question a thread waits with, and let it go on."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ddax.cli.backend import Agent, OnEvent, Output, Result, opener_of
from ddax.cli.runs import known_run
from ddax.cli.work import JSON, VERBOSE, execute
from ddax.errors import UsageError, json_fault


def answer(
    context: typer.Context,
    thread: Annotated[str, typer.Argument(help="The waiting thread, as `ddax runs` lists it.")],
    choice: Annotated[
        str | None,
        typer.Argument(help="go on (approve), choose, edit, veto (reject), teach, stop; default: by flags.",
                       show_default=False),
    ] = None,
    idea: Annotated[str | None, typer.Option(help="The idea it is about; needed to choose.")] = None,
    arguments: Annotated[str | None, typer.Option(help="Changed arguments of the action, as JSON.")] = None,
    for_run: Annotated[
        bool, typer.Option("--for-run", help="Let other actions of this name pass too, until the task ends.")
    ] = False,
    lesson: Annotated[str | None, typer.Option(help="What to remember from now on.")] = None,
    by: Annotated[str, typer.Option(help="Who answers; each has a standing.")] = "human",
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:  # fmt: skip
    """Answer the question a thread waits with; the run goes on from there, nothing is repeated."""
    output, info = Output(json=json, verbose=verbose), known_run(thread)
    if info.status != "waiting":
        raise UsageError(
            f"The thread {thread!r} waits for no answer ({info.status}).",
            why="Only a thread that waits with a question takes an answer.",
            mend=f"Look at it: ddax show {thread}",
        )
    reply = {
        "choice": _SAME.get(choice or "", choice) or _meant(arguments, lesson, idea),
        "idea": idea or "", "lesson": lesson or "",
        "arguments": _arguments(arguments), "by": by, "for_run": for_run,
    }  # fmt: skip

    async def job(agent: Agent, on_event: OnEvent) -> Result:
        return await agent.resume(thread, on_event=on_event, answer=reply)

    raise typer.Exit(execute(opener_of(context), None, thread, job, output))


_SAME = {"approve": "go on", "reject": "veto"}
"""Words for the same choices."""


def _meant(arguments: str | None, lesson: str | None, idea: str | None) -> str:
    """Return the choice that the flags stand for where none is named."""
    if arguments is not None:
        return "edit"
    if lesson is not None:
        return "teach"
    return "choose" if idea is not None else "go on"


def _arguments(text: str | None) -> dict[str, Any] | None:
    import json

    if text is None:
        return None
    try:
        value = json.loads(text)
    except ValueError as exc:
        raise UsageError(
            "The arguments are not valid JSON.", why=f"{json_fault(exc)}.", mend=_EXAMPLE
        ) from exc
    if not isinstance(value, dict):
        raise UsageError(
            "The arguments are no JSON object.", why="An action takes its arguments by name.", mend=_EXAMPLE
        )
    return value


_EXAMPLE = """Write: --arguments '{"query": "..."}'"""

"""The command `answer`: answer the question a thread waits with, and let it go on."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer

from ddax.cli.answer import question_lines
from ddax.cli.backend import Agent, OnEvent, Output, Result, home_of, how_to, opener_of
from ddax.cli.looking.runs import known_run
from ddax.cli.options import EVENTS, JSON
from ddax.cli.running.work import execute
from ddax.cli.text import clean, folded
from ddax.errors import UsageError, json_fault, read_json_text


def answer(
    context: typer.Context,
    thread: Annotated[str, typer.Argument(help="The waiting thread, as `ddax runs` lists it.")],
    choice: Annotated[
        str | None,
        typer.Argument(help="go on (approve), choose, edit, veto (reject), teach, stop; or a flag says it.",
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
    verbose: EVENTS = False,
) -> None:  # fmt: skip
    """Answer the question a thread waits with; the run goes on from there, nothing is repeated."""
    from ddax.graph.threads.standing import standing
    from ddax.memory.home import Home

    output = Output(json=json, verbose=verbose)
    info = standing(known_run(thread), Home(home_of()))
    if info.status != "waiting":
        raise UsageError(
            f"The thread {thread!r} waits for no answer ({info.status}).",
            why="Only a thread that waits with a question takes an answer.",
            mend=f"Look at it: ddax show {thread}",
        )
    meant = choice or _meant(arguments, lesson, idea, for_run=for_run)
    if not meant:
        raise _without_choice(context, thread, output)
    reply = {
        "choice": meant,
        "idea": idea or "", "lesson": lesson or "",
        "arguments": _arguments(arguments), "by": by, "for_run": for_run,
    }  # fmt: skip

    async def job(agent: Agent, on_event: OnEvent) -> Result:
        return await agent.resume(thread, on_event=on_event, answer=reply)

    raise typer.Exit(execute(opener_of(context), None, thread, job, output))


def _meant(arguments: str | None, lesson: str | None, idea: str | None, *, for_run: bool) -> str:
    """Return the choice that the flags stand for where none is named; empty where no flag says one."""
    if arguments is not None:
        return "edit"
    if lesson is not None:
        return "teach"
    if idea is not None:
        return "choose"
    return "go on" if for_run else ""


def _without_choice(context: typer.Context, thread: str, output: Output) -> UsageError:
    """Show the question that waits, and return the error that asks for a choice: silence approves nothing."""

    async def look() -> Result:
        async with opener_of(context)(None) as agent:
            return await agent.result(thread)

    result = asyncio.run(look())
    for line in folded(question_lines(result)):
        output.say(line)
    options = ", ".join(clean(option, 60) for option in (result.get("question") or {}).get("options", ()))
    return UsageError(
        "No choice is given.",
        why=f"The question that waits takes one of: {options}.",
        mend=f"Name it: {how_to('answer', thread)} CHOICE",
    )


def _arguments(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        value = read_json_text(text)
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

"""The command `chat`: one thread, a question a line, until the input ends."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from ddax.cli.answer import quiet_lines, result_lines
from ddax.cli.backend import (
    Agent,
    OnEvent,
    Opener,
    Output,
    Result,
    check_thread,
    new_thread,
    opener_of,
    read_task,
)
from ddax.cli.errors import Interrupted, as_ddax, report
from ddax.cli.options import CONFIG, MODEL, SEED, VERBOSE
from ddax.cli.text import folded
from ddax.cli.work import QUIET, asked_settings, perform
from ddax.errors import UsageError

if TYPE_CHECKING:
    from ddax.configs.settings import Context

PROMPT = "> "
HELLO = "Ask, and ask on; Ctrl-D ends."


def chat(
    context: typer.Context,
    sources: Annotated[
        list[str] | None,
        typer.Option("--sources", "-s", help="Folders, files, URLs or python:MODULE; several may follow."),
    ] = None,
    identity: Annotated[str | None, typer.Option(help="Identity profile: a name or a YAML file.")] = None,
    model: MODEL = None,
    thread: Annotated[
        str | None, typer.Option(help="Name of the thread; an old one is gone on with.")
    ] = None,
    max_steps: Annotated[int | None, typer.Option(help="Cap of steps of one answer.")] = None,
    max_usd: Annotated[float | None, typer.Option(help="Cap of US dollars of one answer.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Cap of seconds of one answer.")] = None,
    seed: SEED = None,
    namespace: Annotated[str | None, typer.Option(help="Memory namespace.")] = None,
    search: Annotated[
        str | None, typer.Option(help="Search the web too: auto, searxng, tavily, brave or ddgs.")
    ] = None,
    instructions: Annotated[
        str | None, typer.Option(help="What you want of each answer, in your own words.")
    ] = None,
    knowledge: Annotated[
        str | None, typer.Option(help="What the model knows itself: allow, mark or forbid.")
    ] = None,
    config: CONFIG = None,
    quiet: QUIET = False,
    verbose: VERBOSE = False,
) -> None:
    """Talk with the sources: a question a line, each with the turns before it in mind.

    The lines may come from a pipe. The exit code is that of the last answer.
    """
    output = Output(json=False, verbose=verbose, quiet=quiet)
    arguments = {
        "sources": tuple(sources) if sources else None, "identity": identity, "model": model, "seed": seed,
        "namespace": namespace, "budget.max_steps": max_steps, "budget.max_usd": max_usd,
        "budget.max_seconds": max_seconds, "web.search": search, "instructions": instructions,
        "knowledge": knowledge,
    }  # fmt: skip
    name = check_thread(thread) or new_thread()
    chosen = asked_settings(name, config, arguments, output)
    if sys.stdin.isatty():
        output.note(HELLO)
    code = 0
    waits = False
    for text in questions():
        code, waits = _turn(opener_of(context), chosen, name, text, output, waits=waits)
    output.note(f"Go on: ddax chat --thread {name}")
    raise typer.Exit(code)


def questions() -> Iterator[str]:
    """Return what is asked, a line each, until the input ends; empty lines are nothing."""
    while True:
        try:
            line = input(PROMPT) if sys.stdin.isatty() else sys.stdin.readline()
        except EOFError:
            return
        except KeyboardInterrupt as exc:
            raise Interrupted from exc
        except UnicodeDecodeError as exc:
            raise UsageError(
                "A line of the input is no text.", why="It is not UTF-8.", mend="Save the input as UTF-8."
            ) from exc
        if not line and not sys.stdin.isatty():
            return
        if line.strip().lstrip("\ufeff"):
            yield line


def _turn(
    opener: Opener, chosen: Context, thread: str, text: str, output: Output, *, waits: bool
) -> tuple[int, bool]:
    """Answer one question, or give a waiting one its answer; return the exit code and whether it waits."""
    from ddax.graph.results import exit_code_of
    from ddax.graph.runs import OVER

    async def job(agent: Agent, on_event: OnEvent) -> Result:
        if waits:
            return await agent.resume(thread, on_event=on_event, answer={"choice": text.strip()})
        return await agent.run(read_task(text), thread=thread, on_event=on_event)

    try:
        result = perform(opener, None if waits else chosen, thread, job, output)
    except Interrupted:
        raise
    except Exception as exc:
        known = as_ddax(exc)
        if known is None:
            raise
        report(known, json=False)  # one question that could not be answered does not end the talk
        return known.exit_code, waits
    lines = list(quiet_lines(result) if output.quiet else result_lines(result))
    # The last line says how to follow up, which is the next line of the talk.
    for line in folded(lines[:-1] if not output.quiet and result["status"] in OVER else lines):
        output.say(line)
    return exit_code_of(result), result["status"] == "waiting"  # type: ignore[arg-type]  # as in `print_result`

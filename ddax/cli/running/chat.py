"""The command `chat`: one thread, a question a line, until the input ends."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from ddax.cli.answer import quiet_lines, result_lines
from ddax.cli.backend import (
    Agent,
    Opener,
    Output,
    check_thread,
    how_to,
    hushed,
    new_thread,
    opener_of,
    read_task,
    run_folder,
)
from ddax.cli.errors import Interrupted, report
from ddax.cli.interrupts import Interrupts
from ddax.cli.options import CONFIG, MODEL, SEED, VERBOSE
from ddax.cli.running.lines import Lines
from ddax.cli.running.work import QUIET, asked_form, asked_settings, interrupted, note_opening, with_way_back
from ddax.cli.text import folded
from ddax.cli.watch import watcher
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
    effort: Annotated[str | None, typer.Option(help="How far a model goes: quick, normal or deep.")] = None,
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
    output_: Annotated[
        str | None,
        typer.Option("--output", help="Form of each answer: text, report, or a file with a JSON schema."),
    ] = None,
    words: Annotated[int | None, typer.Option(help="Words of a report at most.")] = None,
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
        "effort": effort, "output": asked_form(output_), "words": words, "namespace": namespace,
        "budget.max_steps": max_steps, "budget.max_usd": max_usd, "budget.max_seconds": max_seconds,
        "web.search": search, "instructions": instructions, "knowledge": knowledge,
    }  # fmt: skip
    name = check_thread(thread) or new_thread()
    chosen, first = asked_settings(name, config, arguments)
    code, answered = talk(opener_of(context), chosen, name, output, first=first)
    if answered or run_folder().load(name) is not None:  # else there is no thread to go on with
        output.note(f"Go on: {how_to('chat --thread', name)}")
    raise typer.Exit(code)


class Turn(NamedTuple):
    """How a line of a talk ended: its exit code, whether the thread waits now, and whether the line ran."""

    code: int = 0
    waits: bool = False
    ran: bool = False


def talk(
    opener: Opener, chosen: Context, thread: str, output: Output, *, first: str = ""
) -> tuple[int, bool]:
    """Answer line after line with one agent; return the last exit code, and whether any line was answered.

    `first` is told once the agent is open.
    """
    interrupts = Interrupts(note=output.note, leave=lambda: report(interrupted(thread, None), json=False))

    async def work() -> tuple[int, bool]:
        last, answered = Turn(), False
        async with opener(chosen) as agent:
            interrupts.watch(agent)
            if first:
                output.note(first)
            if sys.stdin.isatty():
                output.note(HELLO)
            async for text in questions():
                last = await _turn(agent, thread, text, output, waits=last.waits)
                answered = answered or last.ran
        return last.code, answered

    note_opening(output)
    try:
        with hushed(output.quiet):
            return interrupts.run(work)
    except (KeyboardInterrupt, BrokenPipeError) as exc:
        raise _broken_off(thread) from exc


def _broken_off(thread: str) -> Interrupted:
    """Return the error of a talk that was broken off: between two lines there is nothing to resume."""
    info = run_folder().load(thread)
    if info is None or info.status == "running":
        return interrupted(thread, None)
    return Interrupted(how_to("chat --thread", thread))


async def questions() -> AsyncIterator[str]:
    """Yield what is asked, a line each, until the input ends; empty lines are nothing."""
    lines = Lines(sys.stdin)
    while True:
        if sys.stdin.isatty():
            print(PROMPT, end="", flush=True)
        try:
            line = await lines.read()
        except UnicodeDecodeError as exc:
            raise UsageError(
                "A line of the input is no text.", why="It is not UTF-8.", mend="Save the input as UTF-8."
            ) from exc
        if not line:
            return
        if line.strip().lstrip("\ufeff"):
            yield line


async def _turn(agent: Agent, thread: str, text: str, output: Output, *, waits: bool) -> Turn:
    """Answer one question, or give a waiting one its answer."""
    from ddax.graph.results import exit_code_of
    from ddax.graph.threads.manifests import OVER

    try:
        with watcher(output) as watch:
            if waits:
                answer = {"choice": text.strip()}
                result = await agent.resume(thread, on_event=watch.on_event, answer=answer)
            else:
                result = await agent.run(read_task(text), thread=thread, on_event=watch.on_event)
    except Exception as exc:
        known = with_way_back(exc, thread)
        if known is None:
            raise
        report(known, json=False)  # one question that could not be answered does not end the talk
        return Turn(known.exit_code, waits)
    if result["status"] == "interrupted":
        raise interrupted(thread, None)
    lines = list(quiet_lines(result) if output.quiet else result_lines(result))
    # The last line says how to follow up, which is the next line of the talk.
    for line in folded(lines[:-1] if not output.quiet and result["status"] in OVER else lines):
        output.say(line)
    return Turn(exit_code_of(result), result["status"] == "waiting", True)  # type: ignore[arg-type]  # as in `print_result`

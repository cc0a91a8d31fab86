"""The commands that look at threads and at the graph: `runs`, `show`, `cancel`, `graph`."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ddax.cli.answer import result_lines
from ddax.cli.backend import Opener, Output, check_thread, home_of, opener_of, run_folder
from ddax.cli.board import Board
from ddax.cli.facts import status_words
from ddax.cli.options import JSON, VERBOSE
from ddax.cli.text import clean, columns, folded, shorten, speaks_utf8
from ddax.errors import DdaxError, StateError, UsageError

if TYPE_CHECKING:
    from ddax.graph.threads.manifests import RunInfo
    from ddax.types import JsonDict
    from ddax.viewer.reading import Reader

TASK = 500
"""Characters of a task that are shown; the manifest has it whole."""
NAME = 24
"""Columns that a list of threads keeps for their names at most."""
SHORTEST = 24
"""Characters that are worth showing of a task beside its thread."""
_LISTED = ("thread_id", "status", "stop_reason", "task", "steps", "ideas", "created", "updated")


def runs(json: JSON = False, verbose: VERBOSE = False) -> None:
    """List the threads, newest first."""
    output = Output(json=json, verbose=verbose)
    infos = asyncio.run(_standing(run_folder().all()))
    if json:
        output.result({"runs": [_row(info) for info in infos]})
        return
    if not infos:
        output.say('No threads yet. Start one: ddax run "TASK" --sources DIR')
    widest = min(NAME, max((len(info.thread_id) for info in infos), default=0))
    for info in infos:
        output.say(_line(info, widest, columns()))


async def _standing(infos: list[RunInfo]) -> list[RunInfo]:
    """Return manifests as their threads stand; the checkpoints are read only for those without an end."""
    if all(info.status != "running" for info in infos):
        return infos
    from ddax.memory.home import Home
    from ddax.viewer.reading import Reader

    async with Reader(Home(home_of()), os.environ) as reader:
        return [await _counts_read(reader, info) for info in infos]


async def _counts_read(reader: Reader, info: RunInfo) -> RunInfo:
    from ddax.graph.threads.standing import standing

    try:
        return await reader.counted(info)
    except DdaxError:  # a thread is listed also where its checkpoints cannot be read: `show` says why
        return standing(info, reader.home)


def _row(info: RunInfo) -> dict[str, Any]:
    steps, ideas = _counted(info)
    values = {**asdict(info), "task": shorten(info.task, TASK), "steps": steps, "ideas": ideas}
    return {key: values[key] for key in _LISTED}


def _counted(info: RunInfo) -> tuple[int | None, int | None]:
    """Return the steps and ideas of a thread; None where its run has not come to where they are noted."""
    if info.status in ("running", "interrupted") and not info.steps:
        return None, None
    return info.steps, info.ideas


def _line(info: RunInfo, name: int, width: int) -> str:
    """Write a thread in one line, or the task below it where the terminal is too narrow for both."""
    when = _local_time(info.updated)
    steps, ideas = ("-" if count is None else count for count in _counted(info))
    line = f"{clean(info.thread_id):<{name}}  {status_words(info.status):<11} {when}"
    line += f"  {steps:>3} steps {ideas:>3} ideas"
    room = width - len(line) - 2
    task = clean(info.task or info.stop_reason, min(70, room if room >= SHORTEST else width - 4))
    return f"{line}  {task}" if room >= SHORTEST else f"{line}\n    {task}"


def _local_time(seconds: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).astimezone().strftime("%Y-%m-%d %H:%M")


def show(
    context: typer.Context,
    thread: Annotated[str, typer.Argument(help="The thread, as `ddax runs` lists it.")],
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Show a thread: its task, its DAG of ideas, its result."""
    from ddax.graph.threads.standing import standing
    from ddax.memory.home import Home
    from ddax.reasoning.given import OBJECT

    output, info = Output(json=json, verbose=verbose), known_run(thread)
    state, result = asyncio.run(_read(opener_of(context), thread))
    overrides = _overrides(info.thread_id, output)
    if json:
        ideas = state.get("ideas", {})
        info = standing(info, Home(home_of()), state)
        found = {"run": _row(info), "result": result, "ideas": [ideas[key] for key in ideas]}
        output.result({**found, "overrides": overrides})
        return
    output.say(clean(info.task, TASK))
    print_tree(Board.of_state(state))
    given = info.model.startswith(f"{OBJECT}:")
    for line in folded(result_lines({**result, "overrides": overrides, "given": given}, details=True)):
        output.say(line)


def _overrides(thread: str, output: Output) -> list[JsonDict]:
    """Return what humans put in the place of answers; a thread is shown without what is damaged."""
    from ddax.memory.agents.agent_store import AgentStore
    from ddax.memory.agents.overrides import Overrides
    from ddax.memory.home import Home

    try:
        agents = AgentStore(Home(home_of()).agents, clock=time.time)
        return [one.entry for one in Overrides(agents).of_thread(thread)]
    except StateError as error:
        output.note(f"Overrides are not shown. {error}")
        return []


async def _read(opener: Opener, thread: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    async with opener(None) as agent:
        return await agent.state(thread), await agent.result(thread)


def known_run(thread: str) -> RunInfo:
    """Return the manifest of a thread; raises `UsageError` that names the nearest one."""
    return run_folder().known(check_thread(thread) or "")


def print_tree(board: Board) -> None:
    """Print the whole tree of ideas with its instruments."""
    from rich.console import Console

    from ddax.cli.tree import picture

    console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
    console.print(picture(board, width=console.width, ascii_only=not speaks_utf8(sys.stdout)))


def cancel(
    context: typer.Context,
    thread: Annotated[str, typer.Argument(help="The thread, as `ddax runs` lists it.")],
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Stop a thread at its next step.

    One that waits, or that no process runs, is closed at once.
    """
    output, info = Output(json=json, verbose=verbose), known_run(thread)
    if not info.resumable:
        raise UsageError(
            f"The thread {thread!r} is over ({info.status}).",
            why="Only a thread that runs or waits can be stopped.",
            mend=f"Look at what it came to: ddax show {thread}",
        )
    asyncio.run(_cancel(opener_of(context), thread))
    now = known_run(thread).status
    if json:
        output.result({"thread_id": thread, "cancelled": True, "status": now})
    output.say(f"{thread} is {now}." if now != "running" else f"{thread} stops at its next step.")


async def _cancel(opener: Opener, thread: str) -> None:
    async with opener(None) as agent:
        await agent.cancel(thread)

"""The command `traces export`: finished runs as conversations to fine-tune on."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ddax.cli.backend import Output, home_of, put, run_folder
from ddax.cli.looking.runs import known_run
from ddax.cli.options import VERBOSE
from ddax.errors import UsageError
from ddax.wording import amount

if TYPE_CHECKING:
    from ddax.ideas.traces import Format, Run
    from ddax.types import JsonDict
    from ddax.viewer.reading import Reader

TOLD_SECONDS = 5.0
"""Seconds after which it is told again how far the reading of threads has come."""
NAMED = 5
"""Threads that are named of those that give no example."""
LEFT_OUT = "No step that led to the answer is in the memory: it was cleared, or earlier tasks read it all."
FORMAT = Annotated[
    Literal["imitation", "exploratory"],
    typer.Option("--format", help="What led to the answer, or the whole search."),
]


def export(
    form: FORMAT = "imitation",
    thread: Annotated[
        list[str] | None, typer.Option(help="A thread; may stand several times. Default: all that are done.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to a file instead of stdout.")
    ] = None,
    verbose: VERBOSE = False,
) -> None:
    """Write finished runs as chat examples, one JSON object a line, as OpenAI's fine-tuning takes them."""
    output = Output(json=False, verbose=verbose)
    names = thread or [info.thread_id for info in run_folder().all() if info.status == "done"]
    for name in names:
        if known_run(name).status != "done":
            raise UsageError(
                f"The thread {name!r} is not done ({known_run(name).status}).",
                why="Only a run that reached its answer is worth imitating.",
                mend=f"Bring it to its end: ddax resume {name}",
            )
    if len(names) > 1:
        output.note(f"Reading {len(names):,} threads …")
    from ddax.viewer.plain import dump

    found = asyncio.run(_examples(names, form, output))
    lines = [dump(example) for example in found.values() if example is not None]
    put("".join(f"{line}\n" for line in lines).encode(), file)
    output.note(f"{len(lines)} of {amount(len(names), 'thread')} exported ({form}).")
    if left := [name for name, example in found.items() if example is None]:
        more = f" and {len(left) - NAMED:,} more" if len(left) > NAMED else ""
        output.note(f"Left out: {', '.join(left[:NAMED])}{more}. {LEFT_OUT}")
    if not lines:
        raise typer.Exit(1)


async def _examples(names: list[str], form: Format, output: Output) -> dict[str, JsonDict | None]:
    """Return what each thread gives, None where it gives nothing."""
    from ddax.ideas.traces import trace
    from ddax.memory.home import Home
    from ddax.viewer.reading import Reader

    found: dict[str, JsonDict | None] = {}
    told = time.monotonic()
    async with Reader(Home(home_of()), os.environ) as reader:
        for done, name in enumerate(names):
            if time.monotonic() - told >= TOLD_SECONDS:
                told = time.monotonic()
                output.note(f"{done:,} of {len(names):,} threads …")
            found[name] = trace(await _run(reader, name), form)
    return found


async def _run(reader: Reader, name: str) -> Run:
    """Gather what a trace of the newest task of a thread is made of."""
    from ddax.ideas.traces import Run

    info, state = reader.run(name), await reader.state(name)
    work, answer = state["work"], state.get("answer", {})
    tasks = await reader.rows(info, "tasks", task=work["id"])
    return Run(
        task=str(tasks[0]["text"]) if tasks else work["text"],
        answer=str(answer.get("text", "")),
        root=work["root"],
        ideas=state["ideas"],
        cited=frozenset(c["passage_id"] for c in answer.get("citations", [])),
        ledger=await reader.rows(info, "ledger", task=work["id"]),
        decisions=await reader.rows(info, "decisions", task=work["id"]),
    )

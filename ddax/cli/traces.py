"""The command `traces export`: finished runs as conversations to fine-tune on."""

from __future__ import annotations

import asyncio
import json as jsonlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ddax.cli.backend import Opener, Output, opener_of, put, run_folder
from ddax.cli.options import VERBOSE
from ddax.cli.runs import known_run
from ddax.errors import UsageError
from ddax.wording import amount

if TYPE_CHECKING:
    from ddax.ideas.traces import Format

FORMAT = Annotated[
    Literal["imitation", "exploratory"],
    typer.Option("--format", help="What led to the answer, or the whole search."),
]


def export(
    context: typer.Context,
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
    lines = asyncio.run(_lines(opener_of(context), names, form))
    put("".join(f"{line}\n" for line in lines).encode(), file)
    output.note(f"{len(lines)} of {amount(len(names), 'thread')} exported ({form}).")


async def _lines(opener: Opener, names: list[str], form: Format) -> list[str]:
    from ddax.ideas.traces import trace

    async with opener(None) as agent:
        runs = [await _run(agent, name) for name in names]
    found = [trace(run, form) for run in runs]
    return [jsonlib.dumps(example, ensure_ascii=False) for example in found if example is not None]


async def _run(agent: Any, name: str) -> Any:
    """Gather what a trace of the newest task of a thread is made of."""
    from ddax.ideas.traces import Run

    state = await agent.state(name)
    work, answer = state["work"], state.get("answer", {})
    tasks = await agent.rows(name, "tasks", task=work["id"])
    return Run(
        task=str(tasks[0]["text"]) if tasks else work["text"],
        answer=str(answer.get("text", "")),
        root=work["root"],
        ideas=state["ideas"],
        cited=frozenset(c["passage_id"] for c in answer.get("citations", [])),
        ledger=await agent.rows(name, "ledger", task=work["id"]),
        decisions=await agent.rows(name, "decisions", task=work["id"]),
    )

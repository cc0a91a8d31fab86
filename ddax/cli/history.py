"""The commands that look back and tidy up: `history`, `diff`, `gc`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ddax.cli.backend import Opener, Output, opener_of, run_folder
from ddax.cli.runs import known_run
from ddax.cli.text import clean, shorten

if TYPE_CHECKING:
    from ddax.graph.retention import Rule

JSON = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object on stdout.")]
VERBOSE = Annotated[bool, typer.Option("--verbose", "-v", help="Print tracebacks.")]
VALUE = 60
"""Characters of a value that are shown."""


def history(
    context: typer.Context,
    thread: Annotated[str, typer.Argument(help="The thread, as `ddax runs` lists it.")],
    limit: Annotated[int | None, typer.Option(min=1, help="Only the newest ones.")] = None,
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """List the checkpoints of a thread: what ran, what was decided, what changed."""
    output, info = Output(json=json, verbose=verbose), known_run(thread)
    found = asyncio.run(_history(opener_of(context), info.thread_id, limit))
    if json:
        output.result({"thread_id": info.thread_id, "moments": found})
        return
    output.say("  no  step  ran → next                     ideas  ρ     changed")
    for one in found:
        ran = f"{','.join(one['ran']) or 'start'} → {','.join(one['next']) or 'end'}"
        changed = shorten(" ".join(one["changed"]), VALUE) if one["changed"] else "-"
        output.say(
            f"{one['number']:>4}  {one['step']:>4}  {ran:<29} {one['ideas']:>5}  {one['rho']:.2f}  {changed}"
        )


async def _history(opener: Opener, thread: str, limit: int | None) -> list[Any]:
    async with opener(None) as agent:
        return await agent.history(thread, limit=limit)


def diff(
    context: typer.Context,
    one: Annotated[str, typer.Argument(help="A thread.")],
    other: Annotated[str, typer.Argument(help="Another thread.")],
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Show what differs between two threads: ideas, belief, rigidity, cost, answer."""
    from ddax.graph.history import difference

    output = Output(json=json, verbose=verbose)
    names = known_run(one).thread_id, known_run(other).thread_id
    rows = difference(*asyncio.run(_states(opener_of(context), names)))
    if json:
        output.result({"one": names[0], "other": names[1], "differences": rows})
        return
    output.say(f"{len(rows)} differences" if rows else "The two are equal.")
    for row in rows:
        output.say(f"{row['place']}")
        output.say(f"  - {clean(row['one'], VALUE * 2)}")
        output.say(f"  + {clean(row['other'], VALUE * 2)}")


async def _states(opener: Opener, names: tuple[str, str]) -> list[Mapping[str, Any]]:
    async with opener(None) as agent:
        return [await agent.state(name) for name in names]


def gc(
    context: typer.Context,
    days: Annotated[float, typer.Option(min=0, help="Only threads finished this many days ago.")] = 30.0,
    keep: Annotated[int, typer.Option(min=1, help="Checkpoints of a thread that stay.")] = 1,
    delete: Annotated[bool, typer.Option("--delete", help="Remove those threads altogether.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say which ones.")] = False,
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Let go of the old checkpoints of finished threads; their last state stays.

    What the memory has learned from them is not touched.
    """
    from ddax.graph.retention import Rule

    output, rule = Output(json=json, verbose=verbose), Rule(days, keep, delete)
    if dry_run:
        _announce(rule, output)
        return
    swept = asyncio.run(_sweep(opener_of(context), rule))
    if json:
        output.result(swept)
        return
    freed = swept["bytes_before"] - swept["bytes_after"]
    output.say(f"{len(swept['threads'])} threads {'removed' if delete else 'pruned'}, {freed:,} bytes freed.")
    for name in swept["in_use"]:
        output.say(f"{name} is in use and stays as it is.")


def _announce(rule: Rule, output: Output) -> None:
    import time

    from ddax.graph.retention import due

    names = [info.thread_id for info in due(run_folder().all(), rule, now=time.time())]
    if output.json:
        output.result({"threads": names})
        return
    for name in names:
        output.say(name)
    output.say(f"{len(names)} threads would be {'removed' if rule.delete else 'pruned'}.")


async def _sweep(opener: Opener, rule: Rule) -> Mapping[str, Any]:
    async with opener(None) as agent:
        return await agent.sweep(rule)

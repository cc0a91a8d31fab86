"""The commands that look back, leave by another way and tidy up: `history`, `diff`, `fork`, `gc`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ddax.cli.backend import (
    Agent,
    OnEvent,
    Opener,
    Output,
    Result,
    check_thread,
    home_of,
    opener_of,
    run_folder,
)
from ddax.cli.looking.runs import known_run
from ddax.cli.options import JSON, VERBOSE
from ddax.cli.running.work import execute
from ddax.cli.text import clean, shorten
from ddax.errors import UsageError
from ddax.wording import amount

if TYPE_CHECKING:
    from ddax.graph.forking import Change
    from ddax.graph.threads.retention import Rule

VALUE = 60
"""Characters of a value that are shown."""
_NOTHING: Mapping[str, Any] = {
    "threads": [], "in_use": [], "unreadable": [], "bytes_before": 0, "bytes_after": 0,
}  # fmt: skip


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
    output.say(f"{amount(len(rows), 'difference')}" if rows else "The two are equal.")
    for row in rows:
        output.say(clean(row["place"]))
        output.say(f"  - {clean(row['one'], VALUE * 2)}")
        output.say(f"  + {clean(row['other'], VALUE * 2)}")


async def _states(opener: Opener, names: tuple[str, str]) -> list[Mapping[str, Any]]:
    async with opener(None) as agent:
        return [await agent.state(name) for name in names]


def fork(
    context: typer.Context,
    thread: Annotated[str, typer.Argument(help="The thread to leave.")],
    at: Annotated[int, typer.Option(help="The moment, by its number in `ddax history`.")],
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="PATH=VALUE, e.g. mind.rho=0.9 or budget.max_steps=9.")
    ] = None,
    identity: Annotated[str | None, typer.Option(help="Another identity profile from there on.")] = None,
    to: Annotated[str | None, typer.Option(help="Name of the fork; default THREAD-fork-AT.")] = None,
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Leave a thread at one of its moments, with something changed, and run on from there.

    The thread itself stays as it is; only what is behind the moment is computed again.
    """
    from ddax.graph.forking import Change

    output, info = Output(json=json, verbose=verbose), known_run(thread)
    change = Change(dict(map(_setting, set_ or [])), identity, check_thread(to))
    name = asyncio.run(_fork(opener_of(context), info.thread_id, at, change))
    output.note(f"forked {info.thread_id} at {at}: thread {name}")

    async def job(agent: Agent, on_event: OnEvent) -> Result:
        return await agent.resume(name, on_event=on_event)

    raise typer.Exit(execute(opener_of(context), None, name, job, output))


def _setting(text: str) -> tuple[str, Any]:
    """Return path and value of `PATH=VALUE`; the value is read as YAML, as in a settings file."""
    import yaml

    path, sign, value = text.partition("=")
    if not sign or not path:
        raise UsageError(
            f"--set {text!r} is no PATH=VALUE.",
            why="It has no `=` between a path and a value.",
            mend="Write it like: --set mind.rho=0.9",
        )
    try:
        return path, yaml.safe_load(value)
    except (yaml.YAMLError, RecursionError) as exc:
        raise UsageError(
            f"--set {text!r}: the value is not valid YAML.",
            why="Values are read as YAML: numbers, true, lists, words.",
            mend="Quote it.",
        ) from exc


async def _fork(opener: Opener, thread: str, at: int, change: Change) -> str:
    from ddax.graph import forking

    async with opener(None) as agent:
        forked = await forking.fork(agent, thread, at, change)  # type: ignore[arg-type]  # the real one
        return forked.thread_id


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
    from ddax.graph.threads.retention import Rule

    output, rule = Output(json=json, verbose=verbose), Rule(days, keep, delete)
    if dry_run:
        _announce(rule, output)
        return
    # Where there is no home there is nothing to let go of, and none is made to say so.
    swept = asyncio.run(_sweep(opener_of(context), rule)) if home_of().exists() else _NOTHING
    if json:
        output.result(swept)
        return
    freed = swept["bytes_before"] - swept["bytes_after"]
    gone, how = amount(len(swept["threads"]), "thread"), "removed" if delete else "pruned"
    output.say(f"{gone} {how}, {freed:,} bytes freed.")
    for name in swept["in_use"]:
        output.say(f"{name} is in use and stays as it is.")
    _spared(swept["unreadable"], output)


def _announce(rule: Rule, output: Output) -> None:
    import time

    from ddax.graph.threads.retention import due, unreadable

    infos = run_folder().all()
    names, spared = [info.thread_id for info in due(infos, rule, now=time.time())], unreadable(infos)
    if output.json:
        output.result({"threads": names, "unreadable": spared})
        return
    for name in names:
        output.say(name)
    output.say(f"{amount(len(names), 'thread')} would be {'removed' if rule.delete else 'pruned'}.")
    _spared(spared, output)


def _spared(names: list[str], output: Output) -> None:
    for name in names:
        output.say(f"{clean(name)} stays as it is: its manifest cannot be read (`ddax runs` says why).")


async def _sweep(opener: Opener, rule: Rule) -> Mapping[str, Any]:
    async with opener(None) as agent:
        return await agent.sweep(rule)

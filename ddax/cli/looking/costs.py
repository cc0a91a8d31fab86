"""The command `costs`: what a thread paid its models, by call, node and idea."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ddax.cli.backend import Opener, Output, opener_of
from ddax.cli.board import cost_words
from ddax.cli.looking.runs import known_run
from ddax.cli.options import JSON, VERBOSE
from ddax.cli.text import clean
from ddax.wording import amount

if TYPE_CHECKING:
    from ddax.types import Usage

Rows = list[Mapping[str, Any]]


def costs(
    context: typer.Context,
    thread: Annotated[str, typer.Argument(help="The thread, as `ddax runs` lists it.")],
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Show what a thread's model calls cost: each request, the sums by node, idea and model, and by part."""
    output = Output(json=json, verbose=verbose)
    known_run(thread)
    rows = calls_of(asyncio.run(_read(opener_of(context), thread)))
    total = _sum(rows)
    if json:
        output.result({
            "thread_id": thread, "total": total.row(), "by_node": sums(rows, "node"),
            "by_idea": sums(rows, "idea"), "by_part": dict(total.parts), "calls": rows,
        })  # fmt: skip
        return
    if not rows:
        output.say(f"{thread} asked no model.")
        return
    for row in rows:
        output.say(
            f"[{row['step']}] {row['node']} {clean(row['idea'] or '-', 30)} {row['request']}:"
            f" {cost_words(row)}{'' if row['ok'] else ' (failed)'}"
        )
    for by in ("node", "idea"):
        output.say()
        for name, cost in sums(rows, by).items():
            output.say(f"by {by} {clean(name or '-', 30):<14} {cost_words(cost)}")
    output.say()
    for line in part_lines(total):
        output.say(line)
    output.say()
    output.say(f"total: {cost_words(total.row())}")
    for model, calls in total.models:
        output.say(f"  {clean(model, 80)}: {amount(calls, 'call')}")


def calls_of(rows: Iterable[Mapping[str, Any]]) -> Rows:
    """Return one row a request from the log, which keeps one a node."""
    return [
        {"node": row["node"], "step": row["step"], **call} for row in rows for call in row.get("calls", ())
    ]


def part_lines(total: Usage) -> list[str]:
    """Return what the tokens went to, most first, and how many of those sent the provider had cached."""
    whole = sum(count for _, count in total.parts)
    ordered = sorted(total.parts, key=lambda part: -part[1])
    lines = [f"by part {name:<12} {count:,} tokens, {count / whole:.0%}" for name, count in ordered]
    if total.prompt_tokens:
        share = total.cached_tokens / total.prompt_tokens
        lines.append(f"cached: {total.cached_tokens:,} of {total.prompt_tokens:,} tokens sent, {share:.0%}")
    return lines


def sums(rows: Rows, by: str) -> dict[str, Any]:
    """Return the costs added up by a column."""
    names = dict.fromkeys(str(row[by]) for row in rows)
    return {name: _sum([row for row in rows if str(row[by]) == name]).row() for name in names}


def _sum(rows: Rows) -> Usage:
    from ddax.types import Usage

    return sum((Usage.of_row(row) for row in rows), Usage())


async def _read(opener: Opener, thread: str) -> Iterable[Mapping[str, Any]]:
    async with opener(None) as agent:
        return await agent.costs(thread)

"""The commands that look into decisions: `why` shows one with its terms, `verify` proves the ledger."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Annotated, Any

import typer

from ddax.cli.backend import Opener, Output, opener_of, run_folder
from ddax.cli.looking import ceremony
from ddax.cli.looking.costs import Rows, calls_of
from ddax.cli.looking.runs import known_run
from ddax.cli.options import JSON, VERBOSE
from ddax.cli.text import clean, columns
from ddax.errors import StateError, UsageError

THREAD = Annotated[str, typer.Argument(help="The thread, as `ddax runs` lists it.")]
COLUMNS = ("total", "alignment", "value", "exploration", "tabu")
SHORT = ("total", "align", "value", "explore", "tabu")
WIDE, NARROW = 112, 80
"""Columns that the table needs with whole names, and with short ones."""
MANY = 12
"""Candidates of one level that are shown."""
FLIPS = 3


def why(
    context: typer.Context,
    thread: THREAD,
    step: Annotated[
        int | None,
        typer.Argument(help="The step; default: the newest one with a choice.", min=1, show_default=False),
    ] = None,
    weighed: Annotated[
        bool, typer.Option("--weighed", help="Only what was weighed before a model was asked, of all steps.")
    ] = False,
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Show a decision: the terms of every candidate, what would have flipped it, what a model was worth."""
    output = Output(json=json, verbose=verbose)
    known_run(thread)
    rows, _, calls = asyncio.run(_ledger(opener_of(context), thread))
    decision = _decision(rows, thread, step)
    doubts = ceremony.weighed(rows, decision["task"], None if weighed else decision["step"], calls)
    if weighed:
        _weighed(output, doubts, json=json)
        return
    found = _flips(decision)
    if json:
        flips = [flip._asdict() for flip in found]
        output.result({"decision": decision, "flips": flips, "weighed": doubts})
        return
    for line in (*_lines(decision, found), *ceremony.told(doubts)):
        output.say(line)


def _weighed(output: Output, doubts: list[dict[str, Any]], *, json: bool) -> None:
    if json:
        output.result({"weighed": doubts})
        return
    for line in [*ceremony.told(doubts, steps=True)][1:] or ["Nothing was weighed: no model is paid."]:
        output.say(line)


def verify(context: typer.Context, thread: THREAD, json: JSON = False, verbose: VERBOSE = False) -> None:
    """Prove that no decision of a thread was changed, removed or reordered."""
    from ddax.ideas.ledger import prove

    output = Output(json=json, verbose=verbose)
    known_run(thread)
    rows, head, _ = asyncio.run(_ledger(opener_of(context), thread))
    proof = prove(rows, head)
    if json:
        output.result(
            {"thread_id": thread, "holds": not proof.faults, "entries": proof.entries, "beside": proof.beside,
             "faults": [fault._asdict() for fault in proof.faults]}
        )  # fmt: skip
    for fault in proof.faults:
        output.say(f"{fault.kind}: {fault.what}.")
    if proof.faults:
        if json:
            raise typer.Exit(StateError.exit_code)
        raise StateError(
            f"The decision ledger of {thread!r} does not hold.",
            why=f"{len(proof.faults)} of its entries are not as they were sealed.",
            mend="Compare it with a backup of the memory; the run itself is in the checkpoints.",
        )
    beside = f", and {proof.beside} beside the chain (a fork or a kill)" if proof.beside else ""
    output.say(f"The ledger of {thread} holds: {proof.entries} decisions, none changed{beside}.")


async def _ledger(opener: Opener, thread: str) -> tuple[list[dict[str, Any]], str, Rows]:
    """Return the decisions of a thread as stored, the hash its newest checkpoint names, and its calls."""
    async with opener(None) as agent:
        state = await agent.state(thread)
        rows: list[dict[str, Any]] = []
        source: str = thread
        calls = calls_of(await agent.costs(thread))
        while source:  # what a fork rests on stands in the ledger of the thread it left
            rows = [*await agent.rows(thread, "decisions", thread=source), *rows]
            info = run_folder().load(source)
            source = info.forked_from if info is not None else ""
    return rows, str(state.get("decision", {}).get("hash", "")), calls


def _decision(rows: list[dict[str, Any]], thread: str, step: int | None) -> dict[str, Any]:
    """Return the decision asked for; of a thread with follow-ups that of the newest task."""
    newest = rows[-1]["task"] if rows else ""
    mine = [row for row in rows if row["task"] == newest]
    if step is None:
        chosen = [row for row in mine if _had_a_choice(row)] or [r for r in mine if r["terms"]] or mine
    else:
        chosen = [row for row in mine if row["step"] == step]
    if not chosen:
        steps = (
            f"The newest task has the steps 1 to {mine[-1]['step']}." if mine else "Nothing was decided yet."
        )
        raise UsageError(
            f"There is no decision {'' if step is None else f'of step {step} '}in thread {thread!r}.",
            why=steps,
            mend=f"`ddax history {thread}` lists the steps.",
        )
    return chosen[-1]


def _had_a_choice(decision: Mapping[str, Any]) -> bool:
    """Say whether at some level there was more than one candidate."""
    places = [row["at"] for row in decision["terms"]]
    return len(places) > len(set(places))


def _flips(decision: Mapping[str, Any]) -> list[Any]:
    """Return the smallest changes that would have altered the choice at some level, smallest first."""
    from ddax.dynamics.flip import flips, levels

    if "policy" not in decision or "impasse" in decision:  # at an impasse the score did not choose
        return []
    found = [flip for level in levels(decision["terms"], decision["policy"]) for flip in flips(level)]
    return sorted(found, key=lambda flip: flip.share)[:FLIPS]


def _lines(decision: Mapping[str, Any], found: list[Any]) -> Iterator[str]:
    focus = ", ".join(clean(i, 40) for i in decision["focus"]) or "-"
    yield f"Step {decision['step']}: {clean(decision['next'], 20)} {focus} ({clean(decision['rule'], 80)})"
    if "policy" not in decision:
        yield "This step followed a rule; nothing was scored."
        return
    policy = decision["policy"]
    yield f"rigidity {policy['rho']:.3f}, c {policy['c']:.2f}, w_a {policy['w_a']:g}, w_q {policy['w_q']:g}"
    yield from _tables(decision, columns())
    for idea, reason in decision.get("cuts", {}).items():
        yield f"given up: {clean(idea, 40)}: {clean(reason, 120)}"
    for idea, imagined in decision.get("imagined", {}).items():
        yield f"imagined: {clean(idea, 40)}: Q {imagined['Q']:.3f} in {imagined['N']} rollouts"
    if "impasse" in decision:
        yield from _utilities(decision)
        return
    yield ""
    yield "What would have flipped it:" if found else "No change of one term would have flipped it."
    for flip in found:
        who = f"{clean(flip.candidate, 40)} " if flip.candidate else ""
        yield (
            f"  {who}{flip.name} {flip.before:.4f} → {flip.after:.4f} ({flip.term}): "
            f"{clean(flip.winner, 40)} would have been chosen"
        )


def _utilities(decision: Mapping[str, Any]) -> Iterator[str]:
    """Show the ACT-R utilities that chose where the score was at an impasse."""
    kind = clean(decision["impasse"]["kind"], 20).replace("_", " ")
    yield ""
    yield f"An impasse ({kind}): the utility U = P·G - C - tabu + noise chose, best first."
    for row in decision["impasse"]["utilities"][:MANY]:
        mark = ">" if row["id"] in decision["focus"] else " "
        yield (
            f"{mark} {clean(row['id'], 40)}  U {row['total']:.3f} = {row['gain']:.3f} (P {row['chance']:.2f})"
            f" - {row['cost']:.1f} - {row['tabu']:.3f} {row['noise']:+.3f}"
        )


def _tables(decision: Mapping[str, Any], width: int) -> Iterator[str]:
    from ddax.dynamics.flip import levels

    for level in levels(decision["terms"], decision["policy"]):
        at, winner = clean(level.rows[0]["at"], 40), level.winner()
        yield ""
        yield f"under {at}:" if at else "on one frontier:"
        rows = sorted(level.rows, key=lambda r: -r["total"])[:MANY]
        yield from _table(rows, winner, width) if width >= NARROW else _list(rows, winner, width)
        if len(level.rows) > MANY:
            yield f"    and {len(level.rows) - MANY} more"


def _table(rows: Sequence[Mapping[str, Any]], winner: str, width: int) -> Iterator[str]:
    """Write the candidates of a level as a table, with short names and three decimals if need be."""
    names, first, cell, decimals = (COLUMNS, 16, 12, 4) if width >= WIDE else (SHORT, 12, 8, 3)
    yield f"    {'idea':<{first}}" + "".join(f"{name:>{cell}}" for name in (*names, "N", "Q", "P"))
    for row in rows:
        mark = "→" if row["id"] == winner else " "
        numbers = "".join(f"{row[name]:>{cell}.{decimals}f}" for name in COLUMNS)
        inputs = f"{row['n']:>{cell}}{row['q']:>{cell}.{decimals}f}{row['prior']:>{cell}.{decimals}f}"
        yield f"  {mark} {clean(row['id'], first):<{first}}{numbers}{inputs}"


def _list(rows: Sequence[Mapping[str, Any]], winner: str, width: int) -> Iterator[str]:
    """Write the candidates of a level one below the other, for a terminal that holds no table."""
    for row in rows:
        mark = "→" if row["id"] == winner else " "
        yield f"  {mark} {clean(row['id'], max(8, width - 18))}  {row['total']:.3f}"
        terms = [f"{name} {row[key]:.3f}" for name, key in zip(SHORT[1:], COLUMNS[1:], strict=True)]
        words = ", ".join((*terms, f"N {row['n']}", f"Q {row['q']:.3f}", f"P {row['prior']:.3f}"))
        yield from wrap(words, max(20, width), initial_indent="      ", subsequent_indent="      ")

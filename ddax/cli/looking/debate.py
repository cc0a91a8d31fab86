"""The commands below `ddax debate`: what was judged, by what, and how it turned out."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ddax.cli.backend import Opener, Output, home_of, opener_of
from ddax.cli.looking.runs import known_run
from ddax.cli.options import JSON, VERBOSE
from ddax.cli.text import clean, clean_block
from ddax.wording import amount

if TYPE_CHECKING:
    from ddax.debate.outcomes import JudgeStore

THREAD = Annotated[str, typer.Argument(help="The thread, as `ddax runs` lists it.")]
Row = Mapping[str, Any]
TEXT = 100


def report(
    context: typer.Context,
    thread: Annotated[str | None, typer.Argument(help="A thread; without one only the judges.")] = None,
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Show the debates of a thread beside the vote, and how well each judge's values came true."""
    output = Output(json=json, verbose=verbose)
    rows = asyncio.run(_rows(opener_of(context), thread, "debates")) if thread else []
    judges = judge_rows(_store())
    summary = summary_of(rows)
    if json:
        output.result({"thread_id": thread, **summary, "verdicts": rows, "judges": judges})
        return
    if thread:
        for line in _verdict_lines(rows, summary):
            output.say(line)
        output.say()
    for line in _judge_lines(judges):
        output.say(line)


def rubric(context: typer.Context, thread: THREAD, json: JSON = False, verbose: VERBOSE = False) -> None:
    """Show the rubric that a thread was judged by, as YAML, with its version."""
    output = Output(json=json, verbose=verbose)
    rows = asyncio.run(_rows(opener_of(context), thread, "judging"))
    if json:
        output.result({"thread_id": thread, "rubrics": [_rubric(row) for row in rows]})
        return
    if not rows:
        output.say(f"{thread} judged nothing.")
    for row in rows:
        import yaml

        text = yaml.safe_dump(_rubric(row), sort_keys=False, allow_unicode=True, width=100)
        output.say(clean_block(text).rstrip())


def wrong(context: typer.Context, thread: THREAD, json: JSON = False, verbose: VERBOSE = False) -> None:
    """Say that the answer of a thread was wrong: the judges of later tasks are corrected by it."""
    output = Output(json=json, verbose=verbose)
    tasks = sorted({str(row["task"]) for row in asyncio.run(_rows(opener_of(context), thread, "judging"))})
    store = _store()
    changed = sum(store.wrong(task) for task in tasks)
    if json:
        output.result({"thread_id": thread, "values": changed})
    output.say(f"Kept as wrong: {amount(changed, 'value')} of {thread}.")


def _store() -> JudgeStore:
    from ddax.debate.outcomes import JudgeStore

    return JudgeStore(home_of() / "judges", clock=time.time)


async def _rows(opener: Opener, thread: str, table: str) -> list[dict[str, Any]]:
    """Return the rows of a log for the newest task of a thread; neither key nor sources are needed."""
    known_run(thread)
    async with opener(None) as opened:
        agent: Any = opened
        state = await agent.state(thread)
        found: list[dict[str, Any]] = await agent.rows(
            thread, table, task=state.get("work", {}).get("id", "")
        )
        return found


def summary_of(rows: Sequence[Row]) -> dict[str, Any]:
    """Return how many results were judged and debated, and where debate and vote fell apart."""
    debated = [row for row in rows if row["debated"]]
    apart = [row for row in debated if (row["value"] >= 0.5) != (row["vote"] >= 0.5)]
    return {
        "judged": len(rows),
        "debated": len(debated),
        "calls": sum(int(row.get("calls", 1)) for row in rows),
        "apart": len(apart),
        "dissents": sum(len(row.get("dissents", [])) for row in rows),
    }


def judge_rows(store: JudgeStore) -> list[dict[str, Any]]:
    """Return for each judge its outcomes, ECE and Brier score, as it says and as its map corrects it."""
    from ddax.debate.calibration import brier, ece, fit_map

    found = []
    for name in store.names():
        rows = store.rows(name)
        x, y = [row["value"] for row in rows], [row["outcome"] for row in rows]
        half = len(x) // 2
        learned = fit_map(x[:half], y[:half])
        held = [learned(value) for value in x[half:]]
        found.append({
            "judge": name, "outcomes": len(x), "right": sum(y) / len(y) if y else 0.0,
            "map": fit_map(x, y).kind, "ece": round(ece(x, y), 4), "brier": round(brier(x, y), 4),
            "held_out": len(held), "held_out_map": learned.kind,
            "ece_before": round(ece(x[half:], y[half:]), 4), "ece_after": round(ece(held, y[half:]), 4),
            "brier_before": round(brier(x[half:], y[half:]), 4),
            "brier_after": round(brier(held, y[half:]), 4),
        })  # fmt: skip
    return found


def _verdict_lines(rows: Sequence[Row], summary: Row) -> Iterator[str]:
    if not rows:
        yield "Nothing was judged."
        return
    for row in rows:
        held = "debated" if row["debated"] else "not debated"
        yield (
            f"[{row['step']}] {row['idea']}: value {row['value']:.2f} (first {row['cheap']:.2f},"
            f" vote {row['vote']:.2f}), {held}: {clean(row['why'], TEXT)}"
        )
        for name, score, text in row["reasons"] if row["debated"] else ():
            yield f"      {clean(name, 60)}: {score:.2f}, {clean(text, TEXT)}"
        for speech in row["transcript"]:
            kept = f"{len(speech['held'])} of {amount(len(speech['citations']), 'quote')} held"
            who = f"{speech['role']} {clean(speech['speaker'], 40)}"
            yield f"      {who} ({kept}): {clean(speech['text'], TEXT)}"
    yield ""
    yield (
        f"{summary['judged']} judged, {summary['debated']} debated, {amount(summary['calls'], 'call')};"
        f" debate and vote fell apart {amount(summary['apart'], 'time')};"
        f" {amount(summary['dissents'], 'dissent')}"
    )


def _judge_lines(judges: Sequence[Row]) -> Iterator[str]:
    if not judges:
        yield "No outcome is known yet: judges are taken at their word."
    for row in judges:
        yield (
            f"{clean(row['judge'], 60)}: {amount(row['outcomes'], 'outcome')}, {row['right']:.0%} right,"
            f" ECE {row['ece']:.3f}, Brier {row['brier']:.3f}, map {row['map']}"
        )
        if row["held_out_map"] != "identity":
            yield (
                f"  fitted on the older half, on the newer {row['held_out']}: ECE {row['ece_before']:.3f} →"
                f" {row['ece_after']:.3f}, Brier {row['brier_before']:.3f} → {row['brier_after']:.3f}"
            )


def _rubric(row: Row) -> dict[str, Any]:
    own = row["task_criteria"]
    return {
        "task": row["task"],
        "version": row["version"],
        "criteria": {name: own.get(name, "of the general rubric") for name in row["rubric"]},
    }

"""The commands about the state of mind: `mood`, `metacognition learn`, `metacognition versions`."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ddax.cli.backend import Output, home_of, settings
from ddax.cli.options import JSON, VERBOSE
from ddax.cli.text import clean, columns

if TYPE_CHECKING:
    from ddax.metacognition.matrices import Matrices

NAMESPACE = Annotated[str | None, typer.Option(help="The namespace; default: the setting.")]


def mood(
    thread: Annotated[str, typer.Argument(help="The thread, as `ddax runs` lists it.")],
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Show the state of mind of a thread over time: belief, action, and why (terms in nats)."""
    from ddax.cli.looking.runs import known_run
    from ddax.metacognition.series import series

    output, info = Output(json=json, verbose=verbose), known_run(thread)
    rows = _rows(info.namespace, thread=info.thread_id)
    if json:
        output.result({"thread": thread, "mood": series(rows)})
    elif not rows:
        output.say("No mood is logged: the thread made no step, or mood.enabled was off.")
    else:
        _print(rows)


def learn(
    namespace: NAMESPACE = None,
    strength: Annotated[
        float, typer.Option(min=1.0, help="Observations that the present numbers weigh, per column.")
    ] = 100.0,
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Learn A and B from the logged runs; a version is kept only if unseen runs speak for it."""
    from ddax.metacognition.learning import episodes, judge, split
    from ddax.metacognition.learning import learn as learn_counts
    from ddax.metacognition.matrices import load_matrices
    from ddax.metacognition.versions import find_matrices, keep_matrices, origin, write_version

    output, home = Output(json=json, verbose=verbose), home_of()
    context = settings(None, {"namespace": namespace}).context
    runs, held = split(episodes(_rows(context.namespace)))
    now = keep_matrices(context.mood.matrices, home)
    used: Matrices = load_matrices(find_matrices(now, home))
    first = load_matrices(find_matrices(origin(now, home), home))  # which no logged run is part of
    output.note(
        f"Learning from {len(runs)} runs, judging by {len(held)} others; pymdp takes seconds to load."
    )
    found = learn_counts(first, runs, strength=strength)
    judged = judge(used, found, held)
    about = {
        "from": now, "namespace": context.namespace, "runs": len(runs),
        "strength": strength, "made": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), **judged.row(),
    }  # fmt: skip
    path = None if judged.trouble else write_version(home, found, about)
    if json:
        output.result({"version": path.stem if path else None, "refused": judged.trouble, **about})
    output.say(
        f"Log-likelihood of an observation in {judged.runs} unseen runs: "
        f"{judged.before:.4f} before, {judged.after:.4f} after (nats); {judged.bits:.2f} bit."
    )
    if path is None:
        output.say(f"Nothing is kept: {judged.trouble}.")
        raise typer.Exit(1)
    output.say(f"Kept as {path.stem} in {path}.")
    output.say(f"Use it: mood.matrices: {path.stem}   go back: mood.matrices: {now}")


def versions(json: JSON = False, verbose: VERBOSE = False) -> None:
    """List the learned versions with what unseen runs said of them."""
    from ddax.configs.documents import read_document
    from ddax.metacognition.versions import versions as known

    output = Output(json=json, verbose=verbose)
    used = settings(None).context.mood.matrices
    found = {p.stem: dict(read_document(p).values.get("about") or {}) for p in known(home_of())}
    if json:
        output.result({"used": used, "versions": found})
    told = {"shipped": "the numbers that ship"} | {name: _judged(about) for name, about in found.items()}
    if used not in told:
        told[used] = "a file; a run keeps a copy of what it holds when it begins"
    for name, words in told.items():
        output.say(f"{'*' if name == used else ' '} {clean(name):<8}  {words}")


def _judged(about: Mapping[str, Any]) -> str:
    gain = f"{about.get('log_likelihood_before')} to {about.get('log_likelihood_after')}"
    return clean(
        f"from {about.get('from')} by {about.get('runs')} runs, log-likelihood {gain}, {about.get('made')}"
    )


def _rows(namespace: str, **equals: Any) -> list[dict[str, Any]]:
    """Return the logged moods of a namespace, oldest first; a run may be going on beside."""
    from ddax.memory.home import Home
    from ddax.memory.store.log_reading import read_log

    return read_log(Home(home_of()).memory, namespace, "moods", **equals)


TABLE = 165
"""Columns that the table takes; a narrower terminal gets a few lines a step."""


def _print(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the moods as a table, or as lines where the terminal is too narrow for one."""
    if columns() < TABLE:
        for row in rows:
            print("\n".join(_lines(row, columns())))
    else:
        _print_table(rows)
    print("Under an action: its value = information about the state of mind + preference, in nats.")


def _lines(row: Mapping[str, Any], width: int) -> list[str]:
    """Return what a row of the table says, in lines of a width."""
    import textwrap

    from ddax.metacognition.matrices import ACTIONS, STATES

    room, deep = max(20, width - 1), " " * 6
    belief = [f"{name.lower()} {p:.2f}" for name, p in zip(STATES, row["belief"], strict=True)]
    values = [f"{name.lower()} {_value(row, k)}" for k, name in enumerate(ACTIONS)]
    head = f"{row['step']}  {clean(row['idea'], 20)}  {row['observation']} → {row['action']}"
    lines = textwrap.wrap(head, room, initial_indent="  ", subsequent_indent=deep)
    for part in ("; ".join(belief), "; ".join(values), f"because {clean(row['reason'], 80)}"):
        lines += textwrap.wrap(part, room, initial_indent=deep, subsequent_indent=deep + "  ")
    return lines


def _print_table(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the moods as a table; the chosen action's row says what it was valued for."""
    from rich.console import Console
    from rich.table import Table

    from ddax.metacognition.matrices import ACTIONS, STATES

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("step", "idea", "observation", *(s.lower() for s in STATES), "action"):
        table.add_column(name, justify="right" if name == "step" or name.upper() in STATES else "left")
    for name in ACTIONS:
        table.add_column(name.lower(), justify="right")
    table.add_column("because", overflow="fold")
    for row in rows:
        values = [_value(row, k) for k in range(len(ACTIONS))]
        table.add_row(
            str(row["step"]), clean(row["idea"], 20), str(row["observation"]),
            *(f"{p:.2f}" for p in row["belief"]), str(row["action"]), *values, clean(row["reason"], 80),
        )  # fmt: skip
    width = None if sys.stdout.isatty() else 200
    console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False, width=width)
    console.print(table)


def _value(row: Mapping[str, Any], k: int) -> str:
    information, preference = row["terms"][k]
    return f"{row['efe'][k]:.2f} = {information:.2f}{preference:+.2f}"

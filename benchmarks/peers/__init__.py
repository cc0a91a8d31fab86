"""Side by side with what else there is: every peer as published, in its own environment, one model for all.

Each part starts the peers one after the other against the same server with the same script and latency.
What a peer cannot do, or could not be made to do, is told with the reason.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from benchmarks.core import Figure, Options, Result, Target, last, spoken
from benchmarks.peers.driving import OURS

if TYPE_CHECKING:
    from benchmarks.peers.rows import Part

NAME = "peers"
DESCRIPTION = (
    "ours beside LangGraph, smolagents, tree- and graph-of-thoughts, TreeQuest and others, one server"
)
DATA = ("game24_dev.csv", "hotpot_dev.jsonl")
"""Files that the parts read."""
SCRIPT = "benchmarks.peers.script:reply"
FAIR = (
    "the same for all: machine, model server, script, documents, questions, latency; a peer is as the index "
    "has it and runs alone, by its own defaults where a note says nothing else; an error is told as an error "
    "and is no zero; an interval is from the least to the largest value, and at least a fifth of "
    "the median either way for what is time, a tenth for memory, bytes and quotients of times; "
    "gpt-researcher, mem0, OpenEvolve and pymdp take part in what they are made for alone"
)


def run(options: Options) -> Result:
    """Run every part, and draw the table."""
    from benchmarks import plots
    from benchmarks.pace import pace
    from benchmarks.peers.pictures import pictures

    for file in DATA:  # what is missing is told before the first part, which takes minutes
        options.file(file)
    figures, notes, took, paces = [], [], dict[str, float](), [pace()]
    for name, part in parts(options):
        print(f"peers: {name}{_about(name, options)}", file=sys.stderr, flush=True)
        began, found = time.perf_counter(), part()
        took[name] = round(time.perf_counter() - began, 1)
        paces.append(pace())
        figures += [row.figure() for row in found.rows]
        notes += [f"{name}: {note}" for note in found.notes]
        notes += [f"{name}: not measured: {line}" for line in reasons(found.missing)]
        if OURS in found.missing:
            figures.append(Figure(f"{name}: {OURS} came to an end", 0.0, "", Target(">=", 1)))
    notes += [FAIR, f"peers as published: {installed()}"]
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    notes.append(f"load average at the end (1, 5, 15 minutes): {load}")
    notes.append(
        f"pace of the machine between the parts: {1000 * min(paces):.0f} to {1000 * max(paces):.0f} ms for "
        "one fixed piece of work"
    )
    notes.append(plots.write(NAME, pictures([asdict(figure) for figure in figures])))
    return Result(
        NAME,
        tuple(figures),
        (options.seed,),
        repetitions(options),
        tuple(notes),
        {"parts": took, "pace": paces},
    )


def _about(part: str, options: Options) -> str:
    """Return how long a part took when it was last kept in this form, in words."""
    about = last(NAME)
    seconds = about.get("parts", {}).get(part) if about.get("quick") is options.quick else None
    return "" if seconds is None else f", about {spoken(seconds)}"


def reasons(missing: Mapping[str, str]) -> list[str]:
    """Return one line for each reason, with the peers it holds for."""
    said: dict[str, list[str]] = {}
    for peer, why in missing.items():
        said.setdefault(why, []).append(peer)
    return [f"{', '.join(peers)}: {why}" for why, peers in said.items()]


def installed() -> str:
    """Return the versions of the peers in words; one that could not be installed says so."""
    from benchmarks.peers import environments

    found: dict[str, str] = {}
    for name in environments.WANTED:
        try:
            held = environments.versions(name)
        except environments.NotInstalled as error:
            found[name] = f"not installed ({error})"
        else:
            found |= {package: number for package, number in held.items() if package != "python"}
    return ", ".join(f"{package} {number}" for package, number in sorted(found.items()))


def repetitions(options: Options) -> int:
    """Return how often each timed run is repeated."""
    return 2 if options.quick else 7


def parts(options: Options) -> Iterator[tuple[str, Callable[[], Part]]]:
    """Give the parts in order, each with its name; one server serves them all."""
    from benchmarks.model_server import model_server
    from benchmarks.peers import crash, dag, game, hotpot, injection, memories, others, research

    os.environ[research.DATA] = str(options.data or "")

    with model_server(SCRIPT) as served:
        yield (
            "(g) DAG",
            lambda: dag.run(
                served, repetitions=repetitions(options), latency=dag.QUICK if options.quick else dag.LATENCY
            ),
        )
        yield "(e) crash", lambda: crash.run(served, repetitions=1 if options.quick else 3)
        yield "(f) injection", lambda: injection.run(served)
        yield "(b) Game of 24", lambda: game.run(served, options)
        yield "(a) research", lambda: hotpot.run(served, options)
        yield "(d) memories", lambda: memories.run(served, options)
        yield "(c) repair", lambda: others.repair(options)
        yield "controllers", lambda: others.controllers(options)

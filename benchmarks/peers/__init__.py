"""Side by side with what else there is: every peer as published, in its own environment, one model for all.

Each part starts the peers one after the other against the same server with the same script and latency.
What a peer cannot do, or could not be made to do, is told with the reason.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from benchmarks.core import Options, Result

if TYPE_CHECKING:
    from benchmarks.peers.rows import Part

NAME = "peers"
DESCRIPTION = (
    "ours beside LangGraph, smolagents, tree- and graph-of-thoughts, TreeQuest and others, one server"
)
SCRIPT = "benchmarks.peers.script:reply"


def run(options: Options) -> Result:
    """Run every part."""
    figures, notes, missing = [], [], {}
    for name, part in parts(options):
        print(f"peers: {name}", file=sys.stderr, flush=True)
        found = part()
        figures += [row.figure() for row in found.rows]
        notes += [f"{name}: {note}" for note in found.notes]
        missing |= {f"{name}, {peer}": why for peer, why in found.missing.items()}
    notes += [f"not measured: {what}: {why}" for what, why in missing.items()]
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    notes.append(f"load average at the end (1, 5, 15 minutes): {load}")
    return Result(NAME, tuple(figures), (options.seed,), repetitions(options), tuple(notes))


def repetitions(options: Options) -> int:
    """Return how often each timed run is repeated."""
    return 2 if options.quick else 7


def parts(options: Options) -> Iterator[tuple[str, Callable[[], Part]]]:
    """Give the parts in order, each with its name; one server serves them all."""
    from benchmarks.model_server import model_server
    from benchmarks.peers import crash, dag

    with model_server(SCRIPT) as served:
        yield (
            "(g) DAG",
            lambda: dag.run(
                served, repetitions=repetitions(options), latency=dag.QUICK if options.quick else dag.LATENCY
            ),
        )
        yield "(e) crash", lambda: crash.run(served, repetitions=1 if options.quick else 3)

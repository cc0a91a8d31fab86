"""Memories written and asked for, with the same vectors from the same server."""

from __future__ import annotations

from statistics import median

from benchmarks.core import Options
from benchmarks.model_server import VECTOR, Served
from benchmarks.peers import driving
from benchmarks.peers.driving import OURS, Peer, each_of, once
from benchmarks.peers.rows import Measure, Part, rows_of
from benchmarks.peers.script import THINGS

COUNT, QUICK, QUERIES = 10_000, 500, 100
TIMES = 3
"""How often all of it is done, each time from nothing."""
PEERS = (Peer(OURS, "ddax"), Peer("mem0", "mem0", "mem0"))
OTHERS = tuple(peer for peer in driving.PEERS if peer.name != OURS)
LIMIT = 1800.0
"""Seconds one run may take."""

WRITES = Measure("memories: written a second", "1/s", "higher")
QUERY = Measure("memories: one query, median", "ms", "lower")
FIRST = Measure("memories: queries that find their memory first", "share", "higher")
DISK = Measure("memories: on disk, for a memory", "KB", "lower")
PEAK = Measure("memories: peak memory", "MB", "lower")


def run(served: Served, options: Options) -> Part:
    """Write and ask."""
    count = QUICK if options.quick else COUNT
    texts = [text_of(n) for n in range(count)]
    asked = [n * count // QUERIES for n in range(QUERIES)]
    missing = {peer.name: "keeps nothing from one task to the next by itself" for peer in OTHERS}
    served.clear(0.0)
    given = {"texts": texts, "asked": asked, "dim": VECTOR}
    found = each_of(
        PEERS,
        lambda peer: [once(peer, "memories", served, limit=LIMIT, warm=False, **given) for _ in range(TIMES)],
        missing,
    )
    measures = {
        WRITES: lambda one: count / one.row["wrote"],
        QUERY: lambda one: 1000 * median(one.row["took"]),
        FIRST: lambda one: one.row["right"] / len(asked),
        DISK: lambda one: one.disk / 1024 / count,
        PEAK: lambda one: one.row["peak_mb"],
    }
    note = (
        f"{count} texts, {len(asked)} queries; the server makes the vectors for both: mem0 (qdrant on "
        "disk, texts kept as they are) asks for one vector a text, ours for a batch, and both wait for "
        "it within these times"
    )
    return Part(list(rows_of(found, measures)), (note,), missing)


def text_of(number: int) -> str:
    """Return a text that no other number has."""
    house, seer = number * 7919 % 100_003, THINGS[number * 31 % 64]
    return f"note {number}: the {THINGS[number % 64]} of house {house} were seen by {seer}"

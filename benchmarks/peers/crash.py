"""A run is killed in the middle and started again in the same folder: what was answered, and is paid twice.

The kill falls while calls are in flight, well after the last answer, so that whoever keeps answers had
the time to. A call that was in flight at the kill is nobody's loss and is not counted.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.core import Target
from benchmarks.model_server import Served
from benchmarks.peers.driving import PEERS, Failed, Found, Peer, each_of, read, started
from benchmarks.peers.rows import Measure, Part, rows_of

LEAVES, AT_ONCE, ANSWERED = 16, 4, 8
LATENCY = 0.6
QUIET = 0.3
"""Seconds from the last answer to the kill."""
WAIT = 90.0

LIMITED = Peer("LangGraph, bare loop, max_concurrency", "langgraph_loop", "langgraph")
TASKS = {LIMITED.name: "saved_with_its_limit"}
"""Tasks that are not called `saved`."""

LOST = Measure(
    f"crash in {LEAVES} leaves: answered calls that are made again", "calls", "lower", Target("<=", 0),
    "worst",
)  # fmt: skip
SHARE = Measure(f"crash in {LEAVES} leaves: share of the answered calls kept", "share", "higher")
ENDED = Measure(
    f"crash in {LEAVES} leaves: ends with an answer, every leaf asked", "share", "higher", Target(">=", 1),
    "worst",
)  # fmt: skip


def run(served: Served, *, repetitions: int, peers: Sequence[Peer] = (*PEERS, LIMITED)) -> Part:
    """Kill and continue each peer."""
    missing: dict[str, str] = {}
    served.clear(LATENCY)

    def crashes(peer: Peer) -> list[tuple[int, int, bool]]:
        return [_crash(peer, served, TASKS.get(peer.name, "saved")) for _ in range(repetitions)]

    found = each_of(peers, crashes, missing)
    measures = {
        LOST: lambda one: float(one[1]),
        SHARE: lambda one: 1 - one[1] / one[0],
        ENDED: lambda one: float(one[2]),
    }
    note = (
        f"killed (SIGKILL) {QUIET:g} s after at least {ANSWERED} of {LEAVES} leaves were answered, "
        f"{AT_ONCE} at a time; LangGraph with its SQLite saver and durability sync; smolagents, "
        "tree-of-thoughts, graph-of-thoughts and TreeQuest keep nothing within a task that a new "
        "process could go on from"
    )
    return Part(list(rows_of(found, measures)), (note,), missing)


def _crash(peer: Peer, served: Served, task: str) -> tuple[int, int, bool]:
    """Return how many calls were answered before the kill, how many of them were made again, and the end."""
    with tempfile.TemporaryDirectory(prefix="ddax-peer-") as place:
        served.clear()
        given = {"base": served.base, "place": place, "leaves": LEAVES, "parallel": AT_ONCE, "warm": False}
        with started(peer, task, given) as child:
            _until_answered(peer, served, child)
            child.kill()
            child.wait()
        killed = time.perf_counter()
        with started(peer, task, given) as child:
            out, err = child.communicate(timeout=WAIT)
        after = read(peer, out, err, served, Path(place) / "run")
    return repeated(after, killed)


def _until_answered(peer: Peer, served: Served, child: subprocess.Popen[str]) -> None:
    """Wait until enough leaves are answered and the last answer is some time ago, with calls in flight."""
    begun = time.perf_counter()
    while time.perf_counter() - begun < WAIT:
        calls = served.books()["calls"]
        answered = [c for c in calls if c["kind"] == "leaf"]
        if len(answered) >= ANSWERED and time.perf_counter() - calls[-1]["end"] >= QUIET:
            return
        if child.poll() is not None:
            raise Failed(f"{peer.name} ended before it could be killed: {child.communicate()[1][-600:]}")
        time.sleep(0.02)
    raise Failed(f"{peer.name} did not answer {ANSWERED} leaves within {WAIT:.0f} s")


def repeated(found: Found, killed: float) -> tuple[int, int, bool]:
    """Count from the books; the clock of the server is that of this machine."""
    before = {c["key"] for c in found.calls if c["end"] <= killed}
    again = [c for c in found.calls if c["start"] > killed and c["key"] in before]
    asked = {c["key"] for c in found.calls if c["kind"] == "leaf"}
    return len(before), len(again), len(asked) == LEAVES and bool(str(found.row.get("answer", "")))

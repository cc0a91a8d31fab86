"""The same DAG for all: a plan, so many leaves with one model call each, and what puts them together.

The critical path is what the model's latency alone makes of it: three calls one after the other (two where
a framework has nothing that puts together, one where its user plans).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.core import Target
from benchmarks.model_server import Served
from benchmarks.peers.driving import CREATE_AGENT, DEEP_AGENT, OURS, PEERS, Failed, Found, Peer, once
from benchmarks.peers.rows import Measure, Part, rows_of

LEAVES, FEW = 64, 5
LATENCY, QUICK = 1.0, 0.5
"""Seconds of a model call."""
LEVELS = 3
FOREIGN = ("embedding_cpu", "support_cpu")
"""What is told apart from the framework: the time in models of ours that run in the process."""
TASK = f"DAG of {LEAVES} leaves"

PATH = Measure(f"{TASK}: wall time, of the critical path", "×", "lower", Target("<=", 1.1))
OVERLAP = Measure(f"{TASK}: leaves in flight, of {LEAVES}", "×", "higher", Target(">=", 0.9 * LEAVES))
BRANCHING = Measure(f"{FEW} leaves: in flight, of {FEW}", "×", "higher", Target(">=", 0.9 * FEW))
CPU = Measure(f"{TASK}: framework CPU a model call", "ms", "lower", Target("<=", 3.0))
MORE = Measure(f"{TASK} against {FEW}: framework CPU a leaf more", "ms", "lower", Target("<=", 3.0))
FIXED = Measure(
    f"{TASK} against {FEW}: framework CPU of a run beside its leaves", "ms", "lower", Target("<=", 90.0)
)
EMBEDDING = Measure(f"{TASK}: CPU of embedding a model call", "ms", "")
SUPPORT = Measure(f"{TASK}: CPU of the support check a model call", "ms", "")
TOTAL = Measure(f"{TASK}: CPU a model call, everything", "ms")
BEYOND = Measure(f"{TASK}: wall time with no call in flight", "s")
CALLS = Measure(f"{TASK}: model calls", "", "lower")
TOKENS = Measure(f"{TASK}: tokens", "", "lower")
CACHEABLE = Measure(f"{TASK}: share of the tokens sent that a provider may have cached", "")
WHOLE_CALLS = Measure(
    f"{TASK}, short results put together whole: model calls", "", "lower", Target("<=", 4.0)
)
WHOLE_TOKENS = Measure(
    f"{TASK}, short results put together whole: tokens", "", "lower", Target("<=", 10_000.0)
)
PEAK = Measure(f"{TASK}: peak memory", "MB")
DISK = Measure(f"{TASK}: bytes on disk", "KB")
IMPORT = Measure("import", "s")
FIRST = Measure("first task, with two leaves, after import: start and two or three calls", "s")


def run(
    served: Served, *, repetitions: int, latency: float = LATENCY, leaves: int = LEAVES,
    peers: Sequence[Peer] = (*PEERS, CREATE_AGENT, DEEP_AGENT),
) -> Part:  # fmt: skip
    """Run the DAG with many and with few leaves; a peer that fails is told with its last words.

    A peer that makes one call at a time is run less often: its time is its calls times the latency.
    """
    many: dict[str, list[Found]] = {}
    few: dict[str, list[Found]] = {}
    missing: dict[str, str] = {}
    served.clear(0.0)
    for peer in peers:  # the first start of all reads the peer from the disk, which none of the others does
        _tried(peer, served, 2, missing)
    served.clear(latency)
    for turn in range(repetitions):  # in turn, so that a busy minute of the machine hits all alike
        for peer in peers:
            if peer.serial and turn >= max(1, repetitions // 3):
                continue
            for found, count in ((many, leaves), (few, FEW)):
                found.setdefault(peer.name, []).extend(_tried(peer, served, count, missing))
    measures = {PATH: lambda f: path(f, latency), **MEASURES}
    starts = {name: [*runs, *few.get(name, ())] for name, runs in many.items()}
    rows = [*rows_of(many, measures), *rows_of(few, {BRANCHING: overlap}), *rows_of(starts, STARTS)]
    pairs = {name: list(zip(runs, few.get(name, ()), strict=False)) for name, runs in many.items()}
    rows += rows_of(
        pairs, {MORE: lambda p: slope(p[0], p[1], leaves), FIXED: lambda p: fixed(p[0], p[1], leaves)}
    )
    ours = [peer for peer in peers if peer.name == OURS]
    rows += rows_of(
        {peer.name: _tried(peer, served, leaves, missing, task="whole") for peer in ours},
        {WHOLE_CALLS: MEASURES[CALLS], WHOLE_TOKENS: MEASURES[TOKENS]},
    )
    return Part(rows, _notes(leaves, latency), missing)


def _tried(
    peer: Peer, served: Served, leaves: int, missing: dict[str, str], *, task: str = "leaves"
) -> list[Found]:
    """Return what a run of a peer found, nothing where one failed; why is told in `missing`."""
    if peer.name in missing:
        return []
    try:
        return [once(peer, task, served, leaves=leaves)]
    except (Failed, OSError) as error:
        missing[peer.name] = f"error: {error}"
        return []


def _notes(leaves: int, latency: float) -> tuple[str, ...]:
    return (
        f"every model call takes {latency:g} s; the critical path of the {leaves} leaves is {LEVELS} "
        "calls for those who plan and put together, 2 for tree-of-thoughts (it puts nothing together), "
        "1 for TreeQuest (its user plans)",
        "ours values outcomes, with a model where a value can change what is next, reflects and saves every "
        "step; no peer does any of it in this task; all calls count",
        "tokens: four characters each, the schemas of tools and replies among them, as they are billed",
        "what may be cached: the tokens that begin like those of a call answered before, from 1,024 on in "
        "steps of 128, as OpenAI counts them; forms come before messages",
        "CPU: user and system time of the process over the task, after a warm-up with two leaves whose "
        "garbage is collected, by the calls; the model runs in a process of its own",
        f"a leaf more: the difference of a run with {leaves} leaves and the one with {FEW} beside it, by "
        "the leaves between them; what is left of a run when its leaves are taken off is its fixed cost",
    )


def _leaf_calls(found: Found) -> list[Mapping[str, float]]:
    return [call for call in found.calls if call["kind"] == "leaf"]


def overlap(found: Found) -> float | None:
    """Return how many leaves were in flight on average, from the first asked to the last answered."""
    calls = _leaf_calls(found)
    if not calls:
        return None
    busy = sum(call["end"] - call["start"] for call in calls)
    return busy / (max(c["end"] for c in calls) - min(c["start"] for c in calls))


def beyond(found: Found) -> float:
    """Return the seconds in which no call was in flight."""
    covered, until = 0.0, 0.0
    for call in sorted(found.calls, key=lambda c: c["start"]):
        covered += max(0.0, call["end"] - max(call["start"], until))
        until = max(until, call["end"])
    return max(0.0, float(found.row["seconds"]) - covered)


def path(found: Found, latency: float) -> float:
    """Return the wall time by what the latency of the levels alone takes."""
    return float(found.row["seconds"]) / (int(found.row.get("levels", LEVELS)) * latency)


def _cpu(found: Found, *, without: Sequence[str] = ()) -> float:
    seconds = found.row["cpu"] - sum(found.row.get(name, 0.0) for name in without)
    return 1000 * float(seconds) / len(found.calls)


def slope(many: Found, few: Found, leaves: int) -> float:
    """Return the milliseconds of framework CPU that a leaf more takes."""
    return (_whole(many) - _whole(few)) / (leaves - FEW)


def fixed(many: Found, few: Found, leaves: int) -> float:
    """Return the milliseconds of framework CPU that a run takes whatever its leaves."""
    return _whole(few) - FEW * slope(many, few, leaves)


def _whole(found: Found) -> float:
    return _cpu(found, without=FOREIGN) * len(found.calls)


def _named(found: Found, name: str) -> float | None:
    return 1000 * float(found.row[name]) / len(found.calls) if name in found.row else None


MEASURES = {
    OVERLAP: overlap,
    CPU: lambda f: _cpu(f, without=FOREIGN),
    EMBEDDING: lambda f: _named(f, "embedding_cpu"),
    SUPPORT: lambda f: _named(f, "support_cpu"),
    TOTAL: _cpu,
    BEYOND: beyond,
    CALLS: lambda f: float(len(f.calls)),
    TOKENS: lambda f: float(sum(c["tokens_in"] + c["tokens_out"] for c in f.calls)),
    CACHEABLE: lambda f: sum(c["cacheable"] for c in f.calls) / max(1, sum(c["tokens_in"] for c in f.calls)),
    PEAK: lambda f: f.row["peak_mb"],
    DISK: lambda f: f.disk / 1024,
}
STARTS = {IMPORT: lambda f: f.row["imported"], FIRST: lambda f: f.row["first"]}
"""What is measured at each start, whatever task comes behind it."""

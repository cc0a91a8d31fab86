"""How a thread stands: what its manifest says, whether a process runs it, and what its checkpoints hold.

The one place that says so, for the agent, the command line and the viewer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ddax.errors import StateError, StorageError, UsageError
from ddax.graph.results import RunResult, result_of
from ddax.graph.savers.held import lent
from ddax.graph.threads.manifests import INTERRUPTED, OVER, UNFINISHED, RunInfo
from ddax.graph.threads.snapshots import checkpoint_of, newest, unclaimed, whole

if TYPE_CHECKING:
    from pathlib import Path

    from ddax.graph.savers.pruning import Store
    from ddax.memory.home import Home

DUE = "branch:to:"
"""What LangGraph puts before the name of a node that is next, in a checkpoint."""


def standing(info: RunInfo, home: Home, state: Mapping[str, Any] | None = None) -> RunInfo:
    """Return a manifest as its thread stands: one that no live process runs any more was interrupted.

    A manifest counts steps and ideas where a run stops, so those of one that did not are taken from
    `state`, the newest values of the thread, where it is given.
    """
    if info.status != "running":
        return info
    from ddax.memory.home import thread_owner

    status = "running" if thread_owner(home, info.thread_id) else INTERRUPTED
    return replace(info, status=status, **_counts(info, state or {}))


async def counted(graph: Any, config: Any, info: RunInfo, path: Path) -> dict[str, Any]:
    """Return the steps and ideas of the newest state; nothing where the checkpoints cannot be read."""
    try:
        return _counts(info, (await newest(graph, config, info, path)).values)
    except (StateError, StorageError):
        return {}


async def followed(graph: Any, store: Store, config: Any, info: RunInfo | None, path: Path) -> str:
    """Return the checkpoint that a new task of a thread goes on from, "" for the first one.

    Raises UsageError where the thread, which nobody runs, is not at its end or is one of another home,
    StateError where it is damaged.
    """
    thread = str(config["configurable"]["thread_id"])
    if info is None:
        mend = "Take another name (--thread NAME), or set DDAX_HOME to the home it was begun in."
        await unclaimed(store, thread, mend=mend)
        return ""
    if info.resumable:
        status = INTERRUPTED if info.status == "running" else info.status
        raise UsageError(
            f"thread {thread!r} is not finished ({status}).",
            why="A follow-up needs the end of what was asked before.",
            mend=f"Continue it: ddax resume {thread}",
        )
    await whole(store, thread, path)
    with lent():
        return checkpoint_of(await newest(graph, config, info, path))


def _counts(info: RunInfo, state: Mapping[str, Any]) -> dict[str, Any]:
    if not state or info.checkpoint_id in ("", info.before):  # it is that of the task before
        return {}
    found = result_of(info.thread_id, dict(state))
    return {"steps": found["steps"], "ideas": found["ideas"]}


async def of_this_graph(graph: Any, state: Any, thread: str) -> None:
    """Raise UsageError where a thread waits at a node that this graph has not: it would never go on."""
    kept = await graph.checkpointer.aget_tuple(state.config)
    waits = kept.checkpoint["channel_values"] if kept is not None else ()
    due = sorted(channel.removeprefix(DUE) for channel in waits if channel.startswith(DUE))
    foreign = [node for node in due if node not in graph.nodes]
    if foreign:
        raise UsageError(
            f"thread {thread!r} waits at the node {foreign[0]!r}, which this graph has not.",
            why="It was run from Python, with a graph of its own.",
            mend="Resume it there, with the same `build`: open_agent(..., build=...), then"
            f" `await agent.resume({thread!r})`.",
        )


def refuse_without(info: RunInfo, own: Mapping[str, Any]) -> None:
    """Raise UsageError where a thread was given documents or a retriever, and this agent is given none."""
    lacks = [name for name in ("documents", "retriever") if name in info.own and name not in own]
    if lacks and info.resumable:
        raise UsageError(
            f"thread {info.thread_id!r} was given {' and '.join(lacks)} in Python.",
            why="Without them it would go on as if nothing were there to read.",
            mend=f"Resume it there: open_agent({', '.join(f'{name}=...' for name in lacks)}), then"
            f" `await agent.resume({info.thread_id!r})`.",
        )


def as_noted(result: RunResult, info: RunInfo) -> RunResult:
    """Give a result of checkpoints the status of its thread: they do not know of a cancel or a kill.

    Nor does a manifest know that LangGraph has gone on with a thread that waited.
    """
    if result["status"] == info.status or (info.status == "waiting" and result["status"] in OVER):
        return result
    noted = RunResult(**{**result, "status": info.status, "stop_reason": info.stop_reason})
    if info.status not in UNFINISHED:
        noted["question"] = None
    return noted

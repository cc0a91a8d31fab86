"""How a run ends: what it came to is told, and its manifest says so."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from ddax.graph.results import RunResult, result_of
from ddax.graph.savers.held import lent
from ddax.graph.threads.manifests import INTERRUPTED, RunFolder
from ddax.graph.threads.snapshots import checkpoint_of, unanswered
from ddax.ideas import dag
from ddax.memory.store.migrations import sqlite_errors

if TYPE_CHECKING:
    from ddax.memory.home import Home


async def settle(
    graph: Any, runs: RunFolder, home: Home, *, thread: str, config: Any, stopped: str, now: float
) -> RunResult:
    """Return the result of a run that ended, and note it; `stopped` is why it was asked to, "" where not."""
    with sqlite_errors(home.checkpoints), lent():
        state = await unanswered(graph, await graph.aget_state(config))
    result = result_of(thread, state.values, tuple(state.interrupts))
    if stopped:
        result["stop_reason"] = stopped
        result["status"] = stopped if stopped == INTERRUPTED else "stopped"
    # A manifest says what was begun and not ended; `standing` tells whether anybody is at it.
    status = "running" if result["status"] == INTERRUPTED else result["status"]
    await asyncio.to_thread(
        runs.update, thread, updated=now, status=status, stop_reason=result["stop_reason"],
        steps=result["steps"], ideas=result["ideas"], digest=dag.digest(state.values.get("ideas", {})),
        checkpoint_id=checkpoint_of(state),
    )  # fmt: skip
    return result

"""What a snapshot of a thread says about where it stands, and how it goes on with an answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from langgraph.checkpoint.serde.types import RESUME
from langgraph.types import Command

from ddax.errors import StateError, UsageError
from ddax.graph.results import fitting_answer
from ddax.graph.savers.sealing import checkpoint_errors, damaged

if TYPE_CHECKING:
    from ddax.graph.savers.pruning import Store
    from ddax.graph.threads.manifests import RunFolder, RunInfo

CALLER = str(UUID(int=0))
"""The task by which LangGraph files what a caller, and no node, has written."""


async def newest(graph: Any, config: Any, info: RunInfo, path: Path) -> Any:
    """Return the newest state; raises StateError where the manifest knows more than the store."""
    with checkpoint_errors(path):
        state = await unanswered(graph, await graph.aget_state(config))
    if not state.values and info.checkpoint_id:
        raise gone(info)
    return state


def gone(info: RunInfo) -> StateError:
    """Return the error for a thread whose manifest knows of checkpoints that are not there."""
    if saver := info.own.get("checkpointer"):
        return StateError(
            f"the checkpoints of thread {info.thread_id!r} are not in this home.",
            why=f"It was run from Python with a checkpointer of its own, {saver}.",
            mend="Open it there: open_agent(checkpointer=...), then"
            f" `await agent.resume({info.thread_id!r})`.",
        )
    what = f"the checkpoints of thread {info.thread_id!r} are gone."
    return damaged(f"The run had come to step {info.steps}.", what=what, left=False)


@asynccontextmanager
async def noting(store: Store, runs: RunFolder, config: Any) -> AsyncIterator[Callable[[], None]]:
    """Give what notes in a manifest, once and beside the run, that its thread has checkpoints.

    So it is seen at a resume where they are lost.
    """
    begun: list[asyncio.Task[None]] = []

    async def note() -> None:
        kept = await store.aget_tuple(config)
        if kept is not None:
            place = kept.config["configurable"]
            changes = {"checkpoint_id": place["checkpoint_id"]}
            await asyncio.to_thread(runs.update, place["thread_id"], **changes)

    try:
        yield lambda: None if begun else begun.append(asyncio.create_task(note()))
    finally:
        # What ended the run is told, not this: the manifest is written again at the end, and fails there too.
        for failed in await asyncio.gather(*begun, return_exceptions=True):
            if failed is not None:
                logging.getLogger("ddax").warning("the manifest could not be written: %s", failed)


@asynccontextmanager
async def heeding(
    runs: RunFolder, thread: str, stop: Callable[[], None]
) -> AsyncIterator[Callable[[], None]]:
    """Give what has somebody look, beside the run, whether its thread was asked to stop.

    There is one look at a time: what is asked for meanwhile is one more look.
    """
    wanted = asyncio.Event()

    async def look() -> None:
        while await wanted.wait():
            wanted.clear()
            if await asyncio.to_thread(runs.cancelled, thread):
                stop()

    looking = asyncio.create_task(look(), name="ddax-heed")
    try:
        yield wanted.set
    finally:
        looking.cancel()
        await asyncio.wait([looking])


@asynccontextmanager
async def attended(
    store: Store, runs: RunFolder, config: Any, stop: Callable[[], None]
) -> AsyncIterator[Callable[[], None]]:
    """Give what is to be called at each event of a run: it notes, and has somebody look whether to stop."""
    thread = config["configurable"]["thread_id"]
    async with noting(store, runs, config) as note, heeding(runs, thread, stop) as heed:

        def attend() -> None:
            note()
            heed()

        yield attend


async def whole(store: Store, thread: str, path: Path, *, rewind: bool = False) -> None:
    """Raise StateError where a thread is not as it was written; with `rewind` go back to what is whole."""
    with checkpoint_errors(path):
        found = await store.check(thread)
        if found.fault and rewind and found.last_good:
            await store.rewind(thread, found.last_good)
            found = await store.check(thread)
    if found.fault:
        what = f"the checkpoints of thread {thread!r} are damaged."
        raise damaged(found.fault, what=what, left=bool(found.last_good))


async def unclaimed(store: Store, thread: str, *, mend: str) -> None:
    """Raise UsageError where another home has a thread of this name, in a store that homes share.

    A home has a manifest of every thread it began; this is asked of a name it has none of.
    """
    if not store.shared or await store.aget_tuple({"configurable": {"thread_id": thread}}) is None:
        return
    raise UsageError(
        f"thread {thread!r} is one of another home.",
        why="The Postgres of DDAX_CHECKPOINTS holds it, and this home has no record of it.",
        mend=mend,
    )


async def unanswered(graph: Any, state: Any) -> Any:
    """Return a snapshot without the question that has been answered in a run that ended before it went on.

    The answer is a pending write of the checkpoint, which the next run of the thread finds by itself. One
    that its node has taken and did not go on with is answered: what waits now was asked after it.
    """
    if not state.interrupts:
        return state
    kept = await graph.checkpointer.aget_tuple(state.config)
    writes = [write for write in (kept.pending_writes if kept else None) or () if write[1] == RESUME]
    given = [value for task, _, value in writes if task == CALLER]
    taken = [value[-1] for task, _, value in writes if task != CALLER and isinstance(value, list) and value]
    return state._replace(interrupts=()) if given and given[-1] not in taken else state


def cut_short(state: Any) -> bool:
    """Tell whether a task was cancelled between its values and its choice of what is next.

    LangGraph takes such a task for a finished one, and the thread would end there without a word.
    """
    return any(task.error is not None and task.result for task in state.tasks)


def checkpoint_of(state: Any) -> str:
    """Return the id of the checkpoint a snapshot shows; "" where there is none."""
    return str(state.config.get("configurable", {}).get("checkpoint_id", ""))


def answered(state: Any, answer: Any, thread: str) -> Command[Any] | None:
    """Return the command that resumes a waiting thread with an answer that fits; None without an answer.

    What an own node asks takes any answer. Raises UsageError where the thread waits for none, or it does
    not fit.
    """
    from ddax.steps.leaves.human_answers import HumanAnswer

    if answer is None:
        return None
    if not state.interrupts:
        raise UsageError(
            f"thread {thread!r} waits for no answer.",
            why="It has put no question, or the question is answered.",
            mend=f"See how it stands: ddax show {thread}",
        )
    first = state.interrupts[0]
    ours = (first.response_schema or {}).get("title") == HumanAnswer.__name__
    given = fitting_answer(answer, first.value) if ours else answer
    return Command(resume={first.id: given} if len(state.interrupts) > 1 else given)

"""How an agent is entered and left, and what is told of one that is not open."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ddax.errors import UsageError

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

    from ddax.configs.settings import Context
    from ddax.graph.threads.manifests import RunInfo

HELD = frozenset({"graph", "home", "runs", "services", "store"})
"""What an agent has while it is open."""
SUPERSTEPS_PER_STEP = 6
"""select, act, evaluate, rigidity, metacognition, and one to spare."""
GRACE = 2.0
"""Seconds that what runs has to reach its next superstep when the agent closes."""


class Going:
    """The runs of an open agent, each with the asyncio task that waits for it."""

    def __init__(self) -> None:
        self.closed = False
        self._ends: dict[asyncio.Future[None], asyncio.Task[Any]] = {}

    @contextmanager
    def one(self) -> Iterator[None]:
        """Count a run for the length of the block; raises UsageError where the agent closes already."""
        if self.closed:
            raise not_open()
        end, task = asyncio.get_running_loop().create_future(), asyncio.current_task()
        assert task is not None
        self._ends[end] = task
        try:
            yield
        finally:
            del self._ends[end]
            end.set_result(None)

    async def end(self) -> None:
        """Let nothing begin any more, and wait for what runs; after `GRACE` seconds it is cancelled."""
        self.closed = True
        if self._ends:
            await asyncio.wait(self._ends, timeout=GRACE)
        if self._ends:
            for task in {*self._ends.values()}:
                task.cancel()
            await asyncio.wait(self._ends)


def config_of(thread: str, context: Context) -> RunnableConfig:
    """Return how LangGraph is told a thread, with a recursion limit that the steps of a run never reach."""
    limit = SUPERSTEPS_PER_STEP * context.budget.max_steps + 20
    return {"configurable": {"thread_id": thread}, "recursion_limit": limit}


LISTENING = frozenset({"callbacks", "tags", "metadata", "run_name", "run_id"})
"""What a run may be given in its config."""


def heard_by(asked: RunnableConfig | None, config: Any) -> Any:
    """Return the config of a run with the callbacks, tags and metadata it is asked for.

    The thread and the limit of steps stay ours; raises UsageError where others are asked for.
    """
    if not asked:
        return config
    check_listening(asked)
    return {**config, **asked}


def check_listening(asked: object) -> None:
    """Refuse a config that says more than who listens; raises UsageError."""
    if not isinstance(asked, Mapping):
        raise UsageError(
            "A run is given a config that is none.",
            why=f"This is a {type(asked).__name__}.",
            mend='Give a mapping: config={"callbacks": [handler], "tags": ["nightly"]}',
        )
    unknown = sorted(set(asked) - LISTENING)
    if unknown:
        raise UsageError(
            f"A run is given {unknown[0]!r} in its config.",
            why="The agent sets the thread and its limits itself; callbacks, tags and metadata are yours.",
            mend="Leave it out; a thread is named by thread=..., limits by the settings.",
        )


def not_open() -> UsageError:
    """Return the error for the use of an agent outside of its block."""
    return UsageError(
        "the agent is not open.",
        why="Its home, its checkpoints and its memory are open inside its block alone.",
        mend="Use it inside: async with open_agent() as agent: ... (or `with`, in code without async).",
    )


def refuse_a_model(info: RunInfo, model: str | None, *, waiting: bool) -> None:
    """Refuse a model for a thread that has nothing to ask it; raises UsageError.

    One that died after its last checkpoint has only its result to be told.
    """
    if model is None or (info.status == "running" and not waiting):
        return
    thread = info.thread_id
    if waiting:
        why, mend = (
            "It waits for a human.",
            f"Answer with it: ddax resume {thread} --answer 'go on' --model {model}",
        )
    else:
        why, mend = "It is over.", f'Ask what comes next: ddax run --thread {thread} --model {model} "TASK"'
    raise UsageError(f"The thread {thread!r} asks no model now.", why=why, mend=mend)

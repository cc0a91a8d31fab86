"""A checkpointer that somebody brought: LangGraph writes to it as it is, and here is what ddax asks beside.

What lies there is not checked for damage and not cut down: that is for whoever runs it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NoReturn

from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

from ddax.errors import UsageError
from ddax.graph.savers.pruning import Store

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from langchain_core.runnables import RunnableConfig

ASKED = ("aput", "aput_writes", "aget_tuple", "alist")
"""What a run asks of a checkpointer; the nodes of ddax are async, and so are these."""


def check_saver(given: object) -> None:
    """Refuse what is no checkpointer, or one that cannot be awaited; raises UsageError."""
    if given is None:
        return
    if not isinstance(given, BaseCheckpointSaver):
        raise UsageError(
            "An agent is opened with a checkpointer that is none.",
            why=f"This is a {type(given).__name__}.",
            mend="Give a saver of LangGraph, opened: InMemorySaver(), or one from `async with"
            " AsyncSqliteSaver.from_conn_string(...) as saver`.",
        )
    kind = type(given)
    if lacks := [name for name in ASKED if getattr(kind, name) is getattr(BaseCheckpointSaver, name)]:
        raise UsageError(
            f"The checkpointer {kind.__name__} cannot be awaited.",
            why=f"It has no {', '.join(lacks)}, and the nodes of ddax are async.",
            mend=f"Take its async form: Async{kind.__name__}, or open_agent() without one, which keeps"
            " threads in the home.",
        )


class BroughtStore(Store):
    """What ddax asks of a checkpointer it was given; to write, LangGraph has that one itself."""

    def __init__(self, saver: BaseCheckpointSaver[Any]) -> None:
        super().__init__(serde=saver.serde)
        self.saver = saver

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a checkpoint, the newest where none is named."""
        return await self.saver.aget_tuple(config)

    async def alist(
        self, config: RunnableConfig | None, *, filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None, limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:  # fmt: skip
        """Yield checkpoints, newest first."""
        async for one in self.saver.alist(config, filter=filter, before=before, limit=limit):
            yield one

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete every checkpoint of a thread."""
        await self.saver.adelete_thread(thread_id)

    async def copy_until(self, source: str, target: str, until: str) -> None:
        """Copy the checkpoints of a thread up to an id ("" for all), the oldest first, with their writes."""
        found = [one async for one in self.saver.alist({"configurable": {"thread_id": source}})]
        for one in reversed(found):
            place = one.config["configurable"]
            if until and str(place["checkpoint_id"]) > until:
                continue
            there = {"thread_id": target, "checkpoint_ns": place.get("checkpoint_ns", "")}
            behind = one.parent_config["configurable"]["checkpoint_id"] if one.parent_config else None
            parent: Any = {"configurable": {**there, "checkpoint_id": behind}}
            versions = one.checkpoint["channel_versions"]
            made = await self.saver.aput(parent, one.checkpoint, one.metadata, versions)
            for task in dict.fromkeys(write[0] for write in one.pending_writes or ()):
                writes = [(key, value) for whose, key, value in one.pending_writes or () if whose == task]
                await self.saver.aput_writes(made, writes, task)

    async def forget(self, thread: str, ns: str, keep: Collection[str]) -> None:
        """Refuse to cut a thread down; raises UsageError."""
        self._refuse()

    async def detach(self, config: RunnableConfig) -> None:
        """Refuse to cut a thread down; raises UsageError."""
        self._refuse()

    async def threads_of(self, run_ids: Sequence[str]) -> list[str]:
        """Refuse to look for runs; raises UsageError."""
        self._refuse()

    async def size(self) -> int:
        """Refuse to measure; raises UsageError."""
        self._refuse()

    async def compact(self) -> None:
        """Refuse to compact; raises UsageError."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise UsageError(
            f"The checkpoints of a {type(self.saver).__name__} are not cut down by ddax.",
            why="It was brought: what it keeps, and for how long, is its owner's choice.",
            mend="Use its own means; the manifests of threads are in the folder `runs` of the home.",
        )


def opened(saver: BaseCheckpointSaver[Any]) -> AbstractAsyncContextManager[Store]:
    """Return a given checkpointer as a store; whoever gave it closes it."""
    return nullcontext(BroughtStore(saver))

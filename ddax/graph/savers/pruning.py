"""What our stores do beyond the usual: copy a thread, delete runs, prune, without losing an idea.

The ideas are stored as changes. A checkpoint whose ancestors go must hold them whole first,
otherwise they would come back empty, without an error.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, get_type_hints

from langgraph.channels import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

from ddax.graph.savers.sealing import Verdict
from ddax.graph.state import State

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

STRATEGIES = ("keep_latest", "delete")


@cache  # the type hints of the state are resolved anew at each call
def delta_channels() -> dict[str, DeltaChannel[Any]]:
    """Return the channels of the state that are stored as changes, by key."""
    hints = get_type_hints(State, include_extras=True)
    found = {key: getattr(hint, "__metadata__", ()) for key, hint in hints.items()}
    return {key: m for key, marks in found.items() for m in marks if isinstance(m, DeltaChannel)}


class Store(BaseCheckpointSaver[str]):
    """A saver that can forget; a base to be mixed in before one that stores."""

    shared: ClassVar[bool] = False
    """Whether several homes may keep their threads in it."""

    @abstractmethod
    async def forget(self, thread: str, ns: str, keep: Collection[str]) -> None:
        """Delete every checkpoint of a namespace but those, with their writes, at once."""

    @abstractmethod
    async def detach(self, config: RunnableConfig) -> None:
        """Cut a checkpoint from its parent."""

    @abstractmethod
    async def threads_of(self, run_ids: Sequence[str]) -> list[str]:
        """Return the threads in which runs left checkpoints."""

    @abstractmethod
    async def copy_until(self, source: str, target: str, until: str) -> None:
        """Copy the checkpoints of a thread up to an id ("" for all), with all they rest on."""

    @asynccontextmanager
    async def owned(self, thread: str) -> AsyncIterator[None]:
        """Own a thread against other machines; raises ThreadInUse. A file needs the home's lock alone."""
        yield

    async def check(self, thread: str) -> Verdict:
        """Tell whether a thread is as it was written. A server has checksums of its own; files have seals."""
        return Verdict()

    async def rewind(self, thread: str, to: str) -> None:
        """Delete what a thread has behind a checkpoint; a server has nothing to rewind."""

    @abstractmethod
    async def size(self) -> int:
        """Return the bytes the store takes."""

    @abstractmethod
    async def compact(self) -> None:
        """Give freed space back to the system."""

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Count the versions of channels: the usual 50 characters for each are a third of a checkpoint."""
        return 1 + (current or 0)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy every checkpoint of a thread to another."""
        await self.copy_until(source_thread_id, target_thread_id, "")

    async def aprune(
        self, thread_ids: Sequence[str], *, strategy: str = "keep_latest", keep: int = 1
    ) -> None:
        """Keep the newest `keep` checkpoints of each namespace of threads, or none with `delete`."""
        if strategy not in STRATEGIES:
            raise ValueError(f"unknown strategy {strategy!r}; there are {', '.join(STRATEGIES)}")
        for thread in thread_ids:
            if strategy == "delete":
                await self.adelete_thread(thread)
                continue
            for ns, found in (await self._by_namespace(thread)).items():
                await self._keep_only(thread, ns, found[:keep])

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints that runs left; what was built on them keeps its ideas."""
        gone = set(run_ids)
        for thread in await self.threads_of(run_ids):
            for ns, found in (await self._by_namespace(thread)).items():
                kept = [one for one in found if one.metadata.get("run_id") not in gone]
                await self._keep_only(thread, ns, kept)

    async def _by_namespace(self, thread: str) -> dict[str, list[CheckpointTuple]]:
        found: dict[str, list[CheckpointTuple]] = {}
        async for one in self.alist({"configurable": {"thread_id": thread}}):
            found.setdefault(one.config["configurable"].get("checkpoint_ns", ""), []).append(one)
        return found

    async def _keep_only(self, thread: str, ns: str, kept: Sequence[CheckpointTuple]) -> None:
        ids = {_id(one.config) for one in kept}
        for one in kept:
            if one.parent_config is not None and _id(one.parent_config) not in ids:
                await self._anchor(one)
        await self.forget(thread, ns, ids)

    async def _anchor(self, one: CheckpointTuple) -> None:
        """Store whole what a checkpoint holds as changes only, and cut it from its parent."""
        from langgraph.checkpoint.serde.types import _DeltaSnapshot

        versions, values = one.checkpoint["channel_versions"], dict(one.checkpoint["channel_values"])
        lacking = {k: c for k, c in delta_channels().items() if k in versions and k not in values}
        history = await self.aget_delta_channel_history(config=one.config, channels=list(lacking))
        for key, channel in lacking.items():
            empty = None if channel.typ is None else channel.typ()
            whole = channel.from_checkpoint(history[key].get("seed", empty))
            whole.replay_writes(history[key]["writes"])
            values[key] = _DeltaSnapshot(whole.get())
        if lacking:
            known = {"thread_id", "checkpoint_ns"}
            place: Any = {"configurable": {k: v for k, v in one.config["configurable"].items() if k in known}}
            checkpoint: Any = {**one.checkpoint, "channel_values": values}
            await self.aput(place, checkpoint, one.metadata, {key: versions[key] for key in lacking})
        await self.detach(one.config)


def _id(config: RunnableConfig) -> str:
    return str(config["configurable"]["checkpoint_id"])

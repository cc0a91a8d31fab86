"""One actor of a Ray cluster that has a seat at the memory of a batch, for runners on other nodes.

It stays on the node of the command, where its folder is, and lives as long as the command does. Where it
dies it is made anew from that folder, and what was asked of it meanwhile is asked again: everything that
a memory does is the same when it is done twice. Leaves out a folder that moves with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ddax.errors import DdaxError, StorageError

if TYPE_CHECKING:
    from ddax.memory.share.remote import Answer, Call, Send
    from ddax.memory.share.seats import Seat

WAIT_SECONDS = 30.0
"""How long the folder is waited for: an actor that was killed may not have let go of it yet."""
ANSWER_SECONDS = 300.0
"""How long an answer may take; a restart of the actor is part of it."""


class Owner:
    """What the actor does: answer calls, many at a time."""

    def __init__(self, folder: str) -> None:
        self._folder, self._turn = Path(folder), asyncio.Lock()
        self._seat: Seat | None = None

    async def answer(self, call: Call) -> Answer:
        """Do what is called for."""
        from ddax.memory.share.seats import taken

        try:
            async with self._turn:
                if self._seat is None:
                    self._seat = await taken(self._folder, clock=time.time, wait_seconds=WAIT_SECONDS)
            return await self._seat.send(call)
        except DdaxError as error:
            return None, error

    async def close(self) -> None:
        """Give the folder back."""
        from ddax.memory.share.seats import leave

        seat, self._seat = self._seat, None
        if seat is not None:
            await asyncio.to_thread(leave, seat)


def start(ray: Any, folder: Path, environ: dict[str, str] | None = None) -> Any:
    """Return a new actor with a seat at the memory in a folder, on this node."""
    strategies = importlib.import_module("ray.util.scheduling_strategies")
    here = strategies.NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    extra = {"runtime_env": {"env_vars": environ}} if environ else {}
    kind = ray.remote(Owner).options(
        name=f"ddax memory {folder}", num_cpus=0, max_restarts=-1, max_task_retries=-1,
        scheduling_strategy=here, **extra,
    )  # fmt: skip
    return kind.remote(str(folder))


@contextlib.asynccontextmanager
async def memory_actor(ray: Any, folder: Path, environ: dict[str, str] | None = None) -> AsyncIterator[Any]:
    """Let an actor have a memory open until the block ends; yields the actor."""
    actor = start(ray, folder, environ)
    try:
        yield actor
        with contextlib.suppress(ray.exceptions.RayActorError, TimeoutError):
            await asyncio.wait_for(actor.close.remote(), ANSWER_SECONDS)
    finally:
        ray.kill(actor)


def send_to(ray: Any, actor: Any) -> Send:
    """Return the way to the memory that an actor owns."""

    async def send(call: Call) -> Answer:
        try:
            answer: Answer = await asyncio.wait_for(actor.answer.remote(call), ANSWER_SECONDS)
            return answer
        except (ray.exceptions.RayActorError, TimeoutError) as error:
            raise StorageError(
                "The actor of the memory does not answer.",
                why=" ".join(str(error).split())[:300] or f"It took longer than {ANSWER_SECONDS:.0f} s.",
                mend="See that the node of the command runs; then run the same command with --resume.",
            ) from error

    return send

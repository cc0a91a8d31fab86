"""Open the runners of a batch, and the memory they share where there is one.

Without a shared memory every task has one of its own, so that no result depends on another task.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ddax.batch.pool import Folder, Runner

if TYPE_CHECKING:
    from ddax.configs.settings import Context
    from ddax.memory.share.remote import Send

Crew = Sequence[AbstractAsyncContextManager[Runner]]
OpenCrew = Callable[[int], AbstractAsyncContextManager[Crew]]
"""Opens so many runners."""


def processes(base: Context, folder: Folder, memory: Path | None) -> OpenCrew:
    """Return what opens processes of this machine; this one has the memory open for as long as they do."""

    @contextlib.asynccontextmanager
    async def opened(count: int) -> AsyncIterator[Crew]:
        from ddax.batch.processes import process_runner

        async with contextlib.AsyncExitStack() as stack:
            if memory is not None:
                await stack.enter_async_context(hosted(base, folder, memory))
            yield [process_runner(base, _cache(folder), memory) for _ in range(count)]

    return opened


def coroutines(base: Context, folder: Folder, memory: Path | None) -> OpenCrew:
    """Return what opens coroutines of this process."""

    @contextlib.asynccontextmanager
    async def opened(count: int) -> AsyncIterator[Crew]:
        from ddax.batch.inline import InlineRunner
        from ddax.batch.worker import Warm

        async with contextlib.AsyncExitStack() as stack:
            send = await stack.enter_async_context(hosted(base, folder, memory)) if memory else None
            warm = Warm(_cache(folder))
            yield [contextlib.nullcontext(InlineRunner(base, warm, send)) for _ in range(count)]

    return opened


def actors(ray: Any, base: Context, folder: Folder, memory: Path | None, environ: dict[str, str]) -> OpenCrew:
    """Return what opens actors of a cluster; one more owns the memory."""

    @contextlib.asynccontextmanager
    async def opened(count: int) -> AsyncIterator[Crew]:
        from ddax.batch.cluster import ray_runner
        from ddax.batch.cluster_memory import memory_actor, send_to

        async with contextlib.AsyncExitStack() as stack:
            owner = None
            if memory is not None:
                owner = await stack.enter_async_context(memory_actor(ray, memory, environ))
                await _tried(send_to(ray, owner), base, folder)
            yield [ray_runner(ray, base, _cache(folder), environ, owner) for _ in range(count)]

    return opened


@contextlib.asynccontextmanager
async def hosted(base: Context, folder: Folder, memory: Path) -> AsyncIterator[Send]:
    """Have a memory open in this process, as its owner or beside it; yields the way to it."""
    from ddax.batch.worker import sat_at

    async with sat_at(memory) as send:
        await _tried(send, base, folder)
        yield send


async def _tried(send: Send, base: Context, folder: Folder) -> None:
    """Ask something, so that a memory that cannot be used is told before a task is begun."""
    from ddax.batch.worker import cached_embedder, memory_at

    embedder = await asyncio.to_thread(cached_embedder, _cache(folder))
    await memory_at(send, base, embedder).count("observation")


def _cache(folder: Folder) -> Path:
    return folder.root / "cache"

"""What does tasks, and the process that does: one JSON line in, one JSON line out, until its input ends.

What is heavy to open, the embedder and the sources, is opened once and used by every task.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ddax.batch.job import do, failed, settings_of
from ddax.batch.tasks import BatchTask
from ddax.errors import DdaxError
from ddax.types import JsonDict

if TYPE_CHECKING:
    from ddax.actions.protocol import Library
    from ddax.configs.settings import Context
    from ddax.graph.services import Parts
    from ddax.memory.protocol import Embedder
    from ddax.memory.share.remote import RemoteMemory, Send


class Warm:
    """What stays open between tasks."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._embedder: Embedder | None = None
        self._libraries: dict[tuple[str, ...], Library] = {}
        self._opening = asyncio.Lock()

    async def parts(self, context: Context) -> Parts:
        """Return the parts for a task with these settings."""
        from ddax.graph.services import Parts

        async with self._opening:  # several tasks of one process may ask at the same moment
            if self._embedder is None:
                self._embedder = await asyncio.to_thread(cached_embedder, self._cache)
            embedder = self._embedder
            key = (*context.sources, "|", *context.allow_hosts)
            if key not in self._libraries:
                from ddax.actions.sources import Bounds, open_library

                self._libraries[key] = await open_library(
                    context.sources,
                    embedder=embedder,
                    cache_dir=self._cache,
                    bounds=Bounds(context.allow_hosts, seconds=context.budget.max_seconds),
                    tell=False,  # every row holds it, and the command tells it once for all
                )
            return Parts(embedder=embedder, library=self._libraries[key])


def cached_embedder(cache: Path) -> Embedder:
    """Open the embedder of this machine, with the vectors that are kept in a folder."""
    from ddax.memory.embed.cache import CachedEmbedder
    from ddax.memory.embeddings import open_embedder

    return CachedEmbedder(open_embedder(), cache / "vectors.sqlite")


def memory_at(send: Send, context: Context, embedder: Embedder) -> RemoteMemory:
    """Return the memory that all tasks share, as a task with these settings uses it."""
    from ddax.memory.share.remote import RemoteMemory

    return RemoteMemory(
        send, context.namespace, embedder=embedder, clock=time.time, recall=context.recall
    )  # fmt: skip


@contextlib.asynccontextmanager
async def sat_at(memory: Path) -> AsyncIterator[Send]:
    """Have a seat at the memory that all tasks share; yields the way to it."""
    from ddax.memory.share.seats import leave, taken

    seat = await taken(memory, clock=time.time)
    try:
        yield seat.send
    finally:
        await asyncio.to_thread(leave, seat)


async def done(
    task: BatchTask, base: Context, home: Path, warm: Warm, *, send: Send | None = None
) -> JsonDict:
    """Do a task and return its row; with `send` in the memory that this leads to, else in one of its own."""
    try:
        context = settings_of(task, base)
        parts = await warm.parts(context)
        if send is not None:
            assert parts.embedder is not None
            parts = replace(parts, memory=memory_at(send, context, parts.embedder))
        return await do(task, base, home, parts)
    except DdaxError as error:
        return failed(task, type(error).__name__, str(error))


async def serve(requests: Any, replies: Any, keep: Callable[[Path], Warm] = Warm) -> None:
    """Do one task after the other; `keep` makes what stays open between them."""
    from ddax.configs.settings import Context

    warm: Warm | None = None
    async with contextlib.AsyncExitStack() as stack:
        send: Send | None = None
        while line := await asyncio.to_thread(requests.readline):
            request = json.loads(line)
            task, base = BatchTask.model_validate(request["task"]), Context.model_validate(request["base"])
            if warm is None:  # every request of a batch is of one cache and one memory
                warm = keep(Path(request["cache"]))
                if request.get("memory"):
                    send = await stack.enter_async_context(sat_at(Path(request["memory"])))
            row = await done(task, base, Path(request["home"]), warm, send=send)
            replies.write(json.dumps(row, ensure_ascii=True) + "\n")
            replies.flush()


def main(keep: Callable[[Path], Warm] = Warm) -> None:
    """Serve on the standard streams; whatever else prints, also a process of its own, goes to the errors."""
    with os.fdopen(os.dup(0), encoding="utf-8") as requests, os.fdopen(os.dup(1), "w") as replies:
        with open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), 0)
        os.dup2(2, 1)
        asyncio.run(serve(requests, replies, keep))


if __name__ == "__main__":
    main()

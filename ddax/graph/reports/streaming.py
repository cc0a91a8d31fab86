"""The events of a run, for whoever takes them one by one instead of by a call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from inspect import isawaitable
from typing import Any

from ddax.graph.results import RunResult

Event = dict[str, Any]
OnEvent = Callable[[Event], Awaitable[None] | None]
PACE = 0.1
"""Seconds between two tellings of how many files were read; the last one is always told."""


async def tell(on_event: OnEvent | None, part: Any) -> None:
    """Give an event to whoever watches; one that is async is waited for, so that what it raises is told."""
    if on_event is not None and isinstance(part, dict):
        told = on_event(part)
        if isawaitable(told):
            await told


@asynccontextmanager
async def telling_reads(
    on_event: OnEvent | None, listeners: set[Callable[[int, int], None]]
) -> AsyncGenerator[None, None]:
    """Tell whoever watches how many files were read, for the length of the block: `type` is "reading"."""
    if on_event is None:
        yield
        return
    loop, counts = asyncio.get_running_loop(), asyncio.Queue[tuple[int, int] | None]()
    last = [0.0]

    def heard(read: int, of: int) -> None:
        now = time.monotonic()
        if read == of or now - last[0] >= PACE:
            last[0] = now
            loop.call_soon_threadsafe(counts.put_nowait, (read, of))

    async def forward() -> None:
        while (count := await counts.get()) is not None:
            data = {"read": count[0], "of": count[1]}
            await tell(on_event, {"type": "reading", "node": "", "step": 0, "data": data})

    forwarding = asyncio.create_task(forward(), name="ddax-reading")
    listeners.add(heard)
    try:
        yield
    finally:
        listeners.discard(heard)
        counts.put_nowait(None)
        await forwarding


async def events_of(run: Callable[[OnEvent], Awaitable[RunResult]]) -> AsyncGenerator[Event, None]:
    """Run beside the caller and yield what is told; the last event is the result. Left early, it stops."""
    queue: asyncio.Queue[Event | None] = asyncio.Queue()

    async def drive() -> None:
        try:
            result = await run(queue.put_nowait)
            queue.put_nowait({"type": "result", "node": "", "step": result["steps"], "data": dict(result)})
        finally:
            queue.put_nowait(None)

    running = asyncio.create_task(drive())
    try:
        while (event := await queue.get()) is not None:
            yield event
        await running
    finally:
        running.cancel()
        await asyncio.wait([running])

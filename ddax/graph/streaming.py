"""The events of a run, for whoever takes them one by one instead of by a call."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from inspect import isawaitable
from typing import Any

from ddax.graph.results import RunResult

Event = dict[str, Any]
OnEvent = Callable[[Event], Awaitable[None] | None]


async def tell(on_event: OnEvent | None, part: Any) -> None:
    """Give an event to whoever watches; one that is async is waited for, so that what it raises is told."""
    if on_event is not None and isinstance(part, dict):
        told = on_event(part)
        if isawaitable(told):
            await told


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

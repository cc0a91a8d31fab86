"""Embed what will be asked for soon, while a model is waited for: who asks then finds it in the cache."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from ddax.memory.lane import BEHIND, Lane
from ddax.memory.protocol import Embedder

Texts = Callable[[], Sequence[str]]
"""Finds the texts, on the thread that embeds them."""


class Ahead:
    """Embed on one thread what is wanted soon, all that is wanted at a moment together."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self._lane = embedder, Lane("ddax-ahead", nice=BEHIND)
        self._wanted: set[asyncio.Task[None]] = set()

    def want(self, texts: Texts) -> None:
        """Have texts embedded behind the event loop."""
        self._wanted.add(asyncio.create_task(self._lane.ask(self._embed, texts)))

    async def done(self) -> None:
        """Wait until all is embedded that was wanted so far; raises what failed."""
        wanted, self._wanted = self._wanted, set()
        await asyncio.gather(*wanted)

    async def close(self) -> None:
        """Drop what has not begun, and end the thread."""
        for task in self._wanted:
            task.cancel()
        await asyncio.gather(*self._wanted, return_exceptions=True)
        await asyncio.to_thread(self._lane.shutdown)

    def _embed(self, asked: Sequence[Texts]) -> Sequence[None]:
        self._embedder.embed([text for texts in asked for text in texts()])
        return [None] * len(asked)

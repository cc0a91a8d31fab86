"""Embed what will be asked for soon, while a model is waited for: who asks then finds it in the cache."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from ddax.memory.lane import BEHIND, Lane
from ddax.memory.protocol import Embedder

Texts = Callable[[], Sequence[str]]
"""Finds the texts, on the thread that embeds them."""


class Ahead:
    """Embed on one thread what is wanted soon, all that is wanted at a moment together."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self._lane = embedder, Lane("ddax-ahead", nice=BEHIND)
        self._wanted: list[Texts] = []
        self._working: asyncio.Task[None] | None = None

    def want(self, texts: Texts) -> None:
        """Have texts embedded behind the event loop."""
        self._wanted.append(texts)
        if self._working is None:
            self._working = asyncio.create_task(self._work())

    async def done(self) -> None:
        """Wait until all is embedded that was wanted so far; raises what failed."""
        working = self._working
        if working is None:
            return
        try:
            await asyncio.shield(working)  # who waits beside it may go on waiting
        finally:
            if working.done() and self._working is working:
                self._working = None

    async def close(self) -> None:
        """Drop what has not begun, and end the thread."""
        self._wanted.clear()
        await asyncio.gather(self.done(), return_exceptions=True)
        await asyncio.to_thread(self._lane.shutdown)

    async def _work(self) -> None:
        while self._wanted:
            wanted, self._wanted = self._wanted, []
            await self._lane.run(partial(self._embed, wanted))
        self._working = None

    def _embed(self, wanted: Sequence[Texts]) -> None:
        self._embedder.embed([text for texts in wanted for text in texts()])

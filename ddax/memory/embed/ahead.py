"""Embed what will be asked for soon, while a model is waited for: who asks then finds it in the cache."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from ddax.memory.protocol import Embedder
from ddax.memory.share.busy_thread import BEHIND, Lane

Texts = Callable[[], Sequence[str]]
"""Finds the texts, on the thread that embeds them."""


class Ahead:
    """Embed on one thread what is wanted soon, all that is wanted at a moment together.

    The thread looks itself for what is wanted next: the event loop may be busy for long.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self._lane = embedder, Lane("ddax-ahead", nice=BEHIND)
        self._guard = threading.Lock()
        self._wanted: list[Texts] = []
        self._working: Future[None] | None = None
        """What embeds now, or has failed and nobody was told."""

    def want(self, texts: Texts) -> None:
        """Have texts embedded behind the event loop."""
        with self._guard:
            self._wanted.append(texts)
            if self._working is None:
                self._working = self._lane.submit(self._work)

    async def done(self) -> None:
        """Wait until all is embedded that was wanted so far; raises what failed."""
        working = self._working
        if working is None:
            return
        try:
            await asyncio.shield(asyncio.wrap_future(working))  # who waits beside it may go on waiting
        finally:
            with self._guard:
                if working.done() and self._working is working:
                    self._working = None

    async def close(self) -> None:
        """Drop what has not begun, and end the thread."""
        with self._guard:
            self._wanted.clear()
        await asyncio.gather(self.done(), return_exceptions=True)
        await asyncio.to_thread(self._lane.shutdown)

    def _work(self) -> None:
        while True:
            with self._guard:
                wanted, self._wanted = self._wanted, []
                if not wanted:
                    self._working = None
                    return
            self._embedder.embed([text for texts in wanted for text in texts()])

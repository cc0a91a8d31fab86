"""The vectors a memory has just asked for, and the way to new ones: few texts wait for company.

Leaves that act together ask for a text or two each. A thread for each of them would be a thread out of
six, and the others would wait; asked for in one queue, they go through the encoder together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from ddax.memory.embed.company import FEW, together
from ddax.memory.embed.rows import Rows
from ddax.memory.protocol import Embedder

RECENT = 256
"""Texts whose vectors stay at hand: what the gate has asked for is stored right behind it."""
Texts = Sequence[str]
Ask = Callable[[Callable[[Sequence[Texts]], Sequence[Rows]], Texts], Awaitable[Rows]]
"""Have texts embedded by a function of all that is asked at that moment."""


class RecentVectors:
    """Embed texts for one memory; of the latest each is embedded once."""

    def __init__(self, embedder: Embedder, ask: Ask) -> None:
        self._embedder, self._ask = embedder, ask
        self._together = partial(together, embedder.embed)
        self._kept: dict[str, Rows] = {}

    async def of(self, texts: Texts) -> list[Rows]:
        """Return one unit vector a text, `[dim]` each."""
        found = {text: self._kept[text] for text in texts if text in self._kept}
        fresh = [text for text in dict.fromkeys(texts) if text not in found]
        if fresh:
            found |= zip(fresh, await self._embedded(fresh), strict=True)
            # The zero vector may be that of an embedder which failed, and is back by the next time.
            self._kept |= {text: found[text] for text in fresh if found[text].any()}
            for text in [*self._kept][:-RECENT]:
                del self._kept[text]
        return [found[text] for text in texts]

    async def _embedded(self, texts: Texts) -> Rows:
        if len(texts) > FEW:  # company enough, and they would hold up those who ask for one
            return await asyncio.to_thread(self._embedder.embed, texts)
        return await self._ask(self._together, texts)

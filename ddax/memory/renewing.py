"""Make the vectors of a memory anew with an embedder of one's own, which no command knows of."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

from ddax.configs.settings import Context, Recall
from ddax.errors import StateError, ThreadInUse
from ddax.memory.embed.checked import CheckedEmbedder
from ddax.memory.embed.rows import Rows
from ddax.memory.home import Home
from ddax.memory.protocol import Embedder
from ddax.memory.share.owner import acquired, release
from ddax.memory.store.namespace import open_memory

DEFAULT = str(Context.model_fields["namespace"].default)


async def renew(home: Path | str, embedder: Embedder, *, namespace: str = DEFAULT) -> int:
    """Make the vectors of a memory anew with another embedder and return how many texts it holds.

    Raises StateError where the embedder fails: the memory is then as it was. ThreadInUse where a session
    of this process, or another process, has it open.
    """
    folder = (await asyncio.to_thread(Home(Path(home)).ensure)).memory
    store = await acquired(folder, clock=time.time, wait_seconds=0.0)
    try:
        if store.users > 1:
            raise ThreadInUse(
                "the memory is in use by this process.",
                why="An agent that has run has it open, and goes on with the vectors it knows.",
                mend="Make them anew before an agent runs, or after its block.",
            )
        return await _renewed(folder, embedder, namespace)
    finally:
        await asyncio.to_thread(release, store)


async def _renewed(folder: Path, embedder: Embedder, namespace: str) -> int:
    memory = await open_memory(
        folder, namespace=namespace, embedder=_Strict(embedder), clock=time.time, recall=Recall(),
        rebuild=True,
    )  # fmt: skip
    try:
        return await memory.count("internal_thought") + await memory.count("observation")
    finally:
        await memory.close()


class _Strict(CheckedEmbedder):
    """Give no text the zero vector for a failure: it would stay in the memory."""

    def _nothing(self, texts: Sequence[str], why: str) -> Rows:
        raise StateError(
            f"The embedder {self.name!r} failed while a memory was made anew.",
            why=f"For {len(texts)} texts: {why}. The memory is as it was.",
            mend="Mend the embedder, and try again.",
        )

"""The process that does tasks: one JSON line in, one JSON line out, until its input ends.

What is heavy to open, the embedder and the sources, is opened once and used by every task.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ddax.batch.job import do, settings_of
from ddax.batch.tasks import BatchTask

if TYPE_CHECKING:
    from ddax.actions.protocol import Library
    from ddax.configs.settings import Context
    from ddax.graph.services import Parts
    from ddax.memory.protocol import Embedder


class Warm:
    """What stays open between tasks."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._embedder: Embedder | None = None
        self._libraries: dict[tuple[str, ...], Library] = {}

    async def parts(self, context: Context) -> Parts:
        """Return the parts for a task with these settings."""
        from ddax.graph.services import Parts

        if self._embedder is None:
            self._embedder = await asyncio.to_thread(self._open_embedder)
        embedder = self._embedder
        key = (*context.sources, "|", *context.allow_hosts)
        if key not in self._libraries:
            from ddax.actions.sources import open_library

            self._libraries[key] = await open_library(
                context.sources, embedder=embedder, cache_dir=self._cache, allow_hosts=context.allow_hosts
            )
        return Parts(embedder=embedder, library=self._libraries[key])

    def _open_embedder(self) -> Embedder:
        from ddax.memory.embedding_cache import CachedEmbedder
        from ddax.memory.embeddings import open_embedder

        return CachedEmbedder(open_embedder(), self._cache / "vectors.sqlite")


async def serve(requests: Any, replies: Any, keep: Callable[[Path], Warm] = Warm) -> None:
    """Do one task after the other; `keep` makes what stays open between them."""
    from ddax.batch.job import failed
    from ddax.configs.settings import Context
    from ddax.errors import DdaxError

    warm: Warm | None = None
    while line := await asyncio.to_thread(requests.readline):
        request = json.loads(line)
        task, base = BatchTask.model_validate(request["task"]), Context.model_validate(request["base"])
        warm = warm or keep(Path(request["cache"]))
        try:
            parts = await warm.parts(settings_of(task, base))
            row = await do(task, base, Path(request["home"]), parts)
        except DdaxError as error:
            row = failed(task, type(error).__name__, str(error))
        replies.write(json.dumps(row, ensure_ascii=True) + "\n")
        replies.flush()


def main() -> None:
    """Serve on the standard streams; whatever else prints goes to the errors."""
    replies, sys.stdout = sys.stdout, sys.stderr
    asyncio.run(serve(sys.stdin, replies))


if __name__ == "__main__":
    main()

"""The sources of a task and the web as one library: a search asks both, a visit reads either."""

from __future__ import annotations

from ddax.actions.protocol import Library
from ddax.actions.sources.skipping import skipped_of
from ddax.actions.unsearched import pass_over
from ddax.actions.web.search.engine import WebSearch
from ddax.errors import ActionError
from ddax.types import Document, Hit


class WebLibrary:
    """A library whose search also asks a service of the web: of its arguments that gets the query alone."""

    outside = True

    def __init__(self, local: Library, web: WebSearch) -> None:
        self._local, self._web = local, web
        self.specs = (*local.specs, f"web:{web.provider.name}")
        self.skipped = skipped_of(local)

    async def search(self, query: str, *, intent: str = "", k: int = 10, mode: str = "hybrid") -> list[Hit]:
        """Find the k best documents of both, by score; raises ActionError where neither could search."""
        local = await self._local.search(query, intent=intent, k=k, mode=mode)
        try:
            found = await self._web.search(query, intent=intent)
        except ActionError as error:
            if not local:
                raise
            pass_over(error, searched="the sources")
            found = []
        known = {hit.source for hit in local}
        both = [*local, *(hit for hit in found if hit.source not in known)]
        return sorted(both, key=lambda hit: -hit.score)[:k]

    async def read(self, source: str) -> Document:
        """Return a whole document of the sources, or a page of the web."""
        return await self._local.read(source)

    async def mentioned(self, text: str, *, limit: int = 10) -> list[Hit]:
        """Find documents of the sources that a text names."""
        return await self._local.mentioned(text, limit=limit)

    def holds(self, source: str, text: str) -> bool | None:
        """Tell whether one of the sources says a text now; None for a page of the web."""
        return self._local.holds(source, text)

    async def warm(self, limit: int | None = None) -> int:
        """Make vectors of the sources ahead of need."""
        return await self._local.warm(limit)

    def describe(self) -> str:
        """Say in one line what is searched."""
        local = self._local.describe() if self._local.specs else ""
        return " and ".join(filter(None, (local, f"the web by {self._web.provider.name}")))

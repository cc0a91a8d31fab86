"""SearXNG: a search engine of one's own, asked for JSON (which its `search.formats` must allow)."""

from __future__ import annotations

from urllib.parse import urlencode

from ddax.actions.web.search.protocol import Ask, Result, json_of, results_of


class SearXNG:
    """Search by the SearXNG at an address."""

    name = "searxng"

    def __init__(self, base: str, ask: Ask) -> None:
        self._base, self._ask = base.rstrip("/").removesuffix("/search"), ask

    async def search(self, query: str, *, count: int) -> list[Result]:
        """Find pages, best first."""
        words = urlencode({"q": query, "format": "json", "safesearch": "1"})
        answer = json_of(await self._ask(f"{self._base}/search?{words}", {}, None), "SearXNG")
        rows = answer.get("results")
        return results_of(
            rows, "SearXNG", url="url", title="title", text="content", date="publishedDate"
        )[:count]  # fmt: skip

"""The Tavily search API, with a key in TAVILY_API_KEY."""

from __future__ import annotations

from ddax.actions.web.search.protocol import Ask, Result, json_of, results_of

BASE = "https://api.tavily.com"
MOST = 20
"""Results that the service gives at once."""


class Tavily:
    """Search by Tavily; its own answers are not asked for, only pages."""

    name = "tavily"

    def __init__(self, key: str, ask: Ask, *, base: str = BASE) -> None:
        self._key, self._ask, self._base = key, ask, base

    async def search(self, query: str, *, count: int) -> list[Result]:
        """Find pages, best first."""
        body = {"query": query[:400], "max_results": min(count, MOST), "include_answer": False}
        headers = {"Authorization": f"Bearer {self._key}"}
        answer = json_of(await self._ask(f"{self._base}/search", headers, body), "Tavily")
        rows = answer.get("results")
        return results_of(
            rows, "Tavily", url="url", title="title", text="content", date="published_date"
        )[:count]  # fmt: skip

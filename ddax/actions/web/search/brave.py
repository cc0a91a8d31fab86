"""The Brave Search API, with a key in BRAVE_API_KEY."""

from __future__ import annotations

from urllib.parse import urlencode

from ddax.actions.web.search.protocol import Ask, Result, json_of, results_of

BASE = "https://api.search.brave.com"
MOST = 20
"""Results that the service gives at once."""


class Brave:
    """Search by Brave; snippets carry no marks of emphasis."""

    name = "brave"

    def __init__(self, key: str, ask: Ask, *, base: str = BASE) -> None:
        self._key, self._ask, self._base = key, ask, base

    async def search(self, query: str, *, count: int) -> list[Result]:
        """Find pages, best first."""
        words = urlencode({"q": query[:400], "count": min(count, MOST), "text_decorations": "false"})
        headers = {"X-Subscription-Token": self._key}
        url = f"{self._base}/res/v1/web/search?{words}"
        answer = json_of(await self._ask(url, headers, None), "Brave")
        found = answer.get("web")  # missing where nothing was found
        rows = found.get("results") if isinstance(found, dict) else []
        return results_of(rows, "Brave", url="url", title="title", text="description", date="page_age")[
            :count
        ]

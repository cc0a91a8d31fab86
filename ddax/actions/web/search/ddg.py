"""Search without a key by the package `ddgs` (extra `search`), through the egress proxy.

It reads the result pages of public search engines, which change their form and slow down who asks
often: good for a first run, not for a hundred.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ddax.actions.egress import EgressPolicy
from ddax.actions.web.proxy import egress_proxy
from ddax.actions.web.search.protocol import Result, results_of
from ddax.errors import ActionError

SECONDS = 15


def installed() -> bool:
    """Tell whether the package is there."""
    return find_spec("ddgs") is not None


class Ddgs:
    """Search by ddgs; `module` is the package, for tests a stand-in of the same form."""

    name = "ddgs"

    def __init__(self, policy: EgressPolicy, *, clock: Callable[[], float], module: Any = None) -> None:
        self._policy, self._clock = policy, clock
        self._module = module if module is not None else import_module("ddgs")

    async def search(self, query: str, *, count: int) -> list[Result]:
        """Find pages, best first."""
        async with egress_proxy(self._policy, clock=self._clock) as proxy:
            try:
                rows = await asyncio.to_thread(self._text, proxy.url, query, count)
            except Exception as exc:
                raise self._failure(exc) from exc
        return results_of(rows, "ddgs", url="href", title="title", text="body")

    def _text(self, proxy: str, query: str, count: int) -> object:
        return self._module.DDGS(proxy=proxy, timeout=SECONDS).text(query, max_results=count)

    def _failure(self, exc: Exception) -> ActionError:
        """Name a failure of the package, whose errors are those of many engines."""
        why = f"{type(exc).__name__}: {exc}"[:300]
        if "No results" in str(exc):
            return ActionError("ddgs found nothing.", why=why, kind="nothing_found")
        limited = "Ratelimit" in type(exc).__name__
        return ActionError(
            "ddgs failed.", why=why, kind="rate_limited" if limited else "search", retriable=not limited
        )

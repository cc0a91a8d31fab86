"""The HTTP cache (RFC 9111) behind which the guard stands: a page that is fresh is not asked for again.

It lies in one SQLite file under the home, is capped in size, and is asked with conditional requests
where a page is stale. Only what passed the guard gets in; a body that was broken off does not.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import httpx

if TYPE_CHECKING:
    from hishel import AsyncSqliteStorage

MAX_CACHE = 256_000_000
"""Bytes of the cache; the least recently used goes first."""


class CachingTransport(httpx.AsyncBaseTransport):
    """Answer from the cache where RFC 9111 lets it, else by the transport behind."""

    def __init__(self, inner: httpx.AsyncBaseTransport, path: Path) -> None:
        from hishel import AsyncSqliteStorage, CacheOptions
        from hishel.httpx import AsyncCacheTransport

        self._inner = inner
        self._storage: AsyncSqliteStorage = AsyncSqliteStorage(database_path=path, max_size=MAX_CACHE)
        options = CacheOptions(shared=False)
        self._cached = AsyncCacheTransport(inner, storage=self._storage, rfc=options)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request."""
        return await self._cached.handle_async_request(request)

    async def aclose(self) -> None:
        """Close the file and the transport behind."""
        await self._storage.close()
        await self._inner.aclose()

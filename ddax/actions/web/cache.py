"""The HTTP cache (RFC 9111) behind which the guard stands: a page that is fresh is not asked for again.

It lies in one SQLite file under the home, is capped in size, and is asked with conditional requests
where a page is stale. Only what passed the guard gets in; a body that was broken off does not.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from ddax.actions.web.cache_file import Turns, open_turns

if TYPE_CHECKING:
    from hishel import AsyncSqliteStorage
    from hishel.httpx import AsyncCacheTransport

MAX_CACHE = 256_000_000
"""Bytes of the cache; the least recently used goes first."""


class CachingTransport(httpx.AsyncBaseTransport):
    """Answer from the cache where RFC 9111 lets it, else by the transport behind."""

    def __init__(self, inner: httpx.AsyncBaseTransport, path: Path) -> None:
        self._inner, self._path = inner, path
        self._opening = asyncio.Lock()
        self._storage: AsyncSqliteStorage | None = None
        self._cached: AsyncCacheTransport | None = None

    async def _opened(self) -> AsyncCacheTransport:
        """Return the cache, whose file is opened at the first request."""
        async with self._opening:
            if self._cached is None:
                from hishel import CacheOptions
                from hishel.httpx import AsyncCacheTransport

                self._storage = _storage(await asyncio.to_thread(open_turns, self._path))
                options = CacheOptions(shared=False)
                self._cached = AsyncCacheTransport(self._inner, storage=self._storage, rfc=options)
            return self._cached

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request."""
        return await (await self._opened()).handle_async_request(request)

    async def aclose(self) -> None:
        """Close the file, also one that is just being opened, and the transport behind."""
        async with self._opening:
            if self._storage is not None:
                await self._storage.close()
        await self._inner.aclose()


def _storage(file: Turns) -> AsyncSqliteStorage:
    from anysqlite import Connection
    from hishel import AsyncSqliteStorage

    return AsyncSqliteStorage(connection=Connection(file), max_size=MAX_CACHE)

"""The egress guard as an httpx transport: resolves, checks every address, connects to the checked one.

It is the same policy as that of the proxy, for our own requests. Proxies of the environment are not
used: behind one, the address that is really reached could not be checked. Connections are not kept: two
hosts at one address would share one whose certificate was checked for the first of them only.
"""

from __future__ import annotations

import asyncio
import ssl
from collections import deque
from collections.abc import AsyncIterator, Callable
from functools import cache
from urllib.parse import SplitResult, urlunsplit

import httpx

from ddax.actions.egress import EgressPolicy, checked_url
from ddax.actions.web.log import KEPT_EXCHANGES, Exchange, broken
from ddax.errors import ActionError, NotAllowed

Clock = Callable[[], float]


class GuardedTransport(httpx.AsyncBaseTransport):
    """Send requests to checked addresses only and note each; raises ActionError and NotAllowed."""

    def __init__(
        self, policy: EgressPolicy, *, clock: Clock, max_bytes: int, verify: ssl.SSLContext | bool = True
    ) -> None:
        self._policy, self._clock, self._max_bytes = policy, clock, max_bytes
        self._verify = verify
        self._inner: httpx.AsyncHTTPTransport | None = None
        self.log: deque[Exchange] = deque(maxlen=KEPT_EXCHANGES)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request whose host may be reached; the body is capped in bytes as they come."""
        note = Exchange(self._clock(), request.method, str(request.url).split("?")[0][:500])
        self.log.append(note)
        try:
            parts = checked_url(str(request.url))
            note.target = urlunsplit(parts._replace(query=""))
            return await self._sent(request, parts, note)
        except ActionError as error:
            note.ruling = "refused" if isinstance(error, NotAllowed) else "failed"
            note.kind, note.reason = error.kind, str(error)
            raise
        finally:
            note.seconds = self._clock() - note.at

    async def _sent(self, request: httpx.Request, parts: SplitResult, note: Exchange) -> httpx.Response:
        addresses = await self._policy.addresses(parts)
        inner = await self._opened()
        failure: Exception | None = None
        for address in addresses:
            try:
                response = await inner.handle_async_request(pinned(request, parts, address))
            except httpx.ConnectError as exc:
                failure = exc
                continue
            except (httpx.HTTPError, httpx.InvalidURL) as exc:
                raise broken(urlunsplit(parts), exc) from exc
            note.ruling, note.address = "passed", address
            response.stream = CappedStream(response, note, self._max_bytes)
            return response
        what, why = f"{urlunsplit(parts)!r} cannot be reached.", str(failure)
        raise ActionError(what, why=why, kind="connect", retriable=True) from failure

    async def _opened(self) -> httpx.AsyncHTTPTransport:
        """Return what connects; whom it trusts is read from the disk once a process, in a thread."""
        if self._inner is None:
            verify = await asyncio.to_thread(trusted) if self._verify is True else self._verify
            self._inner = self._inner or httpx.AsyncHTTPTransport(
                verify=verify, trust_env=False, limits=httpx.Limits(max_keepalive_connections=0)
            )
        return self._inner

    async def aclose(self) -> None:
        """Close what is still open."""
        if self._inner is not None:
            await self._inner.aclose()


@cache
def trusted() -> ssl.SSLContext:
    """Return whom requests of this process trust, as their library has it; blocks."""
    return httpx.create_ssl_context(trust_env=False)


class CappedStream(httpx.AsyncByteStream):
    """The body of an answer, broken off beyond a number of bytes; what came is noted."""

    def __init__(self, response: httpx.Response, note: Exchange, most: int) -> None:
        self._stream, self._note, self._most = response.stream, note, most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if not isinstance(self._stream, httpx.AsyncByteStream):
            raise TypeError("the answer cannot be read asynchronously")
        async for part in self._stream:
            self._note.received += len(part)
            if self._note.received > self._most:
                self._note.kind = "too_large"
                why = f"The cap is {self._most:,} bytes."
                raise ActionError(f"{self._note.target!r} is too large.", why=why, kind="too_large")
            yield part

    async def aclose(self) -> None:
        """Close the connection."""
        if isinstance(self._stream, httpx.AsyncByteStream):
            await self._stream.aclose()


def pinned(request: httpx.Request, parts: SplitResult, address: str) -> httpx.Request:
    """Aim a request at a numeric address; Host and the name checked in the certificate stay."""
    headers = httpx.Headers(request.headers)
    headers["Host"] = parts.netloc
    return httpx.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": parts.hostname or ""},
    )

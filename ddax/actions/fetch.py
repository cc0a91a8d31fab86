"""Fetch one page through the egress guard: redirects are checked hop by hop, bytes and time are capped."""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import SplitResult, urljoin, urlunsplit

from ddax.actions.egress import Resolver, checked_url, policy_of, resolve
from ddax.actions.web.log import broken
from ddax.configs.settings import Web
from ddax.errors import ActionError, Blocked
from ddax.headers import http_date, retry_after
from ddax.types import JsonDict

if TYPE_CHECKING:
    import httpx

WEB = Web()
"""What holds where nobody sets anything else."""
USER_AGENT = "ddax/0.1 (research agent)"
MAX_COOLDOWN, DEFAULT_COOLDOWN = 3600.0, 300.0
REDIRECTS = frozenset({301, 302, 303, 307, 308})
REFUSALS = frozenset({403, 429, 451})
MISSING = frozenset({404, 410})


@dataclass(frozen=True)
class Fetched:
    """An answer: the address that gave it, its status, its type in lower case, and its decoded body.

    `cached` says that it came from the cache, `mark` names the challenge its headers speak of.
    """

    url: str
    status: int
    content_type: str
    charset: str
    body: bytes
    cached: bool = False
    mark: str = ""


@dataclass(frozen=True)
class Limits:
    """What one fetch may take; `max_bytes` counts decoded bytes; `cut` keeps so many instead of failing."""

    max_bytes: int = WEB.max_bytes
    total_seconds: float = WEB.fetch_seconds
    max_redirects: int = WEB.max_redirects
    cut: bool = False


USUAL = Limits()
Gate: TypeAlias = Callable[[SplitResult], AbstractAsyncContextManager[object]]
"""What is entered before each hop and left after it: manners, and caps of time."""


async def fetch(
    url: str,
    *,
    allow_hosts: Sequence[str] = (),
    limits: Limits = USUAL,
    resolver: Resolver | None = None,
) -> Fetched:
    """Fetch a page by GET; raises ActionError with a kind, NotAllowed or Blocked.

    Hosts in `allow_hosts` may be private; every hop of a redirect is checked again. The time
    bounds names, connections, redirects and body together.
    """
    from ddax.actions.web.transport import GuardedTransport

    policy = policy_of(allow_hosts=allow_hosts, resolver=resolver or resolve)
    transport = GuardedTransport(policy, clock=time.monotonic, max_bytes=limits.max_bytes)
    try:
        async with asyncio.timeout(limits.total_seconds), open_client(transport) as client:
            return await follow(client, url, limits)
    except TimeoutError as exc:
        raise too_slow(url, f"{limits.total_seconds:g} s") from exc


def too_slow(url: str, cap: str, mend: str = "") -> ActionError:
    """Name a fetch that took longer than its cap."""
    what, why = f"{url!r} did not answer in time.", f"The cap is {cap}."
    return ActionError(what, why=why, mend=mend, kind="timeout", retriable=True)


def open_client(transport: httpx.AsyncBaseTransport) -> httpx.AsyncClient:
    """Open a client over a guarded transport; it follows nothing by itself, and keeps no cookies."""
    import httpx

    headers = {
        "User-Agent": USER_AGENT,
        "Accept": "text/html,application/xhtml+xml,application/pdf,text/*;q=0.9,*/*;q=0.5",
        "Accept-Encoding": "gzip",
        "Connection": "close",
    }
    # Time is capped once and for all by whoever fetches: a time-out a read bounds no drip.
    forever = httpx.Timeout(None)
    return httpx.AsyncClient(
        transport=transport, trust_env=False, follow_redirects=False, timeout=forever, headers=headers
    )


async def follow(
    client: httpx.AsyncClient,
    url: str,
    limits: Limits,
    gate: Gate | None = None,
    headers: Mapping[str, str] | None = None,
) -> Fetched:
    """Follow redirects, each checked like the first address."""
    for _ in range(limits.max_redirects + 1):
        parts = checked_url(url)
        async with gate(parts) if gate is not None else nullcontext():
            found = await one_hop(client, urlunsplit(parts), limits, headers)
        if isinstance(found, Fetched):
            return found
        url = urljoin(urlunsplit(parts), found)
    why = f"More than {limits.max_redirects} redirects."
    raise ActionError(f"{url!r} was not reached.", why=why, kind="redirects")


async def one_hop(
    client: httpx.AsyncClient,
    url: str,
    limits: Limits,
    headers: Mapping[str, str] | None,
    body: JsonDict | None = None,
) -> Fetched | str:
    """Return the answer of one address, asked by POST where there is a body, or where it redirects to."""
    import httpx

    client.cookies.clear()
    try:
        request = client.build_request("GET" if body is None else "POST", url, headers=headers, json=body)
        response = await client.send(request, stream=True)
    except (httpx.HTTPError, httpx.InvalidURL) as exc:
        raise broken(url, exc) from exc
    try:
        target = response.headers.get("location", "")
        if response.status_code in REDIRECTS and target:
            return str(target)
        return await received(response, url, limits)
    finally:
        await response.aclose()


async def received(response: httpx.Response, url: str, limits: Limits) -> Fetched:
    """Read an answer; a refusal, a missing page and a failing server become errors."""
    status = response.status_code
    if status in REFUSALS:
        why, pause = f"It answered {status}.", cooldown(response)
        raise Blocked(f"{url!r} refuses us.", why=why, cooldown=pause, status=status)
    if status in MISSING:
        raise ActionError(f"{url!r} does not exist.", why=f"It answered {status}.", kind="not_found")
    if not 200 <= status < 300:
        retriable = status >= 500 or status == 408
        why = f"It answered {status}."
        raise ActionError(f"{url!r} failed.", why=why, kind=f"http_{status}", retriable=retriable)
    stated = response.headers.get("content-type", "")
    body = bytearray()
    async for part in decoded_parts(response, url, limits.max_bytes):
        body += part
        if len(body) > limits.max_bytes:
            if limits.cut:
                break
            why = f"The cap is {limits.max_bytes:,} bytes."
            raise ActionError(f"{url!r} is too large.", why=why, kind="too_large")
    kind = stated.split(";")[0].strip().lower()
    came = bytes(body[: limits.max_bytes])
    cached = bool(getattr(response.extensions.get("caching"), "from_cache", False))
    mark = response.headers.get("cf-mitigated", "")
    return Fetched(url, status, kind, response.charset_encoding or "", came, cached, mark)


async def decoded_parts(response: httpx.Response, url: str, max_bytes: int) -> AsyncIterator[bytes]:
    """Yield the decoded body; a gzip bomb is unpacked one byte past the cap and no further."""
    import httpx

    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity", "gzip", "x-gzip"):
        why = f"It is encoded as {encoding!r}."
        raise ActionError(f"{url!r} cannot be read.", why=why, kind="bad_encoding")
    unpack = Gunzip(max_bytes + 1) if "gzip" in encoding else None
    try:
        async for raw in response.aiter_raw():
            yield raw if unpack is None else unpack.feed(raw)
    except zlib.error as exc:
        raise ActionError(f"{url!r} cannot be unpacked.", why=str(exc), kind="bad_encoding") from exc
    except httpx.HTTPError as exc:
        raise broken(url, exc) from exc
    if unpack is not None and unpack.unfinished:
        raise broken(url, EOFError("the gzip stream has no end"))


class Gunzip:
    """Unpack gzip members one after the other, at most `most` bytes a call."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._member = zlib.decompressobj(16 + zlib.MAX_WBITS)
        self.unfinished = False

    def feed(self, raw: bytes) -> bytes:
        """Unpack what came; raises zlib.error."""
        found = b""
        while raw and len(found) < self._most:
            if self._member.eof:
                if not raw.startswith(b"\x1f\x8b"):
                    return found  # padding after the last member
                self._member = zlib.decompressobj(16 + zlib.MAX_WBITS)
            found += self._member.decompress(raw, self._most - len(found))
            self.unfinished = not self._member.eof
            raw = self._member.unused_data
        return found


def cooldown(response: httpx.Response) -> float:
    """Return how long the other side wants to be left alone, in seconds, at most an hour."""
    now = http_date(response.headers.get("date", ""))
    wanted = retry_after(response.headers.get("retry-after", ""), now)
    return min(max(DEFAULT_COOLDOWN if wanted is None else wanted, 1.0), MAX_COOLDOWN)

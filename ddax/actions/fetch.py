"""Fetch one page through the egress guard: the checked address is pinned, bytes and time are capped.

Proxies of the environment are not used: behind one, the address that is really reached could not be
checked.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urljoin, urlunsplit

from ddax.actions.egress import Resolver, allowed_names, checked_addresses, checked_url, resolve
from ddax.errors import ActionError, Blocked

if TYPE_CHECKING:
    import httpx

MAX_BYTES = 5_000_000
TOTAL_SECONDS = 20.0
MAX_REDIRECTS = 5
MAX_COOLDOWN, DEFAULT_COOLDOWN = 3600.0, 300.0
REDIRECTS = frozenset({301, 302, 303, 307, 308})
REFUSALS = frozenset({403, 429, 451})
MISSING = frozenset({404, 410})


@dataclass(frozen=True)
class Fetched:
    """An answer: the address that gave it, its status, its type in lower case, and its decoded body."""

    url: str
    status: int
    content_type: str
    charset: str
    body: bytes


@dataclass(frozen=True)
class Limits:
    """What one fetch may take; `max_bytes` counts decoded bytes."""

    max_bytes: int = MAX_BYTES
    total_seconds: float = TOTAL_SECONDS
    max_redirects: int = MAX_REDIRECTS


async def fetch(
    url: str,
    *,
    allow_hosts: Sequence[str] = (),
    max_bytes: int = MAX_BYTES,
    total_seconds: float = TOTAL_SECONDS,
    max_redirects: int = MAX_REDIRECTS,
    resolver: Resolver | None = None,
) -> Fetched:
    """Fetch a page by GET; raises ActionError with a kind, NotAllowed or Blocked.

    Hosts in `allow_hosts` may be private; every hop of a redirect is checked again. `total_seconds`
    bounds names, connections, redirects and body together.
    """
    limits = Limits(max_bytes, total_seconds, max_redirects)
    try:
        async with asyncio.timeout(total_seconds):
            return await follow(url, allowed_names(allow_hosts), limits, resolver or resolve)
    except TimeoutError as exc:
        why = f"The cap is {total_seconds:g} s."
        raise ActionError(
            f"{url!r} did not answer in time.", why=why, kind="timeout", retriable=True
        ) from exc


async def follow(url: str, allowed: frozenset[str], limits: Limits, resolver: Resolver) -> Fetched:
    """Follow redirects, each checked like the first address."""
    import httpx

    async with httpx.AsyncClient(trust_env=False, follow_redirects=False, timeout=None) as client:  # noqa: S113
        for _ in range(limits.max_redirects + 1):
            parts = checked_url(url)
            addresses = await checked_addresses(parts, allowed, resolver)
            response = await send(client, parts, addresses)
            try:
                target = response.headers.get("location", "")
                if response.status_code not in REDIRECTS or not target:
                    return await received(response, urlunsplit(parts), limits)
                url = urljoin(urlunsplit(parts), target)
            finally:
                await response.aclose()
    why = f"More than {limits.max_redirects} redirects."
    raise ActionError(f"{url!r} was not reached.", why=why, kind="redirects")


async def send(client: httpx.AsyncClient, parts: SplitResult, addresses: Sequence[str]) -> httpx.Response:
    """Send a request to the first checked address that answers, under the host's own name."""
    import httpx

    failure: Exception | None = None
    for address in addresses:
        request = pinned(client, parts, address)
        try:
            return await client.send(request, stream=True)
        except httpx.ConnectError as exc:
            failure = exc
        except (httpx.HTTPError, httpx.InvalidURL) as exc:
            raise broken(urlunsplit(parts), exc) from exc
    raise ActionError(
        f"{urlunsplit(parts)!r} cannot be reached.", why=str(failure), kind="connect", retriable=True
    ) from failure


def pinned(client: httpx.AsyncClient, parts: SplitResult, address: str) -> httpx.Request:
    """Build a request to a numeric address that keeps Host and the name checked in the certificate."""
    numeric = f"[{address}]" if ":" in address else address
    target = parts._replace(netloc=numeric if parts.port is None else f"{numeric}:{parts.port}")
    headers = {
        "Host": parts.netloc,
        "User-Agent": "ddax (research agent)",
        "Accept": "text/html,application/xhtml+xml,application/pdf,text/*;q=0.9,*/*;q=0.5",
        "Accept-Encoding": "gzip",
    }
    names = {"sni_hostname": parts.hostname or ""}
    return client.build_request("GET", urlunsplit(target), headers=headers, extensions=names)


async def received(response: httpx.Response, url: str, limits: Limits) -> Fetched:
    """Read an answer; a refusal, a missing page and a failing server become errors."""
    status = response.status_code
    if status in REFUSALS:
        raise Blocked(f"{url!r} refuses us.", why=f"It answered {status}.", cooldown=cooldown(response))
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
            why = f"The cap is {limits.max_bytes:,} bytes."
            raise ActionError(f"{url!r} is too large.", why=why, kind="too_large")
    kind = stated.split(";")[0].strip().lower()
    return Fetched(url, status, kind, response.charset_encoding or "", bytes(body))


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


def broken(url: str, exc: Exception) -> ActionError:
    """Name a failure of the transport."""
    why = f"{type(exc).__name__}: {exc}"
    return ActionError(f"{url!r} broke off.", why=why, kind="transport", retriable=True)


def cooldown(response: httpx.Response) -> float:
    """Return how long the other side wants to be left alone, in seconds, at most an hour."""
    stated = response.headers.get("retry-after", "").strip()
    if stated.isdigit():
        wanted = float(stated[:6])
    else:
        until, now = http_date(stated), http_date(response.headers.get("date", ""))
        wanted = (until - now).total_seconds() if until and now else DEFAULT_COOLDOWN
    return min(max(wanted, 1.0), MAX_COOLDOWN)


def http_date(text: str) -> datetime | None:
    """Read a date of a header, or None."""
    try:
        return parsedate_to_datetime(text)
    except ValueError:
        return None

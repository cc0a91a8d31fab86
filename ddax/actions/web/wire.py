"""The few words of HTTP/1.1 that a proxy must understand: heads, and how long a body is.

Every connection carries one request: `Connection: close` is said to both sides, so that nothing that
is meant for one host ever reaches another.
"""

from __future__ import annotations

import asyncio
import re
import socket
import struct
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import SplitResult

from ddax.errors import ActionError

MAX_HEAD = 65_536
"""Bytes of a request's or an answer's head."""
MAX_INTERIM = 8
"""Answers of the kind 1xx before the real one."""
HOP_BY_HOP = frozenset(
    {"connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "trailer", "upgrade"}
)
_REASONS = {403: "Forbidden", 502: "Bad Gateway", 504: "Gateway Timeout"}
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


@dataclass(frozen=True)
class RequestHead:
    """The first line of a request and its fields, names as they came."""

    method: str
    target: str
    fields: tuple[tuple[str, str], ...]

    def values(self, name: str) -> list[str]:
        """Return the values of a field, in their order."""
        return [value for key, value in self.fields if key.lower() == name]


def request_head(raw: bytes) -> RequestHead:
    """Read the head of a request; raises ActionError of kind `bad_url` for what is none."""
    first, *rest = raw.decode("latin-1").split("\r\n")[:-2]
    words = first.split(" ")
    if len(words) != 3 or not _TOKEN.fullmatch(words[0]) or not words[2].startswith("HTTP/1."):
        raise ActionError(f"{first[:80]!r} is no request.", kind="bad_url")
    return RequestHead(words[0].upper(), words[1], fields_of(rest))


def fields_of(lines: list[str]) -> tuple[tuple[str, str], ...]:
    """Split the lines of a head; raises ActionError for one that is no field (folded, nameless, CR)."""
    found: list[tuple[str, str]] = []
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not _TOKEN.fullmatch(name) or any(sign in value for sign in "\r\n\0"):
            raise ActionError(f"{line[:80]!r} is no header field.", kind="bad_url")
        found.append((name, value.strip()))
    return tuple(found)


def body_length(head: RequestHead) -> int:
    """Return the stated length of a request's body; raises ActionError where it is not one number."""
    if head.values("transfer-encoding"):
        raise ActionError("The request states no length.", why="Its body is chunked.", kind="bad_url")
    stated = set(head.values("content-length")) or {"0"}
    if len(stated) != 1 or not all(value.isdigit() and value.isascii() for value in stated):
        raise ActionError("The request states no length.", why=f"It states {sorted(stated)}.", kind="bad_url")
    return int(stated.pop()[:12])


def origin_head(head: RequestHead, parts: SplitResult) -> bytes:
    """Write a request as its host takes it, under the checked name."""
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    kept = [(name, value) for name, value in head.fields if name.lower() not in HOP_BY_HOP | {"host"}]
    lines = [f"{head.method} {path} HTTP/1.1", f"Host: {parts.netloc}"]
    lines += [f"{name}: {value}" for name, value in kept] + ["Connection: close", "", ""]
    return "\r\n".join(lines).encode("latin-1", "replace")


async def final_head(reader: asyncio.StreamReader) -> bytes:
    """Read the head of an answer, past the ones of kind 1xx; raises ActionError `transport`."""
    for _ in range(MAX_INTERIM):
        raw = await reader.readuntil(b"\r\n\r\n")
        status = raw[:12].split(b" ")[-1]
        if not raw.startswith(b"HTTP/1.") or not status.isdigit() or status == b"101":
            raise ActionError("The answer is not HTTP.", why=f"It begins {raw[:40]!r}.", kind="transport")
        if not status.startswith(b"1"):
            return raw
    raise ActionError("The answer does not begin.", why=f"{MAX_INTERIM} interim ones.", kind="transport")


def closing_head(raw: bytes) -> bytes:
    """Return the head of an answer that closes its connection."""
    first, *rest = raw.split(b"\r\n")[:-2]
    kept = [
        line for line in rest if line.partition(b":")[0].strip().lower().decode("latin-1") not in HOP_BY_HOP
    ]
    return b"\r\n".join([first, *kept, b"Connection: close", b"", b""])


def answer(writer: asyncio.StreamWriter, status: int, reason: str, *, begun: bool) -> None:
    """Say why nothing comes; an answer that has begun is cut, so that it is not taken for whole."""
    if begun:
        reset = struct.pack("ii", 1, 0)  # an answer without a length would end here like a whole one
        with suppress(OSError):  # whoever asked has hung up already
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
        writer.transport.abort()
        return
    body = f"ddax: {reason}\n".encode("ascii", "replace")
    head = (
        f"HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Type: text/plain; charset=us-ascii\r\n"
        f"X-Ddax-Egress: {'refused' if status == 403 else 'failed'}\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    writer.write(head.encode() + body)

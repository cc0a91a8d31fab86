"""A local web for the guard's benchmark and tests: pages, faults, traps and hostile bodies, all counted.

Every answer is written by hand on a raw socket, so that it may be as wrong as a hostile one.
"""

from __future__ import annotations

import asyncio
import gzip
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

Writer = asyncio.StreamWriter
Answer = Callable[[Writer], Awaitable[None]]
HERE = "127.0.0.1"


@dataclass
class Asked:
    """One request: to which name, for what, with which fields, and when it began and ended."""

    host: str
    path: str
    fields: Mapping[str, str]
    began: float
    ended: float = 0.0


@dataclass
class Site:
    """A server that answers by path, and by host and path where that is stated; counts what it was asked."""

    answers: dict[str, Answer]
    port: int = 0
    asked: list[Asked] = field(default_factory=list)
    now: dict[str, int] = field(default_factory=Counter)
    most: dict[str, int] = field(default_factory=Counter)

    def url(self, path: str, host: str = HERE) -> str:
        """Return the address of a path under a name."""
        return f"http://{host}:{self.port}{path}"

    def hits(self, host: str = "", *, robots: bool = False) -> list[str]:
        """Return the paths that were asked for, of one host or of all."""
        return [a.path for a in self.asked
                if (not host or a.host == host) and (robots or a.path != "/robots.txt")]  # fmt: skip

    async def serve(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        """Answer one request; one that is still being answered at the end is dropped without a word."""
        ended = (OSError, EOFError, asyncio.LimitOverrunError, ValueError, asyncio.CancelledError)
        with suppress(*ended):
            await self._answer(reader, writer)
        with suppress(OSError):
            writer.close()
            await writer.wait_closed()

    async def _answer(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        first, *rest = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        fields = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in rest if line)}
        host = fields.get("host", "").rsplit(":", 1)[0]
        path = first.split(" ")[1]
        note = Asked(host, path, fields, time.monotonic())
        self.asked.append(note)
        self.now[host] += 1
        self.most[host] = max(self.most[host], self.now[host])
        try:
            plain = path.split("?")[0]
            found = self.answers.get(f"{host}{plain}") or self.answers.get(plain) or missing
            await found(writer)
            await writer.drain()
        finally:
            self.now[host] -= 1
            note.ended = time.monotonic()


@asynccontextmanager
async def serving(answers: dict[str, Answer]) -> AsyncIterator[Site]:
    """Serve a site on a free port of loopback."""
    site = Site(answers)
    server = await asyncio.start_server(site.serve, HERE, 0)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()


def head(status: int = 200, kind: str = "text/html; charset=utf-8", **fields: object) -> bytes:
    """Write the head of an answer."""
    lines = [f"HTTP/1.1 {status} Said"] + ([f"Content-Type: {kind}"] if kind else [])
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    return ("\r\n".join([*lines, "Connection: close", "", ""])).encode()


def page(
    body: str | bytes, status: int = 200, kind: str = "text/html; charset=utf-8", **fields: object
) -> Answer:
    """Answer with a body."""
    raw = body.encode() if isinstance(body, str) else body

    async def answer(writer: Writer) -> None:
        writer.write(head(status, kind, Content_Length=len(raw), **fields) + raw)

    return answer


def redirect(target: str, status: int = 302) -> Answer:
    """Answer that it is elsewhere."""
    return page("", status, Location=target)


missing = page("missing", 404)


def slow(seconds: float, inner: Answer) -> Answer:
    """Answer after a while."""

    async def answer(writer: Writer) -> None:
        await asyncio.sleep(seconds)
        await inner(writer)

    return answer


def endless(start: bytes, part: bytes, *, pause: float = 0.0) -> Answer:
    """Answer without end, until the other side hangs up."""

    async def answer(writer: Writer) -> None:
        writer.write(start)
        while True:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(pause)

    return answer


def raw(data: bytes) -> Answer:
    """Answer with just these bytes."""

    async def answer(writer: Writer) -> None:
        writer.write(data)

    return answer


def zipped(size: int, *, layers: int = 1) -> Answer:
    """Answer with zeros that unpack to a size."""
    body = bytes(size)
    for _ in range(layers):
        body = gzip.compress(body, 9)
    return page(body, Content_Encoding="gzip")


def hostile_bodies() -> dict[str, Answer]:
    """Return bodies that are too large, too slow, broken, or not what they say."""
    deep = "<div>" * 50_000
    laughs = (
        '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha">'
        + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True))
        + "]><l>&i;</l>"
    )
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    line = b"HTTP/1.1 200 OK\r\n"
    return {
        "/body/plain-without-end": endless(head(kind="text/plain"), b"x" * 65_536),
        "/body/chunked-without-end": endless(head(kind="text/plain", Transfer_Encoding="chunked"), chunk),
        "/body/zeros-1000-to-1": zipped(50_000_000),
        "/body/zeros-twice": zipped(50_000_000, layers=2),
        "/body/gzip-cut": raw(head(Content_Encoding="gzip") + gzip.compress(b"x" * 100_000)[:60]),
        "/body/gzip-not": page(b"plain after all", Content_Encoding="gzip"),
        "/body/brotli": page(b"\x0b\x02\x80", Content_Encoding="br"),
        "/body/zstd": page(b"\x28\xb5\x2f\xfd", Content_Encoding="zstd"),
        "/body/deflate": page(b"x\x9c\x03\x00", Content_Encoding="deflate"),
        "/body/encoding-unknown": page(b"abc", Content_Encoding="x-made-up"),
        "/body/too-short": raw(head(Content_Length=1000) + b"<p>only this"),
        "/body/too-long": raw(head(Content_Length=3) + b"<p>more than three"),
        "/body/lengths-differ": raw(line + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
        "/body/length-negative": raw(line + b"Content-Length: -1\r\n\r\nabc"),
        "/body/no-type": raw(head(kind="") + b"Words with no type, and enough of them."),
        "/body/png-as-html": page(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(200)),
        "/body/elf-as-html": page(b"\x7fELF\x02\x01\x01" + bytes(200)),
        "/body/zip-as-html": page(b"PK\x03\x04" + bytes(200)),
        "/body/zip": page(b"PK\x03\x04" + bytes(200), kind="application/zip"),
        "/body/pdf-broken": page(b"%PDF-1.7\n" + b"obj" * 5000, kind="application/pdf"),
        "/body/pdf-loop": page(b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 1 0 R/Kids[1 0 R]>>endobj\n"
                               b"trailer<</Root 1 0 R>>", kind="application/pdf"),
        "/body/one-line": page(b"x" * 4_900_000, kind="text/plain"),
        "/body/fields-many": raw(line + b"".join(b"X-%d: y\r\n" % i for i in range(20_000)) + b"\r\nabc"),
        "/body/field-large": raw(line + b"X-Large: " + b"y" * 1_000_000 + b"\r\n\r\nabc"),
        "/body/head-drip": endless(line, b"X-Drip: y\r\n", pause=0.2),
        "/body/body-drip": endless(head(kind="text/plain"), b"x", pause=0.2),
        "/body/silence": slow(60.0, missing),
        "/body/utf-7": page(b"+ADw-script+AD4-alert(1)+ADw-/script+AD4-", kind="text/html; charset=utf-7"),
        "/body/utf-16": page("ﬁne words in UTF-16".encode("utf-16"), kind="text/html"),
        "/body/mixed": page("grün ".encode() + "grün".encode("latin-1"), kind="text/html; charset=utf-8"),
        "/body/surrogates": page(b'{"a": "\\ud800 \\udc00\\ud800"}', kind="application/json"),
        "/body/laughs": page(laughs, kind="application/xml"),
        "/body/deep": page(deep + "<p>below"),
        "/body/deep-json": page("[" * 200_000, kind="application/json"),
        "/body/not-http": raw(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"),
        "/body/nothing": raw(b""),
    }  # fmt: skip

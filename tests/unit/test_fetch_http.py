"""Fetching over real sockets: pinning, redirects, caps, refusals, and pages as documents."""

from __future__ import annotations

import asyncio
import gzip
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from ddax.actions.fetch import Limits, fetch
from ddax.actions.sources import Bounds, open_library
from ddax.actions.sources.web import read_url
from ddax.actions.web import reading
from ddax.errors import ActionError, Blocked, NotAllowed, SourceError
from ddax.memory.embeddings import HashEmbedder

HERE = ("127.0.0.1", "localhost")


async def test_a_page_is_fetched_from_an_allowed_host_only(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/a").respond_with_data("hallo", content_type="text/plain; charset=utf-8")
    found = await fetch(httpserver.url_for("/a#part"), allow_hosts=HERE)
    assert (found.body, found.content_type, found.charset, found.status) == (
        b"hallo",
        "text/plain",
        "utf-8",
        200,
    )
    with pytest.raises(NotAllowed, match="not public"):
        await fetch(httpserver.url_for("/a"))


async def test_the_checked_address_is_the_one_connected_to(httpserver: HTTPServer) -> None:
    seen: list[str] = []
    asked: list[str] = []

    def answer(request: Request) -> Response:
        seen.append(request.host)
        return Response("ok")

    async def resolver(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    httpserver.expect_request("/").respond_with_handler(answer)
    await fetch(f"http://Pinned.Test:{httpserver.port}/", allow_hosts=["pinned.test"], resolver=resolver)
    assert seen == [f"pinned.test:{httpserver.port}"] and asked == ["pinned.test"]


async def test_each_hop_is_checked_again(httpserver: HTTPServer) -> None:
    port = httpserver.port
    httpserver.expect_request("/ok").respond_with_data("ok")
    for name, target in (
        ("/rel", "ok"), ("/private", f"http://127.0.0.1:{port}/ok"), ("/file", "file:///etc/passwd"),
        ("/loop", "/loop"),
    ):  # fmt: skip
        httpserver.expect_request(name).respond_with_data("", status=302, headers={"Location": target})
    base = f"http://localhost:{port}"
    assert (await fetch(f"{base}/rel", allow_hosts=["localhost"])).url == f"{base}/ok"
    with pytest.raises(NotAllowed):
        await fetch(f"{base}/private", allow_hosts=["localhost"])
    for name, kind in (("/file", "bad_scheme"), ("/loop", "redirects")):
        with pytest.raises(ActionError) as caught:
            await fetch(base + name, allow_hosts=["localhost"])
        assert caught.value.kind == kind


@pytest.mark.parametrize(
    ("status", "kind", "retriable"),
    [(404, "not_found", False), (410, "not_found", False), (500, "http_500", True), (503, "http_503", True),
     (401, "http_401", False), (408, "http_408", True), (304, "http_304", False)],
)  # fmt: skip
async def test_failures_have_a_kind(httpserver: HTTPServer, status: int, kind: str, retriable: bool) -> None:
    httpserver.expect_request("/").respond_with_data("no", status=status)
    with pytest.raises(ActionError) as caught:
        await fetch(httpserver.url_for("/"), allow_hosts=HERE)
    assert (caught.value.kind, caught.value.retriable) == (kind, retriable)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"Retry-After": "7"}, 7.0), ({"Retry-After": "999999"}, 3600.0), ({}, 300.0),
     ({"Retry-After": "soon"}, 300.0), ({"Retry-After": "Fri, 01 Jan 2100 00:00:00 GMT"}, 3600.0),
     ({"Retry-After": "Fri, 01 Jan 2100 00:00:00 -0000"}, 3600.0), ({"Retry-After": "\u00b2"}, 300.0)],
)  # fmt: skip
@pytest.mark.parametrize("status", [403, 429, 451])
async def test_a_refusal_cools_down(
    httpserver: HTTPServer, status: int, headers: dict[str, str], seconds: float
) -> None:
    httpserver.expect_request("/").respond_with_data("no", status=status, headers=headers)
    with pytest.raises(Blocked) as caught:
        await fetch(httpserver.url_for("/"), allow_hosts=HERE)
    assert (caught.value.cooldown, caught.value.status) == (seconds, status)


async def test_bodies_are_capped_after_decoding(httpserver: HTTPServer) -> None:
    bomb = gzip.compress(b"\0" * 200_000_000)
    httpserver.expect_request("/bomb").respond_with_data(bomb, headers={"Content-Encoding": "gzip"})
    httpserver.expect_request("/plain").respond_with_data(b"x" * 2000)
    for name in ("/bomb", "/plain"):
        with pytest.raises(ActionError) as caught:
            await fetch(httpserver.url_for(name), allow_hosts=HERE, limits=Limits(max_bytes=1999))
        assert caught.value.kind == "too_large"
    assert (
        len((await fetch(httpserver.url_for("/plain"), allow_hosts=HERE, limits=Limits(max_bytes=2000))).body)
        == 2000
    )


async def test_encodings_are_unpacked_or_refused(httpserver: HTTPServer) -> None:
    members = gzip.compress(b"one ") + gzip.compress(b"two") + b"\0\0"
    bodies = {"/two": (members, "gzip"), "/br": (b"x", "br"),
              "/cut": (gzip.compress(b"abc" * 99)[:-9], "gzip"), "/lie": (b"plain", "gzip")}  # fmt: skip
    for name, (body, encoding) in bodies.items():
        httpserver.expect_request(name).respond_with_data(body, headers={"Content-Encoding": encoding})
    assert (await fetch(httpserver.url_for("/two"), allow_hosts=HERE)).body == b"one two"
    for name, kind in (("/br", "bad_encoding"), ("/lie", "bad_encoding"), ("/cut", "transport")):
        with pytest.raises(ActionError) as caught:
            await fetch(httpserver.url_for(name), allow_hosts=HERE)
        assert caught.value.kind == kind


@asynccontextmanager
async def raw_server(answer: Callable[[asyncio.StreamWriter], object]) -> AsyncIterator[int]:
    """Serve what no honest server would send."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        try:
            await answer(writer)  # type: ignore[misc]
        except ConnectionError:
            return
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def test_a_dripping_server_is_left_at_the_total_time() -> None:
    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(900):
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.05)

    async with raw_server(drip) as port:
        start = time.perf_counter()
        with pytest.raises(ActionError) as caught:
            await fetch(f"http://127.0.0.1:{port}/", allow_hosts=HERE, limits=Limits(total_seconds=0.4))
        assert time.perf_counter() - start < 20
    assert caught.value.kind == "timeout" and caught.value.retriable


async def test_pages_that_are_sources_share_the_time_they_may_take(tmp_path: Path) -> None:
    async def slow(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.3)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nwords")
        await writer.drain()

    async with raw_server(slow) as port:
        pages = [f"http://127.0.0.1:{port}/{number}" for number in range(9)]
        given = {"embedder": HashEmbedder(), "cache_dir": tmp_path}
        with pytest.raises(SourceError, match=r"/[1-8]' cannot be fetched.* max_seconds = 1\.5 was over"):
            await open_library(pages, bounds=Bounds(HERE, seconds=1.5), **given)


async def test_broken_answers_and_closed_ports_are_transport_failures() -> None:
    async def nonsense(writer: asyncio.StreamWriter) -> None:
        writer.write(b"nonsense\r\n\r\n")
        await writer.drain()

    async with raw_server(nonsense) as port:
        with pytest.raises(ActionError) as caught:
            await fetch(f"http://127.0.0.1:{port}/", allow_hosts=HERE)
        assert caught.value.kind == "transport"
    with pytest.raises(ActionError) as caught:
        await fetch(f"http://127.0.0.1:{port}/", allow_hosts=HERE)
    assert caught.value.kind == "connect" and caught.value.retriable


async def test_a_page_that_takes_too_long_to_read_is_refused_and_holds_nothing_up(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "Reader", partial(reading.Reader, seconds=1.0))
    httpserver.expect_request("/deep").respond_with_data("<div>" * 200_000, content_type="text/html")
    read = asyncio.create_task(read_url(httpserver.url_for("/deep"), allow_hosts=HERE))
    longest, last = 0.0, time.monotonic()
    while not read.done():
        await asyncio.sleep(0.01)
        longest, last = max(longest, time.monotonic() - last), time.monotonic()
    with pytest.raises(ActionError, match="longer than 1 s") as caught:
        await read
    assert caught.value.kind == "unreadable" and longest < 2.0


async def test_pages_become_documents(httpserver: HTTPServer, tmp_path: Path) -> None:
    page = "<title>Herons</title><p>The heron wades. <a href='/next#x'>more</a></p>"
    httpserver.expect_request("/page").respond_with_data(page, content_type="text/html")
    httpserver.expect_request("/png").respond_with_data(b"\x89PNG\0", content_type="image/png")
    httpserver.expect_request("/lie").respond_with_data(b"\x89PNG\0\0", content_type="text/html")
    httpserver.expect_request("/none").respond_with_data(b"", content_type="text/html")
    document = await read_url(httpserver.url_for("/page"), allow_hosts=HERE)
    assert (document.title, document.text) == ("Herons", "The heron wades. more")
    assert document.links == (httpserver.url_for("/next"),)
    for name, kind in (("/png", "not_text"), ("/lie", "not_text"), ("/none", "empty")):
        with pytest.raises(ActionError) as caught:
            await read_url(httpserver.url_for(name), allow_hosts=HERE)
        assert caught.value.kind == kind
    options = {"embedder": HashEmbedder(), "cache_dir": tmp_path, "bounds": Bounds(HERE)}
    library = await open_library([httpserver.url_for("/page")], **options)
    assert (await library.search("heron", mode="lexical"))[0].source == httpserver.url_for("/page")
    assert (await library.read(httpserver.url_for("/page"))).title == "Herons"
    with pytest.raises(SourceError, match="gone"):
        await open_library([httpserver.url_for("/gone")], **options)

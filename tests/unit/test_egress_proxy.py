"""The egress proxy over real sockets: what passes, what is refused and why, caps, one host a connection."""

from __future__ import annotations

import asyncio
import gc
import socket
import struct
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import httpx
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from ddax.actions.egress import EgressPolicy, policy_of
from ddax.actions.web.proxy import EgressProxy, ProxyLimits, egress_proxy

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], object]


def named(*resolved: str, **settings: list[str]) -> EgressPolicy:
    """Make a policy whose names resolve to fixed addresses, one answer after the other."""
    answers = list(resolved)

    async def resolver(host: str, port: int) -> list[str]:
        return [answers.pop(0) if len(answers) > 1 else answers[0]]

    return policy_of(**settings, resolver=resolver)


@asynccontextmanager
async def through(
    policy: EgressPolicy, **limits: int
) -> AsyncIterator[tuple[EgressProxy, httpx.AsyncClient]]:
    async with (
        egress_proxy(policy, clock=time.time, limits=ProxyLimits(**limits)) as proxy,
        httpx.AsyncClient(proxy=proxy.url, trust_env=False) as client,
    ):
        yield proxy, client


async def said(proxy: EgressProxy, raw: bytes) -> bytes:
    """Send bytes to the proxy and return all it answers."""
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    writer.write(raw)
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer


@asynccontextmanager
async def host(answer: Answer) -> AsyncIterator[int]:
    """Serve every connection by a function on a free port."""
    server = await asyncio.start_server(answer, "127.0.0.1", 0)  # type: ignore[arg-type]
    async with server:
        yield server.sockets[0].getsockname()[1]


async def test_a_named_host_passes_and_another_does_not(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/a").respond_with_data("hallo")
    async with through(policy_of(allow_hosts=["localhost"])) as (proxy, client):
        found = await client.get(f"http://localhost:{httpserver.port}/a?secret=1")
        refused = await client.get(f"http://127.0.0.1:{httpserver.port}/a")
    assert (found.status_code, found.text) == (200, "hallo")
    assert refused.status_code == 403 and "not public" in refused.text
    passed, blocked = proxy.log
    assert (passed.ruling, passed.method, passed.address) == ("passed", "GET", "127.0.0.1")
    assert passed.target == f"http://localhost:{httpserver.port}/a" and passed.received >= 5
    assert (blocked.ruling, blocked.kind) == ("refused", "not_allowed") and not blocked.address
    assert len(httpserver.log) == 1


async def test_a_tunnel_is_checked_like_a_page(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/in").respond_with_data("inside")
    asked = f"localhost:{httpserver.port}"
    async with egress_proxy(policy_of(allow_hosts=["localhost"]), clock=time.time) as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(f"CONNECT {asked} HTTP/1.1\r\nHost: {asked}\r\n\r\n".encode())
        assert b" 200 " in await reader.readuntil(b"\r\n\r\n")
        writer.write(f"GET /in HTTP/1.1\r\nHost: {asked}\r\nConnection: close\r\n\r\n".encode())
        assert (await reader.read()).endswith(b"inside")
        writer.close()
        await writer.wait_closed()
        refused = await said(proxy, f"CONNECT 127.0.0.1:{httpserver.port} HTTP/1.1\r\n\r\n".encode())
    assert refused.startswith(b"HTTP/1.1 403 ") and b"not public" in refused
    assert [exchange.target for exchange in proxy.log] == [asked, f"127.0.0.1:{httpserver.port}"]


@pytest.mark.parametrize(
    "mapped", ["127.0.0.1", "10.0.0.7", "169.254.169.254", "::ffff:127.0.0.1", "fd00::1"]
)
async def test_a_public_name_with_a_private_address_is_refused(mapped: str) -> None:
    async with through(named(mapped)) as (proxy, client):
        answer = await client.get("http://innocent.test/")
    assert answer.status_code == 403 and mapped in answer.text
    assert [exchange.ruling for exchange in proxy.log] == ["refused"]


async def test_a_name_is_resolved_once_and_its_checked_address_is_the_one_connected_to(
    httpserver: HTTPServer,
) -> None:
    httpserver.expect_request("/").respond_with_data("pinned")
    policy = named("127.0.0.1", "10.0.0.7", allow_hosts=["rebind.test"])
    async with through(policy) as (proxy, client):
        answer = await client.get(f"http://rebind.test:{httpserver.port}/")
    assert answer.text == "pinned" and proxy.log[0].address == "127.0.0.1"
    assert await policy.resolver("rebind.test", 80) == ["10.0.0.7"]


async def test_a_redirect_into_the_own_network_is_refused(httpserver: HTTPServer) -> None:
    target = f"http://127.0.0.1:{httpserver.port}/inner"
    httpserver.expect_request("/go").respond_with_data("", status=302, headers={"Location": target})
    async with through(policy_of(allow_hosts=["localhost"])) as (_, client):
        answer = await client.get(f"http://localhost:{httpserver.port}/go", follow_redirects=True)
    assert answer.status_code == 403 and [r.path for r, _ in httpserver.log] == ["/go"]


async def test_what_follows_a_request_never_reaches_its_host() -> None:
    seen = bytearray()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.extend(await reader.readuntil(b"\r\n\r\n"))
        seen.extend(await reader.readexactly(3))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok")
        seen.extend(await reader.read())
        writer.close()

    async with (
        host(answer) as port,
        egress_proxy(policy_of(allow_hosts=["localhost"]), clock=time.time) as proxy,
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        fields = "Content-Length: 3\r\nProxy-Authorization: x"
        first = f"POST http://localhost:{port}/ HTTP/1.1\r\n{fields}\r\n\r\nabc"
        writer.write(f"{first}GET http://bank.test/ HTTP/1.1\r\nCookie: mine\r\n\r\n".encode())
        found = await reader.readuntil(b"ok")
        writer.close()
        await writer.wait_closed()
    assert b"Connection: close" in found and b"keep-alive" not in found
    assert seen.endswith(b"abc") and b"mine" not in seen and b"Proxy-" not in seen


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "not asked of a proxy"),
        (b"GET file:///etc/passwd HTTP/1.1\r\n\r\n", "not asked of a proxy"),
        (b"nonsense\r\n\r\n", "is no request"),
        (b"CONNECT user@localhost:80 HTTP/1.1\r\n\r\n", "user name"),
        (b"CONNECT localhost:80/path HTTP/1.1\r\n\r\n", "no host and port"),
        (b"CONNECT localhost:22 HTTP/1.1\r\n\r\n", "port 22"),
        (b"GET http://localhost:6379/ HTTP/1.1\r\n\r\n", "port 6379"),
        (b"GET http://localhost:0/ HTTP/1.1\r\n\r\n", "port 0"),
        (b"GET http://localhost/ HTTP/1.1\r\n folded: x\r\n\r\n", "no header field"),
        (b"POST http://localhost:1234/ HTTP/1.1\r\nContent-Length: 1, 2\r\n\r\n", "states no length"),
    ],
)
async def test_an_odd_request_is_refused_with_its_reason(raw: bytes, why: str) -> None:
    async def nobody(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    async with (
        host(lambda reader, writer: writer.close()) as port,
        egress_proxy(policy_of(allow_hosts=["localhost"], resolver=nobody), clock=time.time) as proxy,
    ):
        answer = await said(proxy, raw.replace(b":1234", f":{port}".encode()))
    assert answer.startswith(b"HTTP/1.1 403 ") and why in answer.decode()
    assert [exchange.ruling for exchange in proxy.log] == ["refused"]


async def test_the_proxy_is_not_asked_for_itself() -> None:
    async with egress_proxy(policy_of(allow_hosts=["localhost"]), clock=time.time) as proxy:
        answer = await said(proxy, f"CONNECT localhost:{proxy.port} HTTP/1.1\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 403 ") and len(proxy.log) == 1


async def test_domains_are_ruled_by_name_before_anything_is_asked() -> None:
    asked: list[str] = []

    async def resolver(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["10.0.0.1"]

    policy = policy_of(only_domains=["example.org"], deny_domains=["bad.example.org"], resolver=resolver)
    async with through(policy) as (_, client):
        outside = await client.get("http://example.com/")
        denied = await client.get("http://x.bad.example.org/")
        await client.get("http://www.example.org/")
        lookalike = await client.get("http://notexample.org/")
    assert "outside of the domains" in outside.text and "outside of the domains" in lookalike.text
    assert "denied" in denied.text and asked == ["www.example.org"]


async def test_bytes_are_capped_and_a_cut_answer_is_not_taken_for_whole(httpserver: HTTPServer) -> None:
    def large(request: Request) -> Response:
        return Response((b"x" * 65_536 for _ in range(100)), content_type="text/plain")

    httpserver.expect_request("/").respond_with_handler(large)
    url = f"http://localhost:{httpserver.port}/"
    async with through(policy_of(allow_hosts=["localhost"]), connection_bytes=500_000) as (proxy, client):
        with pytest.raises(httpx.HTTPError):
            await client.get(url)
    assert 500_000 < proxy.log[0].received <= 500_000 + 65_536 and proxy.log[0].kind == "cap"
    async with through(policy_of(allow_hosts=["localhost"]), total_bytes=500_000) as (proxy, client):
        with pytest.raises(httpx.HTTPError):
            await client.get(url)
        assert "500,000 bytes in all" in (await client.get(url)).text
        assert [exchange.ruling for exchange in proxy.log] == ["refused", "refused"]


async def test_a_host_that_says_nothing_is_given_up() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with (
        host(silent) as port,
        through(policy_of(allow_hosts=["localhost"]), seconds=1) as (proxy, client),
    ):
        answer = await client.get(f"http://localhost:{port}/", timeout=None)
    assert answer.status_code == 504 and proxy.log[0].kind == "timeout"


async def test_an_answer_to_a_client_that_has_hung_up_is_a_failure_in_the_log_and_no_noise() -> None:
    gone, raised = asyncio.Event(), list[object]()

    async def late(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await gone.wait()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n\r\n" + b"x" * 65_536)
        writer.close()

    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: raised.append(context))
    async with host(late) as port, through(policy_of(allow_hosts=["localhost"])) as (proxy, _):
        _, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(f"GET http://localhost:{port}/ HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        while not proxy.log or not proxy.log[0].address:
            await asyncio.sleep(0.01)
        reset = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
        writer.transport.abort()
        await asyncio.sleep(0.1)
        gone.set()
        while proxy.log[0].ruling == "open":
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
    gc.collect()  # an exception that nobody asks for is told when its task goes
    assert proxy.log[0].kind == "transport" and raised == []


async def test_a_closed_port_is_a_failure_that_names_it() -> None:
    async with host(lambda reader, writer: None) as port:
        pass
    async with through(policy_of(allow_hosts=["localhost"])) as (proxy, client):
        answer = await client.get(f"http://localhost:{port}/")
    assert answer.status_code == 502 and proxy.log[0].kind == "connect" and "127.0.0.1" in answer.text


async def test_nothing_is_left_open_after_the_block() -> None:
    async with egress_proxy(policy_of(), clock=time.time) as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(b"GET ")
        await writer.drain()
    with pytest.raises((EOFError, ConnectionError)):
        await reader.readexactly(1)
    writer.close()
    with pytest.raises(OSError):
        await asyncio.open_connection("127.0.0.1", proxy.port)


async def test_a_site_that_does_not_read_is_left_with_its_connection_closed() -> None:
    deaf, hung_up = asyncio.Event(), asyncio.Event()

    async def unread(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        deaf.set()
        await hung_up.wait()
        writer.transport.abort()

    async with host(unread) as port:
        async with egress_proxy(
            policy_of(allow_hosts=["localhost"]), clock=time.time, limits=ProxyLimits(sent_bytes=64_000_000)
        ) as proxy:
            _, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
            head = f"POST http://localhost:{port}/ HTTP/1.1\r\nHost: localhost\r\n"
            head += "Content-Length: 32000000\r\n\r\n"
            writer.write(head.encode() + b"x" * 32_000_000)
            await deaf.wait()
            while True:  # until what the sockets hold is full
                before = proxy.log[0].sent
                await asyncio.sleep(0.2)
                if before and before == proxy.log[0].sent:
                    break
            writer.transport.abort()
        await asyncio.sleep(0)
        sides = [one for one in gc.get_objects() if isinstance(one, asyncio.Transport)]
        opened = [one for one in sides if (one.get_extra_info("peername") or (0, 0))[1] == port]
        assert [one for one in opened if one.get_extra_info("socket").fileno() >= 0] == []
        hung_up.set()


@pytest.mark.parametrize("ticks", range(8))
async def test_a_connection_that_comes_as_the_block_ends_is_closed(ticks: int) -> None:
    async with egress_proxy(policy_of(), clock=time.time) as proxy:
        with socket.create_connection(("127.0.0.1", proxy.port)) as client:
            for _ in range(ticks):  # from being asked for to being served takes some turns of the loop
                await asyncio.sleep(0)
            await proxy.close()
            client.settimeout(20)
            with suppress(ConnectionError):
                assert client.recv(1) == b""
    gc.collect()  # what is left open is told when it goes

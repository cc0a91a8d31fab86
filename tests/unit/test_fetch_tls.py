"""Over TLS the address is pinned, yet the name asked for and checked is the host's own."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ddax.actions.egress import policy_of
from ddax.actions.fetch import Limits, follow, open_client
from ddax.actions.web.transport import GuardedTransport
from ddax.errors import ActionError


async def here(host: str, port: int) -> list[str]:
    return ["127.0.0.1"]


async def test_the_certificate_must_be_of_the_host_and_not_of_the_address(
    tmp_path: Path, need: Callable[..., str]
) -> None:
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(
        [need("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=pinned.test",
         "-addext", "subjectAltName=DNS:pinned.test", "-keyout", key, "-out", cert],
        check=True, capture_output=True,
    )  # fmt: skip
    names: list[str | None] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    context.sni_callback = lambda _socket, name, _context: names.append(name)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    port = server.sockets[0].getsockname()[1]
    trusted = ssl.create_default_context(cafile=str(cert))
    policy = policy_of(allow_hosts=["pinned.test", "other.test"], resolver=here)
    transport = GuardedTransport(policy, clock=time.monotonic, max_bytes=1000, verify=trusted)
    async with server, open_client(transport) as client:
        found = await follow(client, f"https://pinned.test:{port}/", Limits())
        assert found.body == b"ok"
        with pytest.raises(ActionError, match="certificate"):
            await follow(client, f"https://other.test:{port}/", Limits())
    assert names == ["pinned.test", "other.test"]

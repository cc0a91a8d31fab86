"""Over TLS the address is pinned, yet the name asked for and checked is the host's own."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from ddax.actions.egress import checked_url
from ddax.actions.fetch import send
from ddax.errors import ActionError


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
    async with server, httpx.AsyncClient(trust_env=False, verify=trusted) as client:
        response = await send(client, checked_url(f"https://pinned.test:{port}/"), ["127.0.0.1"])
        assert response.status_code == 200
        await response.aclose()
        with pytest.raises(ActionError, match="certificate"):
            await send(client, checked_url(f"https://other.test:{port}/"), ["127.0.0.1"])
    assert names == ["pinned.test", "other.test"]

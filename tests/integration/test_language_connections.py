"""What is said of a server that does not answer, over real sockets: the client's own words mislead."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from langchain_openai import ChatOpenAI

from ddax.reasoning.language.provider.channel import Order
from ddax.reasoning.language.provider.failures import Failure, classify
from ddax.reasoning.language.provider.openai_wire import OpenAIChannel
from ddax.reasoning.language.replies.schemas import Wire

SECONDS = 0.5
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Word(Wire):
    word: str


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while await reader.read(1000):  # until the client gives up
        pass


async def hangs_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")


async def breaks_off(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{")
    await writer.drain()


async def speaks_something_else(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"SSH-2.0-OpenSSH_9.6\r\n")
    await writer.drain()
    await reader.readuntil(b"\r\n\r\n")


@contextlib.asynccontextmanager
async def served(serve: Serve) -> AsyncIterator[tuple[str, asyncio.Event]]:
    ended = asyncio.Event()

    async def serve_and_close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await serve(reader, writer)
        writer.close()
        await writer.wait_closed()
        ended.set()

    server = await asyncio.start_server(serve_and_close, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", ended


def channel_to(address: str) -> OpenAIChannel:
    return OpenAIChannel(
        ChatOpenAI(model="m", base_url=address, api_key="none", timeout=SECONDS, max_retries=0)
    )


async def failure_at(address: str, channel: OpenAIChannel | None = None) -> Failure:
    channel = channel or channel_to(address)
    try:
        with pytest.raises(Exception) as caught:
            await channel.say(Order((("human", "say a word"),), Word, "words"))
    finally:
        await channel.close()
    assert isinstance(caught.value, Exception)
    return classify(caught.value, lambda: 0.0)


@pytest.mark.parametrize(
    ("serve", "kind", "said"),
    [
        (silent, "timeout", "reading"),
        (hangs_up, "connection", "disconnected"),
        (breaks_off, "connection", "not completed"),
    ],
)
async def test_a_server_that_does_not_answer_is_told_by_what_it_did(
    serve: Serve, kind: str, said: str
) -> None:
    async with served(serve) as (address, ended):
        failure = await failure_at(address)
        await ended.wait()
    assert failure.kind == kind and failure.retriable
    assert said in failure.said


async def test_a_server_of_another_protocol_has_refused_no_request() -> None:
    async with served(speaks_something_else) as (address, ended):
        failure = await failure_at(address)
        await ended.wait()
    assert (failure.kind, failure.status, failure.retriable) == ("foreign", 0, False)


async def test_an_address_where_nobody_listens_is_no_timeout() -> None:
    async with served(silent) as (address, _):
        pass  # the port is free again
    failure = await failure_at(address)
    assert (failure.kind, failure.retriable) == ("connection", True)
    assert address.removeprefix("http://").removesuffix("/v1") in failure.said


async def test_the_event_loop_does_not_wait_for_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object, **__: object) -> None:
        raise AssertionError("certificates are read on the event loop")

    async with served(silent) as (address, _):
        pass  # nobody listens there any more
    channel = channel_to(address)
    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", read)
    assert (await failure_at(address, channel)).kind == "connection"

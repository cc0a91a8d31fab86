"""A language model made of a script behind OpenAI's protocol, in a process of its own, for all benchmarks.

A reply is a pure function of the request (content-addressed: the same request has the same reply), and
every request takes the same, settable time. It counts calls, tokens and how many were in flight, so that
what differs between two programs that use it is the programs. Its CPU is not theirs: it stands apart.

`python -m benchmarks.model_server MODULE:FUNCTION LATENCY` prints its address and serves until its
standard input ends. The function takes the body and returns a `Reply`, a text, or a value sent as JSON.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.core import ROOT

if TYPE_CHECKING:
    from ddax.memory.protocol import Embedder

Body = Mapping[str, Any]
Script = Callable[[Body], Any]
VECTOR = 64
"""Dimensions of an embedding."""
SENTENCES = "sentences"
"""The name of an embedding model with which the vectors are those of ours; else they are made of words."""
BACKLOG = 1024


@dataclass(frozen=True)
class Reply:
    """A text or calls of tools as (name, arguments as JSON); `kind` is what the log calls the request."""

    text: str = ""
    tools: tuple[tuple[str, str], ...] = ()
    kind: str = ""


class Call(NamedTuple):
    """One answered request: its content's hash, its kind, when it came and was answered, its tokens.

    `cacheable` are those of the tokens sent that a provider may have kept from an earlier call.
    """

    key: str
    kind: str
    start: float
    end: float
    tokens_in: int
    tokens_out: int
    cacheable: int = 0


def key_of(body: Body) -> str:
    """Return the hash of what a request asks; what does not change the reply is left out."""
    asked = {name: body.get(name) for name in ("messages", "input", "tools", "response_format", "n")}
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:16]


def tokens(text: str) -> int:
    """Estimate the tokens of a text: one for every four characters begun."""
    return (len(text) + 3) // 4


def sent(body: Body) -> int:
    """Estimate the tokens of a request: its messages and, as providers bill them, its schemas."""
    text = body.get("messages") or body.get("input") or ""
    parts = (text, body.get("tools"), body.get("response_format"))
    return sum(tokens(json.dumps(part, ensure_ascii=False)) for part in parts if part)


CACHED_FROM, CACHED_IN = 1_024, 128
"""Tokens from which on OpenAI keeps the beginning of a prompt, and in what steps."""


def beginning(body: Body) -> str:
    """Return a request as a provider reads it: its forms come before its messages."""
    parts = (body.get("response_format"), body.get("tools"), body.get("messages") or body.get("input"))
    return "".join(json.dumps(part, ensure_ascii=False) for part in parts if part)


def cacheable(text: str, earlier: Sequence[str]) -> int:
    """Return the tokens of a request that begin like those of an earlier one, as OpenAI counts them."""
    common = max((_alike(text, one) for one in earlier), default=0) // 4
    return 0 if common < CACHED_FROM else common - common % CACHED_IN


def _alike(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


class Model:
    """The script with its books: what was asked, and what is being asked now."""

    def __init__(self, script: Script, latency: float) -> None:
        self.script, self.latency = script, latency
        self.clear()

    def clear(self) -> None:
        """Forget every call."""
        self.calls: list[Call] = []
        self._answered: list[str] = []
        self.active = self.peak = self.failed = 0
        self.error = ""

    async def answer(self, path: str, body: Body) -> bytes | None:
        """Return the bytes of a whole reply after the latency; None for an unknown path."""
        if path not in ("/v1/chat/completions", "/v1/embeddings"):
            return None
        start = time.perf_counter()
        self.active += 1
        self.peak = max(self.peak, self.active)
        try:
            data, kind, out = self._embedded(body) if path.endswith("embeddings") else self._said(body)
            if kind != "embedding":
                await asyncio.sleep(max(0.0, start + self.latency - time.perf_counter()))
        except Exception as error:
            self.failed += 1
            self.error = self.error or repr(error)[-300:]
            raise
        finally:
            self.active -= 1
        text = beginning(body)
        kept = cacheable(text, self._answered)
        self._answered.append(text)
        self.calls.append(Call(key_of(body), kind, start, time.perf_counter(), sent(body), out, kept))
        return data

    def _said(self, body: Body) -> tuple[bytes, str, int]:
        said = self.script(body)
        reply = (
            said if isinstance(said, Reply) else Reply(said if isinstance(said, str) else json.dumps(said))
        )
        out = tokens(reply.text or json.dumps(reply.tools)) * int(body.get("n") or 1)
        asked = sent(body)
        usage = {"prompt_tokens": asked, "completion_tokens": out, "total_tokens": asked + out}
        make = _stream if body.get("stream") else _whole
        return make(body, reply, usage), reply.kind or "chat", out

    def _embedded(self, body: Body) -> tuple[bytes, str, int]:
        given = body["input"]
        texts = [given] if isinstance(given, str) else given
        vectors = sentences(texts) if body.get("model") == SENTENCES else [vector(text) for text in texts]
        rows = [{"object": "embedding", "index": n, "embedding": v} for n, v in enumerate(vectors)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        found = {"object": "list", "data": rows, "model": body.get("model", ""), "usage": usage}
        return json.dumps(found).encode(), "embedding", 0

    def books(self) -> dict[str, Any]:
        """Return everything counted since the last clearing."""
        return {
            "peak": self.peak,
            "failed": self.failed,
            "error": self.error,
            "calls": [call._asdict() for call in self.calls],
        }


def vector(text: Any) -> list[float]:
    """Return a unit vector of the words of a text: each word's own direction, drawn from its hash."""
    words = str(text).lower().split() or [""]
    sums = [0.0] * VECTOR
    for word in words:
        for n, byte in enumerate(hashlib.blake2b(word.encode(), digest_size=VECTOR).digest()):
            sums[n] += byte - 127.5
    length = sum(x * x for x in sums) ** 0.5 or 1.0
    return [x / length for x in sums]


@cache
def _encoder() -> Embedder:
    from ddax.memory.embeddings import CachedEmbedder, open_embedder

    return CachedEmbedder(open_embedder())


def sentences(texts: Sequence[str]) -> list[list[float]]:
    """Return the vectors that ours uses itself, so that who asks for embeddings has no worse ones."""
    found: list[list[float]] = _encoder().embed(texts).tolist()
    return found


def _message(reply: Reply) -> dict[str, Any]:
    if not reply.tools:
        return {"role": "assistant", "content": reply.text}
    calls = [
        {"id": f"call_{hashlib.sha256((a + str(n)).encode()).hexdigest()[:12]}", "type": "function",
         "function": {"name": name, "arguments": a}}
        for n, (name, a) in enumerate(reply.tools)
    ]  # fmt: skip
    return {"role": "assistant", "content": reply.text or None, "tool_calls": calls}


def _whole(body: Body, reply: Reply, usage: Mapping[str, int]) -> bytes:
    reason = "tool_calls" if reply.tools else "stop"
    choices = [
        {"index": n, "message": _message(reply), "finish_reason": reason}
        for n in range(int(body.get("n") or 1))
    ]
    head = {"id": "chatcmpl-script", "object": "chat.completion", "created": 0}
    return json.dumps({**head, "model": body.get("model", ""), "choices": choices, "usage": usage}).encode()


def _stream(body: Body, reply: Reply, usage: Mapping[str, int]) -> bytes:
    message = _message(reply)
    for n, call in enumerate(message.get("tool_calls", ())):
        call["index"] = n
    head = {
        "id": "chatcmpl-script",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": body.get("model", ""),
    }
    reason = "tool_calls" if reply.tools else "stop"
    chunks: list[dict[str, Any]] = [
        {**head, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
    ]
    if (body.get("stream_options") or {}).get("include_usage"):
        chunks.append({**head, "choices": [], "usage": usage})
    return "".join([*(f"data: {json.dumps(c)}\n\n" for c in chunks), "data: [DONE]\n\n"]).encode()


async def handle(model: Model, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Serve one connection, request after request."""
    try:
        while (line := await reader.readline()).strip():
            path = line.split()[1].decode()
            size = 0
            while (header := await reader.readline()).strip():
                name, _, value = header.decode("latin-1").partition(":")
                size = int(value) if name.lower() == "content-length" else size
            given = json.loads(await reader.readexactly(size) or b"{}")
            status, kind, data = await _served(model, path, given)
            head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(data)}\r\n\r\n"
            writer.write(head.encode() + data)
            await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        return  # the client went, as one that is killed does
    finally:
        writer.close()


async def _served(model: Model, path: str, given: Any) -> tuple[str, str, bytes]:
    if path == "/control/books":
        return "200 OK", "application/json", json.dumps(model.books()).encode()
    if path == "/control/clear":
        model.clear()
        model.latency = float(given.get("latency", model.latency))
        return "200 OK", "application/json", b"{}"
    try:
        data = await model.answer(path, given)
    except (KeyError, ValueError, TypeError, IndexError) as error:
        message = {"error": {"message": f"the script has no reply: {error!r}", "type": "script"}}
        return "400 Bad Request", "application/json", json.dumps(message).encode()
    if data is None:
        return "404 Not Found", "application/json", b'{"error": {"message": "no such path"}}'
    streams = path.endswith("completions") and given.get("stream")
    return "200 OK", "text/event-stream" if streams else "application/json", data


async def serve(script: Script, latency: float) -> None:
    """Serve on a free port of the loopback until standard input ends."""
    model = Model(script, latency)
    server = await asyncio.start_server(
        lambda r, w: handle(model, r, w), "127.0.0.1", 0, backlog=BACKLOG, limit=2**24
    )
    async with server:
        print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
        await asyncio.to_thread(sys.stdin.read)


@dataclass(frozen=True)
class Served:
    """A running server: its address, and its books."""

    base: str

    def clear(self, latency: float | None = None) -> None:
        """Forget every call, and set the latency in seconds."""
        self._ask("clear", {} if latency is None else {"latency": latency})

    def books(self) -> dict[str, Any]:
        """Return what was counted: `peak` in flight, `failed`, the first `error`, `calls` as of `Call`."""
        found: dict[str, Any] = self._ask("books", {})
        return found

    def _ask(self, what: str, given: Mapping[str, Any]) -> Any:
        address = self.base.removesuffix("/v1") + f"/control/{what}"
        with urllib.request.urlopen(urllib.request.Request(address, json.dumps(given).encode())) as reply:
            return json.load(reply)


@contextmanager
def model_server(script: str, latency: float = 0.0) -> Iterator[Served]:
    """Run a server; `script` is MODULE:FUNCTION, `latency` in seconds."""
    command = [sys.executable, "-m", "benchmarks.model_server", script, str(latency)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        try:
            yield Served(child.stdout.readline().strip())
        finally:
            child.stdin.close()


def main(script: str, latency: str) -> None:
    """Serve a script by its name."""
    module, _, function = script.partition(":")
    asyncio.run(serve(getattr(import_module(module), function), float(latency)))


if __name__ == "__main__":
    # Under its own name, so that a script's `Reply` is the one that is known here.
    import_module("benchmarks.model_server").main(*sys.argv[1:])

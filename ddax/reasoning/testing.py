"""A local server with the wire format of OpenAI's chat completions, replying from a script.

For tests of anything that speaks this protocol: real HTTP on a loopback port, JSON-schema requests
recorded, streaming, usage, errors with headers, slow and broken replies. Keeps no state between servers.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

MODEL = "scripted-model"


@dataclass(frozen=True)
class Say:
    """A scripted reply. `content` is the text, or a JSON value that is sent as text.

    A `status` other than 200 sends an error body with `content` as its message; `raw` sends those bytes
    as the whole body; `delay` is in seconds; `cut` closes the connection in the middle of the body.
    `pieces` are sent one by one as events, with a `pause` in seconds before each. `tools` are calls as
    (name, arguments as text) instead of a text; `thought` stands beside it as `reasoning_content`.
    """

    content: Any = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    finish_reason: str = "stop"
    usage: Mapping[str, Any] | None = field(
        default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    )
    refusal: str | None = None
    delay: float = 0.0
    raw: bytes | None = None
    cut: bool = False
    code: str | None = None
    tools: tuple[tuple[str, str], ...] = ()
    thought: str = ""
    pieces: tuple[bytes, ...] = ()
    pause: float = 0.0

    @property
    def text(self) -> str:
        """Return the content as text."""
        return self.content if isinstance(self.content, str) else json.dumps(self.content)


class FakeOpenAI:
    """Serve scripted replies at `base_url`, in order; `requests` holds the bodies, `keys` the API keys.

    Use as a context manager. A request beyond the script is answered by `answer` from its body, as
    `ddax.reasoning.rote.reply` does; without one it gets status 418, which nobody retries.
    """

    def __init__(
        self,
        replies: Iterable[Say | Any] = (),
        *,
        answer: Callable[[dict[str, Any]], Say | Any] | None = None,
    ) -> None:
        self._answer = answer
        self.replies = [reply if isinstance(reply, Say) else Say(reply) for reply in replies]
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        """Return the address to give as the base URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def add(self, *replies: Say | Any) -> None:
        """Append replies to the script."""
        with self._lock:
            self.replies.extend(reply if isinstance(reply, Say) else Say(reply) for reply in replies)

    def __enter__(self) -> FakeOpenAI:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop serving; safe to call twice."""
        if not self._stopping.is_set():
            self._stopping.set()
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()

    def take(self, body: dict[str, Any], key: str) -> Say:
        """Record a request and return the next reply of the script."""
        with self._lock:
            self.requests.append(body)
            self.keys.append(key)
            if self.replies:
                return self.replies.pop(0)
        if self._answer is None:
            return Say("the script is exhausted", status=418)
        said = self._answer(body)
        return said if isinstance(said, Say) else Say(said)

    def wait(self, seconds: float) -> None:
        """Wait, or until the server stops."""
        self._stopping.wait(seconds)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                size = int(self.headers.get("content-length") or 0)
                body = json.loads(self.rfile.read(size) or b"{}")
                key = (self.headers.get("authorization") or "").removeprefix("Bearer ")
                say = server.take(body, key)
                server.wait(say.delay)
                try:
                    self._answer(say, body)
                except (BrokenPipeError, ConnectionResetError):
                    # The client gave up waiting; that is what a slow reply is scripted for.
                    self.close_connection = True

            def _answer(self, say: Say, body: dict[str, Any]) -> None:
                if self.path != "/v1/chat/completions":
                    say = Say(f"no such path {self.path}", status=404)
                if say.pieces:
                    self._send_slowly(say)
                elif say.raw is None and say.status == 200 and body.get("stream"):
                    self._send(_stream(say, body), "text/event-stream", say)
                else:
                    self._send(say.raw if say.raw is not None else _body(say, body), "application/json", say)

            def _send(self, data: bytes, kind: str, say: Say) -> None:
                self.send_response(say.status)
                headers = {"content-type": kind, "content-length": str(len(data)), **say.headers}
                for name, value in headers.items():
                    self.send_header(name, value)
                if say.cut:
                    self.send_header("connection", "close")
                self.end_headers()
                self.wfile.write(data[: len(data) // 2] if say.cut else data)
                self.close_connection = self.close_connection or say.cut

            def _send_slowly(self, say: Say) -> None:
                self.send_response(say.status)
                for name, value in {"content-type": "text/event-stream", **say.headers}.items():
                    self.send_header(name, value)
                self.send_header("connection", "close")
                self.end_headers()
                for piece in say.pieces:
                    server.wait(say.pause)
                    self.wfile.write(piece)
                    self.wfile.flush()
                self.close_connection = True

            def log_message(self, format: str, *args: Any) -> None:
                """Keep quiet."""

        return Handler


def _head(body: Mapping[str, Any], kind: str) -> dict[str, Any]:
    model = body.get("model", MODEL)
    return {"id": "chatcmpl-scripted", "object": kind, "created": int(time.time()), "model": model}


def _body(say: Say, body: Mapping[str, Any]) -> bytes:
    """Return a whole completion, or an error in OpenAI's form."""
    if say.status != 200:
        error = {"message": say.text, "type": "scripted_error", "param": None, "code": say.code}
        return json.dumps({"error": error}).encode()
    message: dict[str, Any] = {"role": "assistant", "content": say.text, "refusal": say.refusal}
    if say.thought:
        message["reasoning_content"] = say.thought
    if say.tools:
        message |= {"content": None, "tool_calls": _calls(say)}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": say.finish_reason}
    whole = {**_head(body, "chat.completion"), "choices": [choice]}
    return json.dumps(whole | ({} if say.usage is None else {"usage": dict(say.usage)})).encode()


def _calls(say: Say) -> list[dict[str, Any]]:
    return [
        {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for n, (name, arguments) in enumerate(say.tools)
    ]


def _stream(say: Say, body: Mapping[str, Any]) -> bytes:
    """Return a completion as server-sent events, usage last where it is asked for."""
    head = _head(body, "chat.completion.chunk")
    step = max(16, len(say.text) // 1_000)  # a long text in no more than a thousand pieces
    pieces = [say.text[i : i + step] for i in range(0, len(say.text), step)]
    deltas: list[dict[str, Any]] = [
        {"role": "assistant", "content": ""} | ({"reasoning_content": say.thought} if say.thought else {}),
        *({"content": x} for x in pieces if not say.tools),
        *({"tool_calls": [{"index": n, **call}]} for n, call in enumerate(_calls(say))),
        {},
    ]
    chunks: list[dict[str, Any]] = [
        {
            **head,
            "choices": [
                {
                    "index": 0,
                    "delta": delta,
                    "finish_reason": say.finish_reason if n == len(deltas) - 1 else None,
                }
            ],
        }
        for n, delta in enumerate(deltas)
    ]
    if (body.get("stream_options") or {}).get("include_usage") and say.usage is not None:
        chunks.append({**head, "choices": [], "usage": dict(say.usage)})
    events = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return "".join([*events, "data: [DONE]\n\n"]).encode()

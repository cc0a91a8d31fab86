"""A door before a model of this machine that keeps every reply, and the books of who asked.

The same request has the same kept reply, so a benchmark that was cut goes on where it was. What a call took
is kept with it: tokens as the server counted them, those of a form that it does not count, and seconds.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.model_server import sentences, tokens, vector

SECONDS = 900.0
"""Seconds one call may take: the machine may be busy."""
LEFT_OUT = ("model", "user", "metadata", "stream_options")
"""What of a request changes no reply."""


class Relay:
    """The books of a door to one model: `base` is its address, `server` that of the model."""

    def __init__(self, server: str, kept: Path) -> None:
        self.server, self.kept = server.rstrip("/"), kept
        self.base = ""
        self._lock = threading.Lock()
        self.clear()
        kept.mkdir(parents=True, exist_ok=True)

    def clear(self, latency: float | None = None) -> None:
        """Forget every call; a latency is what the server has."""
        self.calls: list[dict[str, Any]] = []
        self.failed, self.error = 0, ""

    def books(self) -> dict[str, Any]:
        """Return everything counted since the last clearing; a call that was refused is an answer, too."""
        return {"peak": 1, "failed": 0, "error": self.error, "calls": list(self.calls)}

    def answer(self, path: str, body: Mapping[str, Any]) -> tuple[int, str, bytes]:
        """Return status, type and bytes of a reply: a kept one, else what the model says."""
        if path.endswith("/embeddings"):
            return 200, "application/json", _embedded(body)
        row = self._row(path, body)
        self.calls.append({"kind": "chat", **{k: row[k] for k in ("tokens_in", "tokens_out", "seconds")}})
        return row["status"], row["type"], row["text"].encode()

    def _row(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        asked = {key: value for key, value in body.items() if key not in LEFT_OUT}
        name = hashlib.sha256(json.dumps([path, asked], sort_keys=True).encode()).hexdigest()[:32]
        file = self.kept / f"{name}.json"
        with self._lock:  # one at a time, as the model answers
            if file.is_file():
                found: dict[str, Any] = json.loads(file.read_text("utf-8"))
                return found
            row = self._asked(path, body)
            if row["status"] < 500 and row["status"] != 429:  # what may pass is asked again
                part = file.with_suffix(".part")
                part.write_text(json.dumps(row), "utf-8")
                part.rename(file)
            return row

    def _asked(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        sent = {**body, "stream_options": {"include_usage": True}} if body.get("stream") else dict(body)
        request = urllib.request.Request(
            self.server + path, json.dumps(sent).encode(), {"content-type": "application/json"}
        )
        start = time.perf_counter()
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as reply:
                status, kind, data = reply.status, reply.headers["content-type"], reply.read()
        except urllib.error.HTTPError as refusal:
            status, kind, data = refusal.code, refusal.headers["content-type"], refusal.read()
        seconds, text = time.perf_counter() - start, data.decode("utf-8", "replace")
        taken, said = usage_of(text)
        form = tokens(json.dumps(body["response_format"])) if body.get("response_format") else 0
        return {"status": status, "type": kind, "text": text, "seconds": seconds,
                "tokens_in": taken + form, "tokens_out": said}  # fmt: skip


def usage_of(text: str) -> tuple[int, int]:
    """Return the tokens of request and reply as a server told them, in one object or in a stream."""
    lines = [line.removeprefix("data: ") for line in text.splitlines() if '"usage"' in line] or [text]
    for line in reversed(lines):
        try:
            usage = json.loads(line).get("usage") or {}
        except (ValueError, AttributeError):
            continue
        if usage:
            return int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", 0))
    return 0, 0


def _embedded(body: Mapping[str, Any]) -> bytes:
    given = body["input"]
    texts = [given] if isinstance(given, str) else given
    vectors = sentences(texts) if body.get("model") == "sentences" else [vector(text) for text in texts]
    rows = [{"object": "embedding", "index": n, "embedding": v} for n, v in enumerate(vectors)]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return json.dumps({"object": "list", "data": rows, "model": "", "usage": usage}).encode()


@contextmanager
def relayed(server: str, kept: Path) -> Iterator[Relay]:
    """Open a door to the model at `server`, as `http://127.0.0.1:8111`, on a free port of the loopback."""
    relay = Relay(server, kept)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
            status, kind, data = relay.answer(self.path, body)
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as door:
        relay.base = f"http://127.0.0.1:{door.server_port}/v1"
        threading.Thread(target=door.serve_forever, daemon=True).start()
        yield relay
        door.shutdown()

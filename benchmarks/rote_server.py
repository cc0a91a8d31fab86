"""A rote model behind OpenAI's protocol in a process of its own; the server is that of all benchmarks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.model_server import model_server

SCRIPT = "ddax.reasoning.rote:reply"


@contextmanager
def rote_server(latency: float) -> Iterator[str]:
    """Run the server and give its address; `latency` is in seconds."""
    with model_server(SCRIPT, latency) as served:
        yield served.base

"""Run a task of a peer in its environment against the one server, and read the books."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.core import ROOT
from benchmarks.model_server import Served
from benchmarks.peers import environments

HERE = Path(__file__).resolve().parent
LIMIT = 400.0
"""Seconds one run may take."""
OURS = "ddax"


@dataclass(frozen=True)
class Peer:
    """A peer: what it is called in tables, its adapter, and its environment ("" for ours)."""

    name: str
    adapter: str
    environment: str = ""
    serial: bool = False
    """Whether it makes one call at a time."""

    def python(self) -> str:
        """Return its interpreter."""
        return environments.python_of(self.environment) if self.environment else sys.executable


@dataclass(frozen=True)
class Found:
    """What one run took and brought: the harness's row, and what the server counted."""

    row: Mapping[str, Any]
    books: Mapping[str, Any]
    disk: int = 0
    calls: list[Mapping[str, Any]] = field(default_factory=list)


Failed = environments.Failed
T = TypeVar("T")


PEERS = (
    Peer(OURS, "ddax"),
    Peer("LangGraph, bare loop", "langgraph_loop", "langgraph"),
    Peer("LangGraph, prebuilt ReAct", "langgraph_react", "langgraph"),
    Peer("smolagents", "smolagents", "smolagents"),
    Peer("tree-of-thoughts", "tree_of_thoughts", "tree-of-thoughts", serial=True),
    Peer("graph-of-thoughts", "graph_of_thoughts", "graph-of-thoughts", serial=True),
    Peer("TreeQuest", "treequest", "treequest"),
)
CREATE_AGENT = Peer("LangChain, create_agent", "langchain_agent", "langchain")
DEEP_AGENT = Peer("deepagents, create_deep_agent", "langchain_agent", "deepagents")
"""Peers of the DAG alone: elsewhere the prebuilt ReAct agent, which both are built like, stands for them."""


@contextmanager
def started(peer: Peer, task: str, given: Mapping[str, Any]) -> Iterator[subprocess.Popen[str]]:
    """Start a run; it is killed at the end of the block if it still runs."""
    base = str(given["base"])
    env = {**os.environ, **environments.QUIET, "OPENAI_API_BASE": base, "OPENAI_BASE_URL": base,
           "OPENAI_API_KEY": "none", "PYTHONWARNINGS": "ignore"}  # fmt: skip
    env.pop("PYTHONPATH", None)
    if not peer.environment:
        env["PYTHONPATH"] = str(ROOT)
    words = [
        peer.python(),
        "-P",
        str(HERE / "harness.py"),
        str(HERE / "adapters" / f"{peer.adapter}.py"),
        task,
    ]
    with subprocess.Popen(
        words, env=env, cwd=str(given["place"]), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as child:  # fmt: skip
        try:
            assert child.stdin is not None
            child.stdin.write(json.dumps(dict(given)))
            child.stdin.close()
            child.stdin = None
            yield child
        finally:
            child.kill()


def once(peer: Peer, task: str, served: Served, *, limit: float = LIMIT, **given: Any) -> Found:
    """Run a task to its end in a new folder; raises Failed, also after `limit` seconds."""
    with tempfile.TemporaryDirectory(prefix="ddax-peer-") as place:
        served.clear()
        with started(peer, task, {**given, "base": served.base, "place": place}) as child:
            out, err = _ended(peer, child, limit)
        return read(peer, out, err, served, Path(place) / "run")


def each_of(
    peers: Iterable[Peer], do: Callable[[Peer], list[T]], missing: dict[str, str]
) -> dict[str, list[T]]:
    """Return what each peer did; one that failed goes to `missing` with its error, never to a number."""
    found: dict[str, list[T]] = {}
    for peer in peers:
        try:
            found[peer.name] = do(peer)
        except (Failed, OSError) as error:
            missing[peer.name] = f"error: {error}"
    return found


def _ended(peer: Peer, child: subprocess.Popen[str], limit: float) -> tuple[str, str]:
    try:
        return child.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        raise Failed(f"{peer.name} did not end within {limit:.0f} s") from None


def read(peer: Peer, out: str, err: str, served: Served, place: Path) -> Found:
    """Read what a run printed; raises Failed."""
    if "\n@@" not in out:
        raise Failed(f"{peer.name}: {' '.join(err.split())[-400:]}")
    disk = sum(file.stat().st_size for file in place.rglob("*") if file.is_file()) if place.is_dir() else 0
    books = served.books()
    if books["failed"]:
        raise Failed(f"{peer.name}: the script had no reply to {books['failed']} requests: {books['error']}")
    return Found(json.loads(out.rsplit("\n@@", 1)[1]), books, disk, books["calls"])

"""Served files that stay open between the runs of one process: a model is loaded once."""

from __future__ import annotations

import atexit
import threading
from pathlib import Path

from ddax.reasoning.local.server import LocalServer

_SERVERS: dict[tuple[Path, float], LocalServer] = {}
_OPENING = threading.Lock()


def served(path: Path) -> LocalServer:
    """Return the server of a file, started at the first call; one that has died is started anew."""
    with _OPENING:
        whole = path.resolve()
        key = whole, whole.stat().st_mtime if whole.exists() else 0.0
        server = _SERVERS.get(key)
        if server is None or not server.alive:
            server = _SERVERS[key] = LocalServer(whole)
        return server


def close_all() -> None:
    """Stop every server."""
    with _OPENING:
        for server in _SERVERS.values():
            server.close()
        _SERVERS.clear()


atexit.register(close_all)

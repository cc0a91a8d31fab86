"""Serve the page on this machine alone, at a port of the system's choice, until interrupted."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ddax.errors import UsageError
from ddax.viewer.doing import Doing, Opener
from ddax.viewer.reading import Reader

if TYPE_CHECKING:
    from ddax.memory.home import Home

HOST = "127.0.0.1"
TOKEN = 24
"""Random bytes of the token."""
GRACE = 2
"""Seconds that open connections get to end."""


@dataclass(frozen=True)
class Served:
    """A page that is being served."""

    port: int
    token: str

    def address(self, thread: str = "") -> str:
        """Return the address to open; what stands behind the # stays in the browser."""
        place = f"&run={thread}" if thread else ""
        return f"http://{HOST}:{self.port}/#token={self.token}{place}"


@contextlib.asynccontextmanager
async def served(
    home: Home, environ: Mapping[str, str], opener: Opener, *, port: int = 0, token: str = ""
) -> AsyncIterator[tuple[Served, asyncio.Task[None]]]:
    """Serve the page for the length of the block; yields where, and the task that serves it.

    Without a token a new one is drawn; a page that is open already goes on only with the one it has.
    """
    app_of, uvicorn = _web()
    reader = Reader(home, environ)
    await reader.warm()  # what cannot be read is told here: the server would end with words of its own
    token = token or secrets.token_urlsafe(TOKEN)
    with listening(port) as door:
        app, stop = app_of(reader, Doing(opener), token=token)
        server = uvicorn.Server(
            uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=GRACE)
        )
        server.capture_signals = contextlib.nullcontext  # whoever serves the page ends it
        serving = asyncio.create_task(server.serve(sockets=[door]))
        try:
            while not server.started and not serving.done():
                await asyncio.sleep(0.01)
            yield Served(int(door.getsockname()[1]), token), serving
        finally:
            stop()
            server.should_exit = True
            await serving


def _web() -> tuple[Any, Any]:
    """Return what makes the application and what serves it; raises UsageError where a package is missing."""
    try:
        import uvicorn

        from ddax.viewer.app import make_app
    except ModuleNotFoundError as exc:
        raise UsageError(
            "The page cannot be served.",
            why=f"The package {exc.name!r} is missing.",
            mend=f"Install it: uv pip install {exc.name}",
        ) from exc
    return make_app, uvicorn


def listening(port: int) -> socket.socket:
    """Return a socket on this machine's own address; raises UsageError where the port is taken."""
    door = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        door.bind((HOST, port))
    except OSError as exc:
        door.close()
        raise UsageError(
            f"The port {port} cannot be used.",
            why=f"{exc.strerror or exc}.",
            mend="Leave out --port, or name another.",
        ) from exc
    return door

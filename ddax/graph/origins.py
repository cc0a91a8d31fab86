"""Who may call a LangGraph server from a browser: Studio, pages of this machine, and nobody else's.

Any page that a browser shows can send requests to this machine, and some of them without asking first. The
lists in `langgraph.json` say which pages may read an answer; this goes before all of the server's routes and
refuses the request itself, whatever those lists say. Named in both files as `http.app`.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse

from ddax.configs.server import Server
from ddax.errors import DdaxError
from ddax.graph.session.callers import asks_for_key

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

STUDIO = "https://smith.langchain.com"
"""Where the page of LangGraph Studio comes from."""
LOOPBACK = r"https?://(localhost|127(\.[0-9]{1,3}){3}|\[::1\])(:[0-9]{1,5})?"
"""Pages that this machine serves."""
INSIDE = "/noauth"
"""The root path of what the server asks of itself; no request can have it."""
ALIVE = "/ok"
"""What a probe asks, by whatever name it has for the machine; it tells nothing."""
UNGUARDED = ("/internal/", "/deploy")
"""Routes of the development server that ask for no key; they show and delete what others have."""

PRIVATE = b"access-control-request-private-network"


class Origins:
    """Answer 403 to what a page of another site sends."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._server: Server | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        status, words = 403, ""
        try:
            server = await self._settings()
            words = refusal(scope, server, keyed=asks_for_key(os.environ))
        except DdaxError as error:  # without its settings a server lets nobody in
            status, words = 500, str(error)
        if not words:
            await self._app(_asked_plainly(scope), receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": words})
        else:
            await JSONResponse({"detail": words}, status)(scope, receive, send)

    async def _settings(self) -> Server:
        if self._server is None:
            from ddax.configs.layers import load_context

            self._server = (await asyncio.to_thread(load_context)).server
        return self._server


def _asked_plainly(scope: Scope) -> Scope:
    """Leave out the question whether a page may reach a private network: that was settled here.

    The server's list of origins has no answer to it, and refuses what asks.
    """
    return {**scope, "headers": [(name, value) for name, value in scope["headers"] if name != PRIVATE]}


def refusal(scope: Mapping[str, Any], server: Server, *, keyed: bool) -> str:
    """Return the words a request is refused with; "" where it may pass."""
    root = str(scope.get("root_path") or "")
    if root == INSIDE or root.startswith(f"{INSIDE}/"):
        return ""
    path = str(scope["path"]).removeprefix(root)
    if keyed and path.startswith(UNGUARDED):
        return f"{path} asks for no key, and this server does."
    given = _headers(scope)
    if any(len(given.get(name, [])) > 1 for name in ("host", "origin", "sec-fetch-site")):
        return "The request says twice where it comes from."
    host, origin = (given.get(name, [None])[0] for name in ("host", "origin"))
    if host is not None and not keyed and path != ALIVE and not _is_ours(host, server):
        return (
            f"{host[:80]!r} is no name of this machine: a server that asks for no key answers as localhost,"
            " and as the names in server.hosts (DDAX_SERVER__HOSTS)."
        )
    if origin is not None:
        return "" if is_allowed(origin, server, host) else _foreign(origin)
    if given.get("sec-fetch-site", [""])[0].lower() == "cross-site":
        return "The request comes from a page of another site."
    return ""


def is_allowed(origin: str, server: Server, host: str | None = None) -> bool:
    """Say whether a page from there may call the server; `host` is the name it was called by."""
    said = origin.lower()
    if said == STUDIO or re.fullmatch(LOOPBACK, said):
        return True
    own = {f"http://{host}".lower(), f"https://{host}".lower()} if host else set()
    return said in own | {known.lower().rstrip("/") for known in server.origins}


def _foreign(origin: str) -> str:
    return (
        f"A page of {origin[:80]!r} may not call this server; name it in server.origins"
        " (DDAX_SERVER__ORIGINS) if it should."
    )


def _headers(scope: Mapping[str, Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1").strip())
    return found


def _is_ours(host: str, server: Server) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:  # a bracket that does not close
        return False
    return bool(re.fullmatch(LOOPBACK, f"http://[{name}]" if ":" in name else f"http://{name}")) or (
        name in {known.lower() for known in server.hosts}
    )


app = Starlette(middleware=[Middleware(Origins)])
"""What `http.app` names: no routes of its own, and the guard before those of the server."""

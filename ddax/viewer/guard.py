"""Who may ask the page for data: this machine's own browser, with the token, from the page itself.

A page of another site can reach a port of this machine; it has neither the token nor our name as host.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL = ("127.0.0.1", "localhost")
OPEN = ("/", "/static/")
"""What holds no data, and needs no token."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'"
)
HEADERS: Mapping[str, str] = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """Refuse what does not come from the page; put the policy on every answer."""

    def __init__(self, app: ASGIApp, *, token: str) -> None:
        self._app, self._token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 403 or 401."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refused = self.refusal(scope)

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                names = {name for name, _ in message["headers"]}
                more = [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in names]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        if refused is None:
            await self._app(scope, receive, guarded)
            return
        status, words = refused
        from starlette.responses import JSONResponse

        await JSONResponse({"what": words}, status)(scope, receive, guarded)

    def refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Return the status and the words a request is refused with; None where it may pass."""
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        port = scope["server"][1] if scope.get("server") else 0
        hosts = {f"{name}:{port}" for name in LOCAL}
        if headers.get("host", "") not in hosts:
            return 403, "The host of the request is not this machine's."
        origin = headers.get("origin")
        reads = scope["method"] in ("GET", "HEAD")
        if origin is None and not reads:
            return 403, "The origin of the request is missing."
        if origin is not None and origin not in {f"http://{host}" for host in hosts}:
            return 403, "The request comes from another page."
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return 403, "The request comes from another site."
        path = scope["path"]
        if path == OPEN[0] or path.startswith(OPEN[1]):
            return None
        given = headers.get("authorization", "").removeprefix("Bearer ")
        if not hmac.compare_digest(given.encode(), self._token.encode()):
            return 401, "The token is missing or wrong. Open the address that `ddax view` printed."
        return None

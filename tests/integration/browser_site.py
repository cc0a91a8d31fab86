"""A small site on loopback for a browser: pages as text, and what was asked of it."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest

from ddax.actions.egress import policy_of
from ddax.actions.web.proxy import egress_proxy
from ddax.environments.browser.chromium import PROGRAMS, Egress
from ddax.environments.browser.seen import PageSeen
from ddax.environments.browser.world import BrowserWorld
from ddax.environments.pilot.pilot import Report

with_chromium = pytest.mark.skipif(
    not any(map(shutil.which, PROGRAMS)), reason=f"needs {' or '.join(PROGRAMS)} (make system installs it)"
)
Carry = Callable[[str, str], Awaitable[tuple[Report, str]]]
"""Carry out a task on a page, and return the report with what the page says then."""
Open = Callable[..., Awaitable[tuple[BrowserWorld, PageSeen]]]
"""Open a page with a body, in a world with options, and return the world with what is seen."""
HEAD = "<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title><body>"


@dataclass
class Site:
    """A server with fixed pages; `asked` are the requests it got, as `GET /path`, `sent` their bodies."""

    pages: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    headers: dict[str, dict[str, str]] = field(default_factory=dict)
    url: str = ""

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 0

    def page(self, path: str, body: str, *, title: str = "A page", **headers: str) -> str:
        """Put a page up and return its address."""
        self.pages[path] = HEAD.format(title=title) + body
        self.headers[path] = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.url + path


@contextmanager
def site(pages: Mapping[str, str] | None = None) -> Iterator[Site]:
    """Serve a site on a free port of loopback."""
    made = Site()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def answer(self) -> None:
            parts = urlsplit(self.path)
            made.asked.append(f"{self.command} {self.path}")
            length = int(self.headers.get("content-length") or 0)
            made.sent.append(self.rfile.read(length).decode("utf-8", "replace") if length else "")
            found = made.pages.get(parts.path)
            headers = dict(made.headers.get(parts.path, {}))
            status = int(headers.pop("status", 200 if found is not None else 404))
            body = ("nothing here" if found is None else found).encode()
            time.sleep(float(headers.pop("seconds", 0)))
            endless = headers.pop("endless", "")
            self.send_response(status)
            self.send_header("content-type", headers.pop("content-type", "text/html; charset=utf-8"))
            if not endless:
                self.send_header("content-length", str(len(body)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
            with suppress(OSError):  # until the browser has had enough
                while endless:
                    time.sleep(0.2)
                    self.wfile.write(b" ")
                    self.wfile.flush()

        do_GET = do_POST = do_PUT = do_HEAD = do_OPTIONS = answer  # noqa: N815  (the names of the library)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    # Asked often whether to end: it is ended once a test, and at its own pace it takes half a second.
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    made.url = f"http://127.0.0.1:{server.server_port}"
    for path, body in (pages or {}).items():
        made.page(path, body)
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def only(*hosts: str) -> Egress:
    """Return the egress proxy that lets a browser reach some hosts of this machine."""
    return lambda: egress_proxy(policy_of(allow_hosts=hosts), clock=time.time)


def id_of(seen: PageSeen, name: str, role: str = "") -> str:
    """Return the id of the first thing seen with a name, of a role where one is asked for."""
    found = [n for n in seen.nodes if name in (n.name or n.before) and (not role or n.role == role)]
    assert found, f"no {name!r} in\n{seen.text}"
    return found[0].id

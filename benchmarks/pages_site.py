"""The pages of the benchmark `pages`: read from files, served on loopback, each with an oracle of its own.

A file begins with a comment that holds its orders; the comment is not served. A page keeps what was done in
it in `deeds`, and each order says which deeds it asks for and what must hold afterwards, as JavaScript.
"""

from __future__ import annotations

import http.server
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from benchmarks.loopback import serving

FOLDER = Path(__file__).parent / "data" / "pages"
HEAD = "<!doctype html><meta charset=utf-8><script>var deeds = [], did = (what) => deeds.push(what);</script>"
_ORDERS = re.compile(r"<!--\n(.*?)-->\n", re.DOTALL)


@dataclass(frozen=True)
class Asked:
    """One order on one page, and what makes it done.

    `deeds` are those that it asks for, in order; `holds` is JavaScript that must be true afterwards; `tells`
    is a pattern that the answer must have. An `impossible` order is met by a refusal alone.
    """

    page: str
    order: str
    deeds: tuple[str, ...] = ()
    holds: str = ""
    tells: str = ""
    impossible: bool = False


@dataclass(frozen=True)
class SitePage:
    """A page as it is served, with its orders."""

    name: str
    html: str
    orders: tuple[Asked, ...]


def read_pages(folder: Path = FOLDER) -> tuple[SitePage, ...]:
    """Read all pages of a folder, by name."""
    return tuple(_page(path.stem, path.read_text("utf-8")) for path in sorted(folder.glob("*.html")))


def _page(name: str, text: str) -> SitePage:
    found = _ORDERS.match(text)
    if found is None:
        raise ValueError(f"{name}.html does not begin with a comment that holds its orders.")
    orders = tuple(_asked(name, row) for row in yaml.safe_load(found[1]))
    return SitePage(name, HEAD + text[found.end() :], orders)


def _asked(page: str, row: Mapping[str, Any]) -> Asked:
    return Asked(
        page,
        row["order"],
        tuple(row.get("deeds", ())),
        row.get("holds", ""),
        str(row.get("tells", "")),
        bool(row.get("impossible")),
    )


@contextmanager
def served_pages(pages: Mapping[str, str]) -> Iterator[str]:
    """Serve pages by name on loopback; yields the address they are under."""

    class Pages(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            html = pages.get(self.path.strip("/"))
            self.send_response(200 if html else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write((html or "").encode())

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with serving(Pages) as address:
        yield address


class Oracle:
    """Keeps hold of the page that was opened, to ask it afterwards what was done."""

    def __init__(self) -> None:
        self._page: Any = None

    async def begin(self, page: Any, seed: int) -> None:
        """Take the page that was opened."""
        await page.wait_for_load_state("load")
        self._page = page

    async def outcome(self, page: Any) -> tuple[float, bool]:
        """Return no reward and no end: a page of this benchmark says neither."""
        return 0.0, False

    async def deeds(self) -> tuple[str, ...]:
        """Return what was done in the page, in order; nothing in one that was never opened."""
        if self._page is None:
            return ()
        return tuple(map(str, await self._page.evaluate("deeds")))

    async def holds(self, wanted: str) -> bool:
        """Tell whether some JavaScript is true in the page."""
        return not wanted or (self._page is not None and bool(await self._page.evaluate(wanted)))

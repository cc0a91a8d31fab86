"""Pages of the web as sources: fetched through the guard, then read like files."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol
from urllib.parse import urlsplit

from ddax.actions.fetch import Fetched, fetch
from ddax.actions.sources.formats.extract import Extracted, NotText, document, extract
from ddax.errors import ActionError
from ddax.types import Document

SCHEMES = ("http://", "https://")
JSON_TYPES = frozenset({"application/json", "application/x-ndjson"})
TEXT_TYPES = ("text/", "application/xml", "application/javascript")


class Pages(Protocol):
    """Pages of the web by address, as `ddax.actions.web.client.Web` gives them."""

    async def read(self, url: str, *, named: bool = False) -> Document:
        """Return a page as a document; `named` says that the user gave this address."""
        ...


async def read_url(url: str, *, allow_hosts: Sequence[str] = ()) -> Document:
    """Fetch a page as a document, its source being the address that answered; raises ActionError."""
    fetched = await fetch(url, allow_hosts=allow_hosts)
    if kind_of_answer(fetched) == "html":
        found = await page_extracted(fetched)
    else:
        found = await asyncio.to_thread(extracted, fetched)
    if not found.text.strip():
        raise ActionError(f"{fetched.url!r} holds no text.", kind="empty")
    return document(found, fetched.url)


def extracted(fetched: Fetched) -> Extracted:
    """Read an answer; raises ActionError where it holds no text."""
    kind, name = kind_of_answer(fetched), name_of(fetched.url)
    try:
        return extract(fetched.body, kind, fallback=name, base=fetched.url, charset=fetched.charset)
    except NotText as exc:
        why = f"It cannot be read: {exc}."
        raise ActionError(f"{fetched.url!r} holds no text.", why=why, kind="not_text") from exc


async def page_extracted(fetched: Fetched) -> Extracted:
    """Read a page of HTML in a process that is killed where it takes too long, without what is not seen."""
    from ddax.actions.web.reading import Reader

    reader, name = Reader(), name_of(fetched.url)
    try:
        page = await reader.read(
            fetched.body, "html", fallback=name, base=fetched.url, charset=fetched.charset, whole=True
        )
    finally:
        await reader.close()
    return Extracted(page.title, page.text, page.links)


def is_markdown(url: str) -> bool:
    """Tell by the end of an address whether a plain text is Markdown, as servers of code send it."""
    return urlsplit(url).path.lower().endswith((".md", ".markdown", ".mdx"))


def name_of(url: str) -> str:
    """Name a page without a title: by the end of its path, or by its host."""
    parts = urlsplit(url)
    return parts.path.rstrip("/").rsplit("/", 1)[-1] or parts.netloc


def kind_of_answer(fetched: Fetched) -> str:
    """Say how an answer is read: by its content first, then by its stated type."""
    head = fetched.body[:512].lstrip().lower()
    if head.startswith(b"%pdf-"):
        return "pdf"
    if "html" in fetched.content_type or head.startswith((b"<!doctype html", b"<html")):
        return "html"
    stated = fetched.content_type
    if stated in JSON_TYPES or stated.endswith("+json"):
        return "json"
    if stated == "text/markdown" or (stated in ("", "text/plain") and is_markdown(fetched.url)):
        return "markdown"
    if not stated or stated.startswith(TEXT_TYPES) or stated.endswith("+xml"):
        return "text"
    raise ActionError(f"{fetched.url!r} holds no text.", why=f"Its type is {stated!r}.", kind="not_text")

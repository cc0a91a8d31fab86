"""The sources of a run: folders and files, pages of the web, the documentation of Python."""

from __future__ import annotations

import asyncio
import logging
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ddax.actions.sources.documents import ExtractCache
from ddax.actions.sources.files import MAX_BYTES, Found, OutOfTime, exists, read_path, unreadable
from ddax.actions.sources.library import SourceLibrary
from ddax.actions.sources.python_docs import SCHEME, read_python
from ddax.actions.sources.skipping import note, rows_of
from ddax.actions.sources.web import SCHEMES, Pages, read_url
from ddax.errors import ActionError, SourceError
from ddax.memory.embedding_cache import CachedEmbedder
from ddax.memory.protocol import Embedder
from ddax.types import Document

__all__ = ["SourceLibrary", "open_library"]

_JOINED = re.compile(rf",\s*(?:https?://|{re.escape(SCHEME)})", re.IGNORECASE)
"""Where a second source begins behind a comma."""


async def open_library(
    specs: Sequence[str],
    *,
    embedder: Embedder,
    cache_dir: Path,
    allow_hosts: Sequence[str] = (),
    max_bytes: int = MAX_BYTES,
    max_seconds: float = math.inf,
    web: Pages | None = None,
    tell: bool = True,
    brought: Sequence[Document] = (),
) -> SourceLibrary:
    """Read sources and index them; nothing is written outside of `cache_dir`.

    `max_bytes` caps one file, `max_seconds` the time of reading; pages come from `web`, or plainly where
    there is none. `brought` are documents beside the sources. With `tell`, what of the sources is not read
    is told in one warning. Raises SourceError that names the source which cannot be read, and StorageError
    where the cache cannot be written.
    """
    cache = await asyncio.to_thread(ExtractCache, cache_dir)
    wait = Wait(max_seconds, asyncio.get_running_loop().time() + max_seconds)
    found = [
        await read_source(spec, cache, allow_hosts, max_bytes, web, wait) for spec in dict.fromkeys(specs)
    ]
    if brought:
        clean = cache.redactor.value
        own = [replace(one, title=clean(one.title), text=clean(one.text)) for one in brought]
        found.append(Found(own, []))
    named = (*specs, *((f"documents:{len(brought)}",) if brought else ()))
    library = await asyncio.to_thread(assembled, named, found, embedder, cache_dir, allow_hosts, web)
    if tell and (said := note(rows_of(library.skipped))):
        logging.getLogger("ddax").warning("%s", said)
    return library


class Wait(NamedTuple):
    """How many seconds reading may take, and the time of the loop at which they are over."""

    seconds: float
    until: float


async def read_source(
    spec: str,
    cache: ExtractCache,
    allow_hosts: Sequence[str],
    max_bytes: int,
    web: Pages | None,
    wait: Wait,
) -> Found:
    """Read one source by its kind."""
    await asyncio.to_thread(check_source, spec)
    if spec.startswith(SCHEME):
        return await asyncio.to_thread(read_python, spec, cache=cache)
    if spec.lower().startswith(SCHEMES):
        return Found([await read_page(spec, allow_hosts, web, wait)], [])
    try:
        return await asyncio.to_thread(read_path, spec, cache=cache, max_bytes=max_bytes, until=wait.until)
    except OutOfTime as exc:
        raise late(f"The source {spec!r} cannot be read.", wait, "or give fewer or smaller files") from exc


def check_source(spec: str) -> None:
    """Refuse a word that names nothing: empty, of an unknown kind, or a path where nothing stands.

    Nothing is read or fetched. Raises SourceError that names the source.
    """
    if not spec.strip():
        raise SourceError(
            f"The source {spec!r} is empty.",
            why="An empty word names nothing to read.",
            mend="Give a path, a URL or python:MODULE.",
        )
    if exists(spec):
        return
    if _JOINED.search(spec):
        raise SourceError(
            f"The source {spec!r} is two sources joined by a comma.",
            why="Each is a word of its own.",
            mend="Put a blank between them, as in: --sources A B",
        )
    if spec.startswith(SCHEME) or spec.lower().startswith(SCHEMES):
        return
    if scheme := re.match(r"([A-Za-z][A-Za-z0-9+.-]+):", spec):
        raise SourceError(
            f"The source {spec!r} is of an unknown kind.",
            why=f"{scheme.group(1)!r} is none of http, https and python.",
            mend="Give a path, a URL or python:MODULE.",
        )
    raise unreadable(spec)


async def read_page(spec: str, allow_hosts: Sequence[str], web: Pages | None, wait: Wait) -> Document:
    """Read a page of the web while there is time; raises SourceError."""
    what = f"The source {spec!r} cannot be fetched."
    try:
        async with asyncio.timeout_at(wait.until if math.isfinite(wait.until) else None):
            if web is not None:
                return await web.read(spec, named=True)
            return await read_url(spec, allow_hosts=allow_hosts)
    except TimeoutError as exc:
        raise late(what, wait, "or save the page and name its file") from exc
    except ActionError as exc:
        raise SourceError(
            what,
            why=" ".join(part for part in (exc.what, exc.why) if part),
            mend=exc.mend or "Check the address and the network, or save the page and name its file.",
        ) from exc


def late(what: str, wait: Wait, other: str) -> SourceError:
    """Return the error of a source for which there was no time."""
    return SourceError(
        what,
        why=f"It had not been read when max_seconds = {wait.seconds:g} was over, which all sources share.",
        mend=f"Raise --max-seconds (budget.max_seconds), {other}.",
    )


def assembled(
    specs: tuple[str, ...],
    found: Sequence[Found],
    embedder: Embedder,
    cache_dir: Path,
    allow_hosts: Sequence[str],
    web: Pages | None = None,
) -> SourceLibrary:
    """Put sources together, each document once, in the order of their names."""
    by_source = {document.source: document for part in found for document in part.documents}
    if not isinstance(embedder, CachedEmbedder):
        embedder = CachedEmbedder(embedder, cache_dir / "vectors.sqlite")
    return SourceLibrary(
        specs,
        [by_source[source] for source in sorted(by_source)],
        embedder=embedder,
        folder=cache_dir,
        skipped=[item for part in found for item in part.skipped],
        allow_hosts=allow_hosts,
        web=web,
    )

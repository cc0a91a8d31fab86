"""The sources of a run: folders and files, pages of the web, the documentation of Python."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ddax.actions.sources.brought import told_apart
from ddax.actions.sources.documents import SCHEMA, ExtractCache
from ddax.actions.sources.files import (
    MAX_BYTES,
    PASSING,
    Found,
    OutOfTime,
    Tell,
    exists,
    read_scanned,
    scan_path,
    unreadable,
)  # fmt: skip
from ddax.actions.sources.library import SourceLibrary
from ddax.actions.sources.python_docs import SCHEME, read_python
from ddax.actions.sources.scanning import Scan, stamps
from ddax.actions.sources.shelf import key_of, open_shelf, write_shelf
from ddax.actions.sources.skipping import UNREAD, note, rows_of
from ddax.actions.sources.web import SCHEMES, Pages, read_url
from ddax.errors import ActionError, SourceError
from ddax.memory.embed.cache import CachedEmbedder
from ddax.memory.protocol import Embedder
from ddax.types import Document

__all__ = ["Bounds", "SourceLibrary", "open_library"]

_JOINED = re.compile(rf",\s*(?:https?://|{re.escape(SCHEME)})", re.IGNORECASE)
"""Where a second source begins behind a comma."""


class Bounds(NamedTuple):
    """What reading sources is held to: the hosts that may be private, the size of a file, the time of all."""

    allow_hosts: Sequence[str] = ()
    max_bytes: int = MAX_BYTES
    seconds: float = math.inf


UNBOUND = Bounds()


async def open_library(
    specs: Sequence[str],
    *,
    embedder: Embedder,
    cache_dir: Path,
    bounds: Bounds = UNBOUND,
    web: Pages | None = None,
    tell: bool = True,
    brought: Sequence[Document] = (),
    progress: Tell | None = None,
) -> SourceLibrary:
    """Read sources and index them; nothing is written outside of `cache_dir`.

    `bounds` are what reading is held to; pages come from `web`, or plainly where there is none. `brought`
    are documents beside the sources, as `documents_of` makes them. With `tell`, what of the sources is not
    read is told in one warning; `progress` is told how many files were read, and of how many. Raises
    SourceError that names the source which cannot be read, and StorageError where the cache cannot be
    written.
    """
    cache = await asyncio.to_thread(ExtractCache, cache_dir)
    wait = Wait(bounds.seconds, asyncio.get_running_loop().time() + bounds.seconds)
    reading = _Reading(cache, cache_dir, tuple(bounds.allow_hosts), bounds.max_bytes, web, wait, progress)
    found = [await reading.looked_at(spec) for spec in dict.fromkeys(specs)]
    named = (*specs, *((f"documents:{len(brought)}",) if brought else ()))
    if not isinstance(embedder, CachedEmbedder):
        embedder = await asyncio.to_thread(CachedEmbedder, embedder, cache_dir / "vectors.sqlite")
    library = await asyncio.to_thread(reading.library, named, found, brought, embedder)
    if tell and (said := note(rows_of(library.skipped))):
        logging.getLogger("ddax").warning("%s", said)
    return library


class Wait(NamedTuple):
    """How many seconds reading may take, and the time of the loop at which they are over."""

    seconds: float
    until: float


class _Reading(NamedTuple):
    """What sources are read with."""

    cache: ExtractCache
    folder: Path
    allow_hosts: tuple[str, ...]
    max_bytes: int
    web: Pages | None
    wait: Wait
    progress: Tell | None

    async def looked_at(self, spec: str) -> Found | Scan:
        """Read one source by its kind; of files and folders only what there is to be read."""
        await asyncio.to_thread(check_source, spec)
        if spec.startswith(SCHEME):
            return await asyncio.to_thread(read_python, spec, cache=self.cache)
        if spec.lower().startswith(SCHEMES):
            return Found([await read_page(spec, self.allow_hosts, self.web, self.wait)], [])
        return await asyncio.to_thread(scan_path, spec, max_bytes=self.max_bytes)

    def library(
        self,
        specs: tuple[str, ...],
        found: Sequence[Found | Scan],
        brought: Sequence[Document],
        embedder: Embedder,
    ) -> SourceLibrary:
        """Put sources together, each document once; where all is as it was, as it was kept."""
        key = key_of(part for one in (*found, Found(list(brought), [])) for part in _stamps(one))
        given: Any = {
            "embedder": embedder, "folder": self.folder, "allow_hosts": self.allow_hosts, "web": self.web,
            "key": key,
        }  # fmt: skip
        shelf = open_shelf(self.folder, key)
        if shelf is not None:
            return SourceLibrary(specs, shelf, skipped=shelf.skipped, **given)
        read = [self._read(one) if isinstance(one, Scan) else one for one in found]
        by_source = told_apart(brought, {one.source: one for part in read for one in part.documents})
        documents = [by_source[source] for source in sorted(by_source)]
        skipped = [item for part in read for item in part.skipped]
        library = SourceLibrary(specs, documents, skipped=skipped, **given)
        if not any(item.reason.startswith((*PASSING, UNREAD)) for item in skipped):
            write_shelf(self.folder, key, library.shelf())
        return library

    def _read(self, scan: Scan) -> Found:
        try:
            return read_scanned(scan, cache=self.cache, until=self.wait.until, tell=self.progress)
        except OutOfTime as exc:
            what = f"The source {scan.spec!r} cannot be read."
            raise late(what, self.wait, "or give fewer or smaller files") from exc


def _stamps(found: Found | Scan) -> Iterator[str]:
    """Yield what an index depends on: of files their names, times and sizes, of others what they say."""
    if isinstance(found, Scan):
        yield f"{SCHEMA}\0{found.max_bytes}\0{os.path.abspath(found.folder)}\n"
        yield from stamps(found)
        return
    for one in found.documents:
        yield f"{one.source}\0{one.doc_id}\0{dict(one.notes)}\n"
    for item in found.skipped:
        yield f"{item.source}\0-{item.reason}\n"


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

"""The sources of a run: folders and files, pages of the web, the documentation of Python."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

from ddax.actions.sources.documents import ExtractCache
from ddax.actions.sources.files import MAX_BYTES, Found, read_path
from ddax.actions.sources.library import SourceLibrary
from ddax.actions.sources.python_docs import SCHEME, read_python
from ddax.actions.sources.web import SCHEMES, Pages, read_url
from ddax.errors import ActionError, SourceError
from ddax.memory.embedding_cache import CachedEmbedder
from ddax.memory.protocol import Embedder

__all__ = ["SourceLibrary", "open_library"]


async def open_library(
    specs: Sequence[str],
    *,
    embedder: Embedder,
    cache_dir: Path,
    allow_hosts: Sequence[str] = (),
    max_bytes: int = MAX_BYTES,
    web: Pages | None = None,
) -> SourceLibrary:
    """Read sources and index them; nothing is written outside of `cache_dir`.

    `max_bytes` caps one file; pages come from `web`, or plainly where there is none. Raises SourceError
    that names the source which cannot be read, and StorageError where the cache cannot be written.
    """
    cache = await asyncio.to_thread(ExtractCache, cache_dir)
    found = [await read_source(spec, cache, allow_hosts, max_bytes, web) for spec in dict.fromkeys(specs)]
    return await asyncio.to_thread(assembled, tuple(specs), found, embedder, cache_dir, allow_hosts, web)


async def read_source(
    spec: str, cache: ExtractCache, allow_hosts: Sequence[str], max_bytes: int, web: Pages | None = None
) -> Found:
    """Read one source by its kind."""
    if not spec.strip():
        raise SourceError(
            f"The source {spec!r} is empty.",
            why="An empty word names nothing to read.",
            mend="Give a path, a URL or python:MODULE.",
        )
    if spec.startswith(SCHEME):
        return await asyncio.to_thread(read_python, spec, cache=cache)
    if spec.lower().startswith(SCHEMES):
        try:
            if web is not None:
                return Found([await web.read(spec, named=True)], [])
            return Found([await read_url(spec, allow_hosts=allow_hosts)], [])
        except ActionError as exc:
            raise SourceError(
                f"The source {spec!r} cannot be fetched.",
                why=" ".join(part for part in (exc.what, exc.why) if part),
                mend=exc.mend or "Check the address and the network, or save the page and name its file.",
            ) from exc
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]+):", spec)
    if scheme and not Path(spec).expanduser().exists():
        raise SourceError(
            f"The source {spec!r} is of an unknown kind.",
            why=f"{scheme.group(1)!r} is none of http, https and python.",
            mend="Give a path, a URL or python:MODULE.",
        )
    return await asyncio.to_thread(read_path, spec, cache=cache, max_bytes=max_bytes)


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

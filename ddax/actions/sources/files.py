"""Folders and files as sources: which are read, which are skipped and why."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ddax.actions.sources.documents import ExtractCache
from ddax.actions.sources.extract import Extracted, NotText, decoded, document, extract
from ddax.actions.sources.skipping import (
    CLOSED,
    EMPTY,
    LARGER,
    LINK,
    NO_FILE,
    NOWHERE,
    UNKNOWN,
    UNREAD,
    UNTEXT,
    Skipped,
    mend,
    reasons_told,
    rows_of,
)  # fmt: skip
from ddax.errors import ActionError, SourceError
from ddax.types import Document

if TYPE_CHECKING:
    from ddax.actions.web.reading import Reader

MAX_BYTES = 50_000_000
PAGE_SECONDS = 120.0
"""Seconds that reading one file of HTML may take: a page of 50 MB needs less, a hostile one has no end."""
IGNORED = frozenset({"__pycache__", "node_modules", "venv", "site-packages"})
TEXTS = frozenset(
    """
    .txt .text .rst .adoc .org .tex .log .yaml .yml .toml .ini
    .cfg .conf .xml .srt .vtt .po .bib
    .py .pyi .c .h .cc .cpp .cxx .hpp .hh .rs .go .java .kt .kts .scala .swift .m .mm .cs .fs .js .jsx
    .mjs .cjs .ts .tsx .vue .rb .php .pl .pm .lua .r .jl .hs .ml .mli .ex .exs .erl .clj .sh .bash .zsh
    .fish .ps1 .sql .proto .graphql .css .scss .dart .zig .nim .f90 .for .asm .s .cmake .gradle .tf
    """.split()  # noqa: SIM905
)
PAGES = frozenset({".html", ".htm", ".xhtml"})
MARKDOWN = frozenset({".md", ".markdown", ".mdx"})
TABLES = frozenset({".csv", ".tsv"})
VALUES = frozenset({".json", ".jsonl", ".ndjson"})


READABLE = "Give a text, Markdown, HTML or PDF file, or source code."
AGAIN = ", or go to the folder where the thread was begun"


class Found(NamedTuple):
    """What a source gave."""

    documents: list[Document]
    skipped: list[Skipped]


class Candidate(NamedTuple):
    """A file to be read: where it lies, its name as a source, and what its cache row depends on."""

    path: Path
    source: str
    stamp: str


def kind_of(path: Path) -> str:
    """Say how a file is read, by its ending; "" where the ending is unknown."""
    ending = path.suffix.lower()
    if ending == ".pdf":
        return "pdf"
    if ending in PAGES:
        return "html"
    if ending in MARKDOWN:
        return "markdown"
    if ending in TABLES:
        return "table"
    if ending in VALUES:
        return "json"
    return "text" if ending in TEXTS or not ending else ""


def read_path(spec: str, *, cache: ExtractCache, max_bytes: int = MAX_BYTES) -> Found:
    """Read a file or everything below a folder; raises SourceError that names the spec."""
    path = Path(spec).expanduser()
    try:
        if path.is_dir():
            return read_folder(spec, path, cache=cache, max_bytes=max_bytes)
        if path.is_file():
            return read_single(spec, path, cache=cache, max_bytes=max_bytes)
    except OSError as exc:
        raise SourceError(
            f"The source {spec[:200]!r} cannot be read.",
            why=f"{exc.strerror or exc}.",
            mend="Check the path and its permissions.",
        ) from exc
    raise unreadable(spec)


def exists(spec: str) -> bool:
    """Say whether something stands at a path; what cannot be looked at is left for who reads it."""
    try:
        return Path(spec).expanduser().exists()
    except OSError:
        return True


def unreadable(spec: str) -> SourceError:
    """Return the error of a path where no file or folder is."""
    path = Path(spec).expanduser()
    where = "" if path.is_absolute() else f" in {Path.cwd()}"
    why = (
        "It is neither a file nor a folder." if path.exists() else f"There is no such file or folder{where}."
    )
    mend = f"Check the path{AGAIN if where else ''}."
    return SourceError(f"The source {spec!r} cannot be read.", why=why, mend=mend)


def read_single(spec: str, path: Path, *, cache: ExtractCache, max_bytes: int) -> Found:
    """Read one file that was named directly."""
    size = path.stat().st_size
    if size > max_bytes:
        raise SourceError(
            f"The source {spec!r} is too large.",
            why=f"It has {size:,} bytes; the cap is {max_bytes:,}.",
            mend="Split it, or give the part that matters.",
        )
    documents, skipped = read_all([candidate(path, spec)], cache)
    if skipped:
        raise SourceError(
            f"The source {spec!r} cannot be read.",
            why=f"It was skipped: {skipped[0].reason}.",
            mend=mend(rows_of(skipped)) if skipped[0].reason.startswith(CLOSED) else READABLE,
        )
    return Found(documents, [])


def read_folder(spec: str, folder: Path, *, cache: ExtractCache, max_bytes: int) -> Found:
    """Read a folder with all below it; what cannot be read is skipped with a reason."""
    wanted: list[Candidate] = []
    skipped: list[Skipped] = []

    def named(path: Path) -> str:
        return written((Path(spec) / path.relative_to(folder)).as_posix())

    def closed(error: OSError) -> None:
        if Path(error.filename) == folder:
            raise error
        skipped.append(Skipped(named(Path(error.filename)), f"{CLOSED} ({error.strerror})"))

    for path in walk(folder, closed):
        source = named(path)
        reason = refusal(path, folder, max_bytes)
        if reason:
            skipped.append(Skipped(source, reason))
        else:
            wanted.append(candidate(path, source))
    documents, unread = read_all(wanted, cache)
    skipped += unread
    if not documents:
        raise nothing_to_read(spec, skipped)
    return Found(documents, sorted(skipped))


def nothing_to_read(spec: str, skipped: Sequence[Skipped]) -> SourceError:
    """Return the error of a folder in which nothing was read."""
    rows = rows_of(skipped)
    return SourceError(
        f"The folder {spec!r} holds nothing to read.",
        why=f"Skipped: {reasons_told(rows)}." if rows else "It is empty.",
        mend=mend(rows) or "Name a folder with text, Markdown, HTML, PDF or source code.",
    )


def walk(folder: Path, closed: Callable[[OSError], None]) -> Iterator[Path]:
    """Yield the files below a folder in a fixed order, without hidden and generated ones.

    Folders that cannot be listed are told to `closed`; links to folders are yielded where they lead
    outside, and left out where what they lead to is met anyway.
    """
    for parent, folders, files in os.walk(folder, onerror=closed):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in IGNORED)
        links = [name for name in folders if leads_outside(Path(parent) / name, folder)]
        for name in sorted([*files, *links]):
            if not name.startswith("."):
                yield Path(parent) / name


def refusal(path: Path, folder: Path, max_bytes: int) -> str:
    """Say why a file of a folder is not read, or ""."""
    try:
        if leads_outside(path, folder):
            return LINK
        status = path.stat()
    except (OSError, RuntimeError) as exc:  # the latter for links in a ring
        return NOWHERE if path.is_symlink() else f"{CLOSED} ({getattr(exc, 'strerror', exc)})"
    if not stat.S_ISREG(status.st_mode):
        return NO_FILE
    if status.st_size > max_bytes:
        return f"{LARGER} {max_bytes:,} bytes"
    return "" if kind_of(path) else UNKNOWN


def leads_outside(path: Path, folder: Path) -> bool:
    """Tell whether a path is a link to what does not lie in a folder."""
    return path.is_symlink() and not path.resolve().is_relative_to(folder.resolve())


def candidate(path: Path, source: str) -> Candidate:
    """Stamp a file by its time of change and size."""
    status = path.stat()
    return Candidate(path, source, f"{status.st_mtime_ns}:{status.st_size}")


def written(name: str) -> str:
    """Return the name of a file as text that can be stored: bytes that are no UTF-8 as escapes."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def read_all(wanted: list[Candidate], cache: ExtractCache) -> Found:
    """Read files, from the cache where their time and size are unchanged."""
    keys = [(f"file:{written(os.path.abspath(item.path))}", item.stamp) for item in wanted]
    known = cache.get(keys)
    pages = [item.path for item, (key, _) in zip(wanted, keys, strict=True)
             if key not in known and kind_of(item.path) == "html"]  # fmt: skip
    read = asyncio.run(pages_extracted(pages)) if pages else {}
    fresh: list[tuple[str, str, list[Extracted] | str]] = []
    documents: list[Document] = []
    skipped: list[Skipped] = []
    for item, (key, stamp) in zip(wanted, keys, strict=True):
        value = known.get(key)
        if value is None:
            made = read[item.path] if item.path in read else extracted(item.path)
            value = cache.redactor.value(made)
            fresh.append((key, stamp, value))
        if isinstance(value, str):
            skipped.append(Skipped(item.source, value))
        else:
            documents.extend(document(found, item.source) for found in value)
    cache.put(fresh)
    return Found(documents, skipped)


def extracted(path: Path) -> list[Extracted] | str:
    """Read one file: its extract, or the reason why it has none."""
    try:
        found = extract(path.read_bytes(), kind_of(path) or "text", fallback=written(path.stem))
    except OSError as exc:
        return f"{CLOSED} ({exc.strerror})"
    except NotText as exc:
        return f"{UNTEXT}: {exc}"
    return [found] if found.text.strip() else EMPTY


async def pages_extracted(paths: Sequence[Path]) -> dict[Path, list[Extracted] | str]:
    """Read files of HTML as `extracted` does, in a process that is killed where one takes too long."""
    from ddax.actions.web.reading import Reader

    reader = Reader(seconds=PAGE_SECONDS)
    try:
        return {path: await page_extracted(path, reader) for path in paths}
    finally:
        await reader.close()


async def page_extracted(path: Path, reader: Reader) -> list[Extracted] | str:
    """Read one file of HTML: its extract, or the reason why it has none."""
    name = written(path.stem)
    try:
        content = path.read_bytes()
        decoded(content)
        page = await reader.read(content, "html", fallback=name, base="", charset="", whole=True)
    except OSError as exc:
        return f"{CLOSED} ({exc.strerror})"
    except NotText as exc:
        return f"{UNTEXT}: {exc}"
    except ActionError as exc:
        return f"{UNREAD} ({exc.why.rstrip('.')})"
    return [Extracted(page.title, page.text, page.links)] if page.text.strip() else EMPTY

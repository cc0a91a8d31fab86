"""Folders and files as sources: which are read, which are skipped and why."""

from __future__ import annotations

import asyncio
import math
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ddax.actions.sources.documents import ExtractCache
from ddax.actions.sources.extract import Extracted, NotText, document, extract
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
PAGE_SECONDS, MOST_SECONDS = 10.0, 120.0
"""CPU seconds that reading a small file may take, and a large one: a hostile one has no end."""
SECONDS_A_MEGABYTE = {"html": 2.0, "pdf": 60.0}
"""CPU seconds more for each megabyte; a page of text needs a third of one, a PDF up to fifteen."""
APART = frozenset({"html", "pdf"})
"""Kinds that are read in a process of their own whatever their size: a small one may unpack without end."""
SMALL = 500_000
"""Bytes up to which a file of another kind is read here: its time grows as its size, so it is short."""
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


Value = list[Extracted] | str
"""What was read of a file, or the reason why nothing was."""
NO_TEXT = "It cannot be read: "
READABLE = "Give a text, Markdown, HTML or PDF file, or source code."
AGAIN = ", or go to the folder where the thread was begun"


class Found(NamedTuple):
    """What a source gave."""

    documents: list[Document]
    skipped: list[Skipped]


class Candidate(NamedTuple):
    """A file to be read: where it lies, its name as a source, what its cache row depends on, its size."""

    path: Path
    source: str
    stamp: str
    size: int

    @property
    def apart(self) -> bool:
        """Tell whether it is read in a process of its own."""
        return self.size > SMALL or kind_of(self.path) in APART


class OutOfTime(Exception):
    """Reading came to the time at which it was to be over."""


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


def read_path(
    spec: str, *, cache: ExtractCache, max_bytes: int = MAX_BYTES, until: float = math.inf
) -> Found:
    """Read a file or everything below a folder until a time of the monotonic clock.

    Raises SourceError that names the spec, OutOfTime where the time is over.
    """
    path = Path(spec).expanduser()
    try:
        if path.is_dir():
            return read_folder(spec, path, cache=cache, max_bytes=max_bytes, until=until)
        if path.is_file():
            return read_single(spec, path, cache=cache, max_bytes=max_bytes, until=until)
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


def read_single(spec: str, path: Path, *, cache: ExtractCache, max_bytes: int, until: float) -> Found:
    """Read one file that was named directly."""
    size = path.stat().st_size
    if size > max_bytes:
        raise SourceError(
            f"The source {spec!r} is too large.",
            why=f"It has {size:,} bytes; the cap is {max_bytes:,}.",
            mend="Split it, or give the part that matters.",
        )
    documents, skipped = read_all([candidate(path, spec)], cache, until)
    if skipped:
        raise SourceError(
            f"The source {spec!r} cannot be read.",
            why=f"It was skipped: {skipped[0].reason}.",
            mend=mend(rows_of(skipped)) if skipped[0].reason.startswith(CLOSED) else READABLE,
        )
    return Found(documents, [])


def read_folder(spec: str, folder: Path, *, cache: ExtractCache, max_bytes: int, until: float) -> Found:
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
    documents, unread = read_all(wanted, cache, until)
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
    return Candidate(path, source, f"{status.st_mtime_ns}:{status.st_size}", status.st_size)


def written(name: str) -> str:
    """Return the name of a file as text that can be stored: bytes that are no UTF-8 as escapes."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def read_all(wanted: list[Candidate], cache: ExtractCache, until: float = math.inf) -> Found:
    """Read files, from the cache where their time and size are unchanged; raises OutOfTime.

    What was read before the time was over stays in the cache: the next run goes on from there.
    """
    keys = [(f"file:{written(os.path.abspath(item.path))}", item.stamp) for item in wanted]
    values = cache.get(keys)
    missing = {key: item for item, (key, _) in zip(wanted, keys, strict=True) if key not in values}
    fresh: list[tuple[str, str, Value]] = []

    def keep(key: str, value: Value) -> None:
        values[key] = cache.redactor.value(value)
        fresh.append((key, missing[key].stamp, values[key]))

    try:
        extract_here({key: item for key, item in missing.items() if not item.apart}, until, keep)
        if far := {key: item for key, item in missing.items() if item.apart}:
            asyncio.run(extract_all(far, until, keep))
    finally:
        cache.put(fresh)
    documents: list[Document] = []
    skipped: list[Skipped] = []
    for item, (key, _) in zip(wanted, keys, strict=True):
        value = values[key]
        if isinstance(value, str):
            skipped.append(Skipped(item.source, value))
        else:
            documents.extend(document(found, item.source) for found in value)
    return Found(documents, skipped)


def extract_here(missing: Mapping[str, Candidate], until: float, keep: Callable[[str, Value], None]) -> None:
    """Read the files that are safe to read in this process, one after the other; raises OutOfTime."""
    for key, item in missing.items():
        if time.monotonic() > until:
            raise OutOfTime
        keep(key, extracted(item.path))


async def extract_all(
    missing: Mapping[str, Candidate], until: float, keep: Callable[[str, Value], None]
) -> None:
    """Read files in a process of their own, one after the other; raises OutOfTime."""
    reader = child()
    try:
        async with asyncio.timeout_at(until if math.isfinite(until) else None):
            for key, item in missing.items():
                keep(key, await extracted_apart(item.path, reader))
    except TimeoutError as exc:
        raise OutOfTime(f"{len(missing)} files were to be read") from exc
    finally:
        await reader.close()


def child() -> Reader:
    """Return what reads in a process of its own, which starts with the first file."""
    from ddax.actions.web.reading import Reader

    return Reader(seconds=PAGE_SECONDS)


def extracted(path: Path) -> Value:
    """Read one file: its extract, or the reason why it has none."""
    try:
        found = extract(path.read_bytes(), kind_of(path) or "text", fallback=written(path.stem))
    except OSError as exc:
        return f"{CLOSED} ({exc.strerror})"
    except NotText as exc:
        return f"{UNTEXT}: {exc}"
    return [found] if found.text.strip() else EMPTY


async def extracted_apart(path: Path, reader: Reader) -> Value:
    """Read one file as `extracted` does, in a process that is killed where it takes too long."""
    kind, name = kind_of(path) or "text", written(path.stem)
    try:
        data = await asyncio.to_thread(path.read_bytes)
        more = min(SECONDS_A_MEGABYTE.get(kind, 2.0) * len(data) / 1e6, MOST_SECONDS - PAGE_SECONDS)
        page = await reader.read(data, kind, fallback=name, base="", charset="", whole=True, more=more)
    except OSError as exc:
        return f"{CLOSED} ({exc.strerror})"
    except ActionError as exc:
        if exc.kind == "not_text":
            return f"{UNTEXT}: {exc.why.removeprefix(NO_TEXT).rstrip('.')}"
        return f"{UNREAD} ({exc.why.rstrip('.')})"
    return [Extracted(page.title, page.text, page.links)] if page.text.strip() else EMPTY

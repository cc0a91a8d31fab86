"""Folders and files as sources: each is read once, and what is unchanged comes from the cache."""

from __future__ import annotations

import asyncio
import difflib
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ddax.actions.sources.documents import ExtractCache
from ddax.actions.sources.formats.extract import Extracted, NotText, document, extract
from ddax.actions.sources.formats.file_kinds import KINDS
from ddax.actions.sources.scanning import Candidate, Scan, candidate, kind_of, written
from ddax.actions.sources.skipping import (
    CLOSED,
    DAMAGED,
    EMPTY,
    LOCKED,
    NEEDS,
    PICTURES,
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
SECONDS_A_MEGABYTE = {"html": 2.0, "pdf": 60.0, **dict.fromkeys(KINDS, 30.0)}
"""CPU seconds more for each megabyte; a page of text needs a third of one, a PDF up to fifteen."""


Value = list[Extracted] | str
"""What was read of a file, or the reason why nothing was."""
NO_TEXT = "It cannot be read: "
READABLE = "Give a text, Markdown, HTML, PDF, office, mail or notebook file, or source code."
PASSING = (CLOSED, NEEDS)
"""Reasons that may be gone at the next start though the file is as it was."""
Tell = Callable[[int, int], None]
"""Is told how many files were read, and of how many; from the thread that reads."""
AGAIN = ", or go to the folder where the thread was begun"


class Found(NamedTuple):
    """What a source gave."""

    documents: list[Document]
    skipped: list[Skipped]


class OutOfTime(Exception):
    """Reading came to the time at which it was to be over."""


def read_path(
    spec: str, *, cache: ExtractCache, max_bytes: int = MAX_BYTES, until: float = math.inf,
    tell: Tell | None = None,
) -> Found:  # fmt: skip
    """Read a file or everything below a folder until a time of the monotonic clock.

    `tell` is told how many files were read, and of how many. Raises SourceError that names the spec,
    OutOfTime where the time is over.
    """
    return read_scanned(scan_path(spec, max_bytes=max_bytes), cache=cache, until=until, tell=tell)


def scan_path(spec: str, *, max_bytes: int = MAX_BYTES) -> Scan:
    """Look at what a file or folder holds, reading nothing; raises SourceError that names the spec."""
    path = Path(spec).expanduser()
    with telling(spec):
        if path.is_dir():
            return Scan(spec, path, max_bytes).run()
        if path.is_file():
            return single(spec, path, max_bytes)
    raise unreadable(spec)


def read_scanned(
    scan: Scan, *, cache: ExtractCache, until: float = math.inf, tell: Tell | None = None
) -> Found:
    """Read what was found at a path; raises what `read_path` does."""
    with telling(scan.spec):
        if scan.folder.is_dir():
            return read_folder(scan.spec, scan.folder, cache=cache, until=until, scan=scan, tell=tell)
        return read_single(scan.spec, scan.wanted, cache=cache, until=until)


@contextmanager
def telling(spec: str) -> Iterator[None]:
    """Name the source in whatever the system says of it; raises SourceError."""
    try:
        yield
    except OSError as exc:
        raise SourceError(
            f"The source {spec[:200]!r} cannot be read.",
            why=f"{exc.strerror or exc}.",
            mend="Check the path and its permissions.",
        ) from exc


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
    mend = f"Name a file or folder that is there{_like(path)}{AGAIN if where and not path.exists() else ''}."
    return SourceError(f"The source {spec!r} cannot be read.", why=why, mend=mend)


def _like(path: Path) -> str:
    """Name what stands there under a name like the one that was given; "" where nothing does."""
    folder = path.parent if path.parent.is_dir() else None
    listed = sorted(os.listdir(folder)) if folder and os.access(folder, os.R_OK) else []
    names = [name for name in listed if name != path.name]
    found = difflib.get_close_matches(path.name, names, 1)
    return f"; the nearest name is {str(path.parent / found[0])!r}" if found else ""


def single(spec: str, path: Path, max_bytes: int) -> Scan:
    """Look at one file that was named directly; raises SourceError for one that is too large."""
    found = candidate(path, spec)
    if found.size > max_bytes:
        raise SourceError(
            f"The source {spec!r} is too large.",
            why=f"It has {found.size:,} bytes; the cap is {max_bytes:,}.",
            mend="Split it, or give the part that matters.",
        )
    return Scan(spec, path, max_bytes, wanted=[found])


def read_single(spec: str, wanted: list[Candidate], *, cache: ExtractCache, until: float) -> Found:
    """Read one file that was named directly."""
    documents, skipped = read_all(wanted, cache, until)
    if skipped:
        mended = skipped[0].reason.startswith((CLOSED, NEEDS, DAMAGED, LOCKED, PICTURES))
        raise SourceError(
            f"The source {spec!r} cannot be read.",
            why=f"It was skipped: {skipped[0].reason}.",
            mend=mend(rows_of(skipped)) if mended else READABLE,
        )
    return Found(documents, [])


def read_folder(
    spec: str, folder: Path, *, cache: ExtractCache, until: float, scan: Scan, tell: Tell | None = None
) -> Found:
    """Read a folder with all below it; what cannot be read is skipped with a reason."""
    documents, unread = read_all(scan.wanted, cache, until, tell)
    skipped = [*scan.skipped, *unread]
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


def read_all(
    wanted: list[Candidate], cache: ExtractCache, until: float = math.inf, tell: Tell | None = None
) -> Found:
    """Read files, from the cache where their time and size are unchanged; raises OutOfTime.

    What was read before the time was over stays in the cache: the next run goes on from there.
    """
    keys = [(f"file:{written(os.path.abspath(item.path))}", item.stamp) for item in wanted]
    values = cache.get(keys)
    missing = {key: item for item, (key, _) in zip(wanted, keys, strict=True) if key not in values}
    fresh: list[tuple[str, str, Value]] = []
    read: list[str] = []

    def keep(key: str, value: Value) -> None:
        values[key] = cache.redactor.value(value)
        if not (isinstance(value, str) and value.startswith(PASSING)):
            fresh.append((key, missing[key].stamp, values[key]))
        read.append(key)
        if tell is not None:
            tell(len(read), len(missing))

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
        keep(key, extracted(Path(item.path)))


async def extract_all(
    missing: Mapping[str, Candidate], until: float, keep: Callable[[str, Value], None]
) -> None:
    """Read files in a process of their own, one after the other; raises OutOfTime."""
    reader = child()
    try:
        async with asyncio.timeout_at(until if math.isfinite(until) else None):
            for key, item in missing.items():
                keep(key, await extracted_apart(Path(item.path), reader))
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
        return _untext(str(exc))
    return [found] if found.text.strip() else EMPTY


def _untext(why: str) -> str:
    return why if why.startswith((NEEDS, DAMAGED, LOCKED, PICTURES)) else f"{UNTEXT}: {why}"


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
            return _untext(exc.why.removeprefix(NO_TEXT).rstrip("."))
        return f"{UNREAD} ({exc.why.rstrip('.')})"
    return [Extracted(page.title, page.text, page.links, page.fields)] if page.text.strip() else EMPTY

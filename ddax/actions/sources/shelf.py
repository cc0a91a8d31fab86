"""The index of a library on disk: what is unchanged is opened at the next start without being read again.

A shelf holds the documents of a library, their passages and the name of their lexical index, under a key
of all they were made from. It is opened by mapping: a document is decoded when it is asked for.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from ddax.actions.sources.skipping import Skipped
from ddax.errors import StorageError
from ddax.memory.files import ensure_folder
from ddax.types import Document

VERSION = 2
"""Raised when a shelf is written otherwise, passages are cut or documents are named otherwise."""
KEPT = 4
DECODED = 512
"""Documents that are kept decoded."""
META, PLACES, PASSAGES, TEXTS = "meta.json", "places.npy", "passages.npy", "texts.bin"


class Shelf(NamedTuple):
    """What a library is made of: its documents, their names, and their passages as rows."""

    documents: Sequence[Document]
    sources: Sequence[str]
    passages: NDArray[np.int32]
    skipped: tuple[Skipped, ...]


class Shelved(Sequence[Document]):
    """The documents of a shelf, each decoded when it is asked for."""

    def __init__(self, texts: mmap.mmap | bytes, places: NDArray[np.int64]) -> None:
        self._texts, self._places = texts, places
        self._decoded = lru_cache(maxsize=DECODED)(self._decode)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._places) - 1

    @overload
    def __getitem__(self, number: int) -> Document: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Document]: ...
    def __getitem__(self, number: int | slice) -> Document | Sequence[Document]:
        """Return a document by its number, or some of them; raises StorageError for a damaged one."""
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        place = number + len(self) if number < 0 else number
        if not 0 <= place < len(self):
            raise IndexError(number)
        return self._decoded(place)

    def __iter__(self) -> Iterator[Document]:
        """Yield the documents in order; none of them is kept."""
        return (self._decode(number) for number in range(len(self)))

    def _decode(self, number: int) -> Document:
        start, end = int(self._places[number]), int(self._places[number + 1])
        try:
            doc_id, source, title, text, links, notes = json.loads(self._texts[start:end])
        except ValueError as exc:
            raise StorageError(
                "The index of the sources is damaged.",
                why=f"Its document {number} cannot be read: {exc}.",
                mend="Delete the folders `shelf-*` in the cache of the home; they are made anew.",
            ) from exc
        return Document(doc_id, source, title, text, tuple(links), notes)


def key_of(parts: Iterable[str]) -> str:
    """Return the key of all that a library is made from."""
    digest = hashlib.sha256(f"{VERSION}\n".encode())
    digest.update("".join(parts).encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:24]


def open_shelf(folder: Path, key: str) -> Shelf | None:
    """Open a shelf, or return None where there is none that is whole."""
    place = folder / f"shelf-{key}"
    try:
        meta = json.loads((place / META).read_bytes())
        places, passages = np.load(place / PLACES), np.load(place / PASSAGES)
        with (place / TEXTS).open("rb") as file:
            texts = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if places[-1] else b""
        whole = len(texts) == places[-1] == meta["bytes"] and len(meta["sources"]) == len(places) - 1
        if not whole or len(passages) != meta["passages"]:
            return None
        os.utime(place)  # the last used ones are kept
    except (OSError, ValueError, KeyError, IndexError, EOFError):
        return None  # one that was cut off, or never written, is made anew
    skipped = tuple(Skipped(*item) for item in meta["skipped"])
    return Shelf(Shelved(texts, places), meta["sources"], passages, skipped)


def write_shelf(folder: Path, key: str, shelf: Shelf) -> None:
    """Write a shelf in one step and drop the oldest beyond KEPT; raises StorageError."""
    place = folder / f"shelf-{key}"
    try:
        ensure_folder(folder)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".shelf-", ignore_cleanup_errors=True) as made:
            _fill(Path(made), shelf)
            shutil.rmtree(place, ignore_errors=True)  # one that was not whole
            os.rename(made, place)
            os.mkdir(made)  # to be cleaned up
        for stale in sorted(folder.glob("shelf-*"), key=_age)[:-KEPT]:
            shutil.rmtree(stale, ignore_errors=True)
    except OSError as exc:
        if place.exists():
            return  # another process was quicker
        raise StorageError(
            f"Cannot write the index {str(place)!r}.",
            why=str(exc),
            mend="Free space or give write permission, or set DDAX_HOME elsewhere.",
        ) from exc


def _fill(place: Path, shelf: Shelf) -> None:
    places = [0]
    with (place / TEXTS).open("wb") as file:
        for one in shelf.documents:
            row: Any = (one.doc_id, one.source, one.title, one.text, one.links, dict(one.notes))
            places.append(places[-1] + file.write(json.dumps(row).encode()))
    np.save(place / PLACES, np.array(places, np.int64))
    np.save(place / PASSAGES, shelf.passages)
    meta = {
        "bytes": places[-1], "sources": list(shelf.sources), "passages": len(shelf.passages),
        "skipped": [list(item) for item in shelf.skipped],
    }  # fmt: skip
    (place / META).write_text(json.dumps(meta), encoding="ascii")


def _age(path: Path) -> int:
    """Return when a shelf was used last; 0 for one that another process has just dropped."""
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0

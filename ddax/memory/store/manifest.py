"""The manifest beside the record: what the record holds, as of a commit that was acknowledged.

It is a file of two places of one size, written in turn and in place: no commit waits for the disk once
more. A commit is noted behind it and before anybody hears of it, so a kill at any moment leaves the record
at the noted commit or further on, and a record that stands before it has lost something. What the record
itself waits for the disk for, a loss of power cannot take back below what the manifest says.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from ddax.memory.files import storage_errors, write_atomic

_SIZE = 512
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Held:
    """What a record holds: its random id, how often it was mended, its last commit, its rows by table."""

    id: str
    generation: int
    commits: int
    rows: dict[str, int]


@dataclass(frozen=True)
class Whole:
    """A database file as it was closed, with everything in it: its size and the sum of its bytes."""

    size: int
    sum: int


@dataclass(frozen=True)
class Noted:
    """What a manifest says; `held` is None where it says nothing that can be read, or is not there."""

    there: bool
    held: Held | None = None
    whole: Whole | None = None


def manifest_of(record: Path) -> Path:
    """Return where the manifest of a record is."""
    return record.with_suffix(".manifest")


def noted(record: Path) -> Noted:
    """Read the manifest of a record: the later one of its two places."""
    path = manifest_of(record)
    with storage_errors(path):
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return Noted(False)
    found = [one for start in (0, _SIZE) if (one := _parsed(data[start : start + _SIZE])) is not None]
    held, whole = max(found, key=_order, default=(None, None))
    return Noted(True, held, whole)


def whole_file(record: Path) -> Whole | None:
    """Return the size and sum of a database file; None where some of it is in its log, or it is not there."""
    log = record.with_name(f"{record.name}-wal")
    with storage_errors(record):
        if (log.exists() and log.stat().st_size) or not record.exists():
            return None
        found, size = 0, 0
        with record.open("rb") as file:
            while block := file.read(_BLOCK):
                found, size = crc32(block, found), size + len(block)
    return Whole(size, found)


class Manifest:
    """Write the manifest of one open record; one thread at a time."""

    def __init__(self, record: Path) -> None:
        self.path = manifest_of(record)
        self._file: int | None = None

    def note(self, held: Held, whole: Whole | None = None) -> None:
        """Note what a record holds; raises `StorageError` where the disk does not take it."""
        data = _written(held, whole)
        with storage_errors(self.path):
            if self._file is None:
                self._file = os.open(self.path, os.O_WRONLY | getattr(os, "O_BINARY", 0))
            os.lseek(self._file, _SIZE * (held.commits % 2), os.SEEK_SET)
            os.write(self._file, data)

    def make(self, held: Held, whole: Whole | None = None) -> None:
        """Make the file anew, on disk before this returns: one without its bytes would say of a loss."""
        self.close()
        write_atomic(self.path, _written(held, whole) * 2)

    def close(self) -> None:
        """Close the file; safe to call twice."""
        file, self._file = self._file, None
        if file is not None:
            os.close(file)


def _order(place: tuple[Held, Whole | None]) -> tuple[int, int, bool]:
    return place[0].generation, place[0].commits, place[1] is not None


def _written(held: Held, whole: Whole | None) -> bytes:
    values = {**vars(held), "whole": None if whole is None else [whole.size, whole.sum]}
    text = json.dumps(values, separators=(",", ":"))
    return f"{crc32(text.encode()):08x} {text}".encode().ljust(_SIZE - 1) + b"\n"


def _parsed(place: bytes) -> tuple[Held, Whole | None] | None:
    """Return what one place says; None for one that was not written whole."""
    said, _, text = place.rstrip(b" \n").partition(b" ")
    if len(place) != _SIZE or said != f"{crc32(text):08x}".encode():
        return None
    values = json.loads(text)
    whole = values.pop("whole")
    return Held(**values), None if whole is None else Whole(*whole)

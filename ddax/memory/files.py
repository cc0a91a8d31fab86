"""Write small files whole or not at all, and say plainly where a disk fails."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ddax.errors import StateError, StorageError, json_fault, read_json_text
from ddax.types import JsonDict

LOCK_SECONDS = 10.0
"""How long a lock of a small file is waited for."""

_MEND = "Free some space, make the folder writable, or set DDAX_HOME to another folder."


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Map an `OSError` under this block to `StorageError` that names the path."""
    try:
        yield
    except OSError as exc:
        raise StorageError(f"Cannot use {str(path)!r}.", why=f"{exc.strerror or exc}.", mend=_MEND) from exc


def ensure_folder(path: Path) -> Path:
    """Create a private folder with its parents and return it; raise `StorageError` where that fails."""
    with storage_errors(path):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def write_atomic(path: Path, content: str | bytes, *, durable: bool = True, mode: int | None = None) -> None:
    """Replace a file by the content, so that a kill leaves the old or the new one whole.

    With `durable` a loss of power does so too: the disk is waited for. Without a `mode` only the owner
    may read it.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    with storage_errors(path):
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".new", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                if durable:
                    os.fsync(file.fileno())
            if mode is not None:
                os.chmod(name, mode)
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        if durable:
            _sync_folder(path.parent)


@contextmanager
def locked(path: Path, *, seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """Hold the lock of a small file that several processes change; its folder is made.

    Raises `StorageError` where another process holds it for longer than `seconds`.
    """
    from filelock import FileLock, Timeout

    ensure_folder(path.parent)
    lock = FileLock(path.with_suffix(".lock"))
    with storage_errors(path):
        try:
            lock.acquire(timeout=seconds)
        except Timeout as exc:
            raise StorageError(
                f"The file {str(path)!r} stays locked.",
                why=f"Another process has held its lock for {seconds:g} s.",
                mend="Try again when that process has ended; nothing was changed.",
            ) from exc
    try:
        yield
    finally:
        lock.release()


_encoded = json.JSONEncoder(allow_nan=False).encode  # `json.dumps` makes such an encoder for each entry


def in_lines(value: JsonDict) -> str:
    """Return an object as JSON, a field or an entry of a list a line: easy to read, and to write.

    An indent of everything is written by Python code, which takes ten times as long.
    """
    return "{\n" + ",\n".join(f" {_encoded(key)}: {_entries(one)}" for key, one in value.items()) + "\n}"


def _entries(value: object) -> str:
    if not isinstance(value, list) or not value:
        return _encoded(value)
    return "[\n" + ",\n".join(f"  {_encoded(one)}" for one in value) + "\n ]"


def read_json(path: Path) -> JsonDict | None:
    """Return the JSON object of a file, None where there is none; raise `StateError` where it is damaged."""
    with storage_errors(path):
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
    try:
        value = read_json_text(data)
    except ValueError as exc:
        raise StateError(
            f"The file {str(path)!r} is damaged.", why=f"{json_fault(exc)}.", mend="Move it aside."
        ) from exc
    if not isinstance(value, dict):
        raise StateError(
            f"The file {str(path)!r} is damaged.", why="It holds no object.", mend="Move it aside."
        )
    return value


def _sync_folder(path: Path) -> None:
    """Make a rename durable where the system can fsync a folder."""
    if os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

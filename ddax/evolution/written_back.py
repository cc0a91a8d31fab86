"""Writes a repair into the user's files, keeps what stood there before, and puts it back."""

from __future__ import annotations

import codecs
import json
import secrets
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from ddax.errors import StateError, StorageError, UsageError
from ddax.evolution.inside.loading import as_bytes
from ddax.memory.files import write_atomic


@dataclass(frozen=True)
class Kept:
    """A repair that was written: where its originals are, and whether it was undone."""

    folder: Path
    root: Path
    files: tuple[str, ...]
    undone: bool


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def _content(path: Path) -> bytes | None:
    """Return what a file holds, or None where there is none that can be read."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def _write(path: Path, data: bytes, mode: int | None = None) -> None:
    """Replace a file at once, that to which a link leads: nobody ever sees half of it."""
    try:
        write_atomic(path.resolve(), data, mode=mode)
    except StorageError as error:
        raise StorageError(
            f"Cannot write {str(path)!r}.",
            why=error.why,
            mend="Free space or give write permission, then run it again.",
        ) from error


def _checked(place: Path, path: str, text: str) -> bytes:
    """Return the mark of its coding that a file begins with, which its text is read without.

    Raises UsageError where the file is no longer what was read, or nobody may write it.
    """
    now = _content(place)
    mark = codecs.BOM_UTF8 if now is not None and now.startswith(codecs.BOM_UTF8) else b""
    if now != mark + as_bytes(text):
        raise UsageError(
            f"{path} has changed since it was read, so the repair is not written.",
            why="What somebody wrote meanwhile would be lost.",
            mend="Run it again.",
        )
    if not place.stat().st_mode & 0o222:
        raise UsageError(
            f"{path} is read-only, so the repair is not written.",
            why="Nobody may write it: it may be generated, or not checked out.",
            mend=f"Allow it, and run it again: chmod u+w {shlex.quote(str(place))}",
        )
    return mark


def apply_repair(
    root: Path, old: Mapping[str, str], new: Mapping[str, str], *, store: Path, stamp: str
) -> Kept:
    """Write the changed files under `root`, their originals into a new folder of `store` first.

    Raises UsageError, with nothing written, where a file is no longer what the repair was made for, and
    StorageError, with what was written put back, where one cannot be written.
    """
    changed = sorted(path for path in new if new[path] != old.get(path))
    marks = {path: _checked(root / path, path, old[path]) for path in changed}
    folder = store / f"{stamp}-{secrets.token_hex(3)}"
    folder.mkdir(parents=True)
    rows = []
    for number, path in enumerate(changed):
        before, after = marks[path] + as_bytes(old[path]), marks[path] + as_bytes(new[path])
        _write(folder / f"{number}.original", before)
        rows.append({"path": path, "before": _digest(before), "after": _digest(after)})
    manifest = {"root": str(root), "files": rows, "undone": False}
    _write(folder / "manifest.json", json.dumps(manifest, indent=2).encode())
    kept = Kept(folder, root, tuple(changed), False)
    try:
        for path in changed:
            _write(root / path, marks[path] + as_bytes(new[path]), (root / path).stat().st_mode & 0o7777)
    except StorageError:
        undo_repair(kept)
        raise
    return kept


def _load(folder: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
        rows = [row[key] for row in manifest["files"] for key in ("path", "before", "after")]
        if not all(isinstance(text, str) for text in (manifest["root"], *rows)):
            raise ValueError("a field has the wrong type")
        if not isinstance(manifest["undone"], bool):
            raise ValueError("it does not say whether it was undone")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StateError(
            f"The record of a repair in {str(folder)!r} is damaged.",
            why=f"Its manifest.json is not what a repair writes ({error}).",
            mend="Move the folder away; the originals in it can be copied back by hand.",
        ) from error
    return dict(manifest)


def kept_repairs(store: Path) -> list[Kept]:
    """List the repairs that were written, the newest first."""
    if not store.is_dir():
        return []
    found = []
    for folder in sorted((f for f in store.iterdir() if f.is_dir()), reverse=True):
        if not (folder / "manifest.json").is_file():
            continue  # stopped before anything of it was written to the user's files
        manifest = _load(folder)
        paths = tuple(str(row["path"]) for row in manifest["files"])
        found.append(Kept(folder, Path(str(manifest["root"])), paths, manifest["undone"]))
    return found


def undo_repair(kept: Kept) -> tuple[str, ...]:
    """Put the originals of a repair back; raises UsageError where a file was changed since.

    A file that already is the original again is left as it is.
    """
    manifest = _load(kept.folder)
    rows = list(enumerate(manifest["files"]))
    originals: list[tuple[Path, bytes, bool]] = []
    for number, row in rows:
        place, data = kept.root / row["path"], _content(kept.folder / f"{number}.original")
        if data is None or _digest(data) != row["before"]:
            raise StateError(
                f"The original of {row['path']} in {str(kept.folder)!r} is damaged.",
                why="It is gone, or not what was kept when the repair was written.",
                mend="Take the file from your version control.",
            )
        now = "" if (content := _content(place)) is None else _digest(content)
        if now not in (row["before"], row["after"]):
            raise UsageError(
                f"{row['path']} was changed after the repair, so it is not put back.",
                why="What somebody wrote since would be lost.",
                mend=f"Its original is {kept.folder / f'{number}.original'}",
            )
        originals.append((place, data, now == row["before"]))
    for place, data, same in originals:
        if not same:
            _write(place, data, place.stat().st_mode & 0o7777)
    manifest["undone"] = True
    _write(kept.folder / "manifest.json", json.dumps(manifest, indent=2).encode())
    return kept.files

"""Pictures of what was seen, kept outside of state and memory by the hash of their bytes.

They belong to the cache: without one a later request is made from the text alone. Leaves out taking them.
"""

from __future__ import annotations

import re
from pathlib import Path

from ddax.memory.files import ensure_folder, storage_errors, write_atomic
from ddax.types import Picture

KEPT = 2000
"""Pictures kept; the oldest go first."""
_NAME = re.compile(r"[0-9a-f]{64}")


class PictureStore:
    """A folder of pictures; made at the first one."""

    def __init__(self, folder: Path, *, keep: int = KEPT) -> None:
        self._folder, self._keep = folder, keep

    def put(self, picture: Picture) -> None:
        """Keep a picture under its hash, whole or not at all; raises `StorageError`."""
        path = ensure_folder(self._folder) / f"{picture.digest}.jpg"
        with storage_errors(path):
            if path.exists():
                return
            write_atomic(path, picture.data, durable=False)
            self._prune()

    def get(self, digest: str) -> bytes | None:
        """Return the bytes of a picture; None where it is not there any more."""
        if not _NAME.fullmatch(digest):
            return None
        path = self._folder / f"{digest}.jpg"
        with storage_errors(path):
            try:
                return path.read_bytes()
            except FileNotFoundError:
                return None

    def _prune(self) -> None:
        found = sorted(filter(None, map(_dated, self._folder.glob("*.jpg"))))
        for _, path in found[: max(0, len(found) - self._keep)]:
            path.unlink(missing_ok=True)


def _dated(path: Path) -> tuple[int, Path] | None:
    """Return when a picture was kept; None where another process has let it go."""
    try:
        return path.stat().st_mtime_ns, path
    except FileNotFoundError:
        return None

"""Pictures of what was seen, kept outside of state and memory by the hash of their bytes.

They belong to the cache: without one a later request is made from the text alone. Leaves out taking them.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from ddax.memory.files import ensure_folder, storage_errors
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
            handle, name = tempfile.mkstemp(suffix=".new", dir=self._folder)
            with os.fdopen(handle, "wb") as file:
                file.write(picture.data)
            os.replace(name, path)
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
        found = sorted(self._folder.glob("*.jpg"), key=lambda path: (path.stat().st_mtime_ns, path.name))
        for path in found[: max(0, len(found) - self._keep)]:
            path.unlink(missing_ok=True)

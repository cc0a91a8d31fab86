"""Keep the manifest of an open record in step with its commits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from ddax.memory.store.manifest import Held, Manifest, noted, whole_file
from ddax.memory.store.migrations import Connection, opening_errors
from ddax.memory.store.record_check import held_now, read_held


class Holding:
    """The manifest of a record that was just opened to write; made where there is none."""

    def __init__(self, path: Path, db: Connection) -> None:
        self._path, self._db, self._manifest = path, db, Manifest(path)
        said = noted(path)
        with opening_errors(path):
            self._held = read_held(db)
        if self._held is not None and said.held != self._held:
            self._manifest.make(self._held)
        self._known = said.whole if said.held == self._held else None
        db.counting = self._counted

    def close(self) -> None:
        """Note the file as it is now closed, unless another process has it open; closes the manifest."""
        try:
            if self._held is None or self._known is not None or noted(self._path).held != self._held:
                return  # another process has written since, and notes it
            if (whole := whole_file(self._path)) is not None:
                self._manifest.note(self._held, whole)
        finally:
            self._manifest.close()

    def _counted(self) -> Callable[[], None]:
        self._db.execute("UPDATE held SET commits = commits + 1")
        return partial(self._note, held_now(self._db))

    def _note(self, held: Held) -> None:
        self._held, self._known = held, None
        self._manifest.note(held)

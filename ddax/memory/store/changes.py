"""Whether the rows of a table are still as they were read: asked at every look, so it reads none of them."""

from __future__ import annotations

from typing import TypeAlias

from ddax.memory.store.migrations import Connection

Stamp: TypeAlias = tuple[int, int, int]
"""Two that are equal: since the first one rows were added at most, by whomever."""


class Changes:
    """What else than adding was done to a table: by this connection, or by another one."""

    def __init__(self, db: Connection, table: str) -> None:
        self._db, self._own = db, 0
        db.create_function(f"note_{table}", 0, self._note)
        for change in ("UPDATE", "DELETE"):
            db.execute(
                f"CREATE TEMP TRIGGER noted_{table}_{change.lower()} AFTER {change} ON {table} "
                f"BEGIN SELECT note_{table}(); END"
            )

    def stamp(self) -> Stamp:
        """Return what stays as it is for as long as rows are only added, and none that was is taken back."""
        (others,) = self._db.execute("PRAGMA data_version").fetchone()
        return others, self._own, self._db.undone

    def _note(self) -> None:
        self._own += 1

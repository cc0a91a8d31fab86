"""What was extracted from files and modules, kept on disk so that a second run opens at once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from ddax.actions.sources.formats.extract import Extracted
from ddax.configs.secrets import Redactor
from ddax.errors import StorageError
from ddax.memory.embed.cache import opened

SCHEMA = 8
"""Raised when extraction changes, so that older rows are made again."""


class ExtractCache:
    """Rows of (key, stamp) → a list of extracts, or the reason why there is none.

    The stamp says what the row was made from (time and size of a file, version of Python): a row with
    another stamp is not used.
    """

    def __init__(self, folder: Path, redactor: Redactor | None = None) -> None:
        self.redactor = redactor or Redactor.of_process()
        self._path = folder / f"sources-{SCHEMA}.sqlite"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as exc:
            raise StorageError(
                f"Cannot make the cache folder {str(folder)!r}.",
                why=str(exc),
                mend="Give write permission, or set DDAX_HOME elsewhere.",
            ) from exc
        with self.writing() as db:
            db.execute(
                "CREATE TABLE IF NOT EXISTS extracts (key TEXT PRIMARY KEY, stamp TEXT NOT NULL,"
                " value TEXT NOT NULL)"
            )

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open the cache for one transaction."""
        with opened(self._path) as db:
            yield db

    def get(self, wanted: Sequence[tuple[str, str]]) -> dict[str, list[Extracted] | str]:
        """Return the rows whose key and stamp both agree."""
        found: dict[str, list[Extracted] | str] = {}
        stamps = dict(wanted)
        with self.writing() as db:
            for i in range(0, len(wanted), 500):
                keys = [key for key, _ in wanted[i : i + 500]]
                marks = ",".join("?" * len(keys))
                query = f"SELECT key, stamp, value FROM extracts WHERE key IN ({marks})"  # noqa: S608
                for key, stamp, value in db.execute(query, keys):
                    if stamps[key] == stamp:
                        found[key] = unpacked(value)
        return found

    def put(self, rows: Sequence[tuple[str, str, list[Extracted] | str]], *, over: bool = True) -> None:
        """Keep rows in place of older ones; with `over` off, an older row stays as it is."""
        packed = [(key, stamp, json.dumps(_plain(value), ensure_ascii=True)) for key, stamp, value in rows]
        with self.writing() as db:
            how = "REPLACE" if over else "IGNORE"
            db.executemany(f"INSERT OR {how} INTO extracts VALUES (?, ?, ?)", packed)  # noqa: S608


def _plain(value: list[Extracted] | str) -> Any:
    return value if isinstance(value, str) else [(*one[:3], dict(one.fields)) for one in value]


def unpacked(value: str) -> list[Extracted] | str:
    """Read a row back."""
    row = json.loads(value)
    if isinstance(row, str):
        return row
    return [Extracted(title, text, tuple(links), fields) for title, text, links, fields in row]

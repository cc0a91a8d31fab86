"""A file that a run appends JSON lines to: a recording of a model, a tape of the web."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from pathlib import Path

from ddax.configs.secrets import Redactor
from ddax.errors import SettingsError, StorageError
from ddax.types import JsonDict


class LineFile:
    """Append lines behind a head, secrets blotted out; `kind` and `flag` name it in errors.

    Another run's file of the same format is gone on with. Raises SettingsError for any other file that
    holds something, of which nothing is changed, and StorageError where the file cannot be written.
    """

    def __init__(
        self,
        path: Path,
        head: JsonDict,
        *,
        kind: str,
        flag: str,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._path, self._kind, self._flag = path, kind, flag
        self._redactor = Redactor.of_process() if environment is None else Redactor.from_environ(environment)
        self._lock = threading.Lock()
        if self._is_new(str(head["format"])):
            self.append(head)

    def append(self, row: JsonDict) -> None:
        """Write one line."""
        line = json.dumps(self._redactor.value(row), ensure_ascii=True)
        try:
            with self._lock, self._path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError as error:
            raise self._refused(error) from error

    def _is_new(self, form: str) -> bool:
        try:
            if not self._path.exists():
                return True
            with self._path.open("rb") as file:
                first = file.readline(1000)
        except OSError as error:
            raise self._refused(error) from error
        if first and f'"format": "{form}"'.encode() not in first:
            raise SettingsError(
                f"The {self._kind} {str(self._path)!r} would change a file of yours.",
                why=f"The file is there, and is no {self._kind}.",
                mend=f"Give {self._flag} a file that is not there yet.",
            )
        return not first

    def _refused(self, error: OSError) -> StorageError:
        return StorageError(
            f"Cannot write the {self._kind} {str(self._path)!r}.",
            why=f"{error.strerror or error}.",
            mend=f"Give {self._flag} another file.",
        )

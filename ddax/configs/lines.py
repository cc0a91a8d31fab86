"""Files of JSON lines that a run appends to: a recording of a model, a tape of the web."""

from __future__ import annotations

import errno
import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ddax.configs.secrets import Redactor
from ddax.errors import DdaxError, SettingsError, StorageError, json_fault, no_folder, read_json_text
from ddax.types import JsonDict


@dataclass(frozen=True)
class LineForm:
    """What such a file is: the format and version in its head, its kind and option for people."""

    format: str
    version: int
    kind: str
    flag: str

    @property
    def again(self) -> str:
        """Return how to make such a file."""
        return f"ddax run TASK {self.flag} FILE"

    def broken(self, path: Path, line: int, what: str, why: str) -> SettingsError:
        """Return the error of one line."""
        mend = f"Make the {self.kind} again: {self.again}"
        return SettingsError(f"{path}, line {line}: {what}.", why=f"{why}.", mend=mend)


class LineFile:
    """Append lines behind a head, secrets blotted out.

    Another run's file of the same form is gone on with, without the line in which that run was killed.
    Raises SettingsError for any other file that holds something, of which nothing is changed, UsageError
    where its folder is not there, and StorageError where the file cannot be written.
    """

    def __init__(
        self, path: Path, form: LineForm, head: JsonDict, *, environment: Mapping[str, str] | None = None
    ) -> None:
        self._path, self._form = path, form
        self._redactor = Redactor.of_process() if environment is None else Redactor.from_environ(environment)
        self._lock = threading.Lock()
        if self._is_new():
            self.append({"format": form.format, "version": form.version, **head})

    def append(self, row: JsonDict) -> None:
        """Write one line, whole: another run that opens the file meanwhile must not find half of it."""
        line = json.dumps(self._redactor.value(row), ensure_ascii=True).encode() + b"\n"
        try:
            with self._lock, self._path.open("ab", buffering=0) as file:
                if file.write(line) != len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            raise self._refused(error) from error

    def _is_new(self) -> bool:
        try:
            if not self._path.exists():
                return True
            with self._path.open("rb") as file:
                first = file.readline(1000)
            if first and f'"format": "{self._form.format}"'.encode() not in first:
                raise self._foreign()
            return _cut_torn(self._path) == 0
        except OSError as error:
            raise self._refused(error) from error

    def _foreign(self) -> SettingsError:
        return SettingsError(
            f"The {self._form.kind} {str(self._path)!r} would change a file of yours.",
            why=f"The file is there, and is no {self._form.kind}.",
            mend=f"Give {self._form.flag} a file that is not there yet.",
        )

    def _refused(self, error: OSError) -> DdaxError:
        if isinstance(error, (FileNotFoundError, NotADirectoryError)):
            return no_folder(self._path)
        return StorageError(
            f"Cannot write the {self._form.kind} {str(self._path)!r}.",
            why=f"{error.strerror or error}.",
            mend=f"Give {self._form.flag} another file.",
        )


def read_lines(path: Path, form: LineForm) -> tuple[JsonDict, list[JsonDict]]:
    """Return the head of a file and its rows, which begin on line 2.

    Raises SettingsError with the line that is no object, and for a file of another format or version.
    """
    rows = _objects(path, form)
    if not rows or rows[0].get("format") != form.format or rows[0].get("version") != form.version:
        raise SettingsError(
            f"{str(path)!r} is no {form.kind} of this release.",
            why="It begins otherwise than one, or has another version.",
            mend=f"Make one: {form.again}",
        )
    return rows[0], rows[1:]


def _objects(path: Path, form: LineForm) -> list[JsonDict]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"The {form.kind} {str(path)!r} cannot be read.",
            why=f"{getattr(error, 'strerror', None) or 'It is no UTF-8 text'}.",
            mend=f"Check the path; `{form.again}` makes one.",
        ) from error
    rows: list[JsonDict] = []
    for number, line in enumerate(lines, 1):
        try:
            row = read_json_text(line)
        except ValueError as error:
            if number == len(lines):
                break  # the writer was killed in the middle of its last line
            raise form.broken(path, number, "not valid JSON", json_fault(error, row=True)) from error
        if not isinstance(row, dict):
            raise form.broken(path, number, f"no row of a {form.kind}", "The line holds no object")
        rows.append(row)
    return rows


def _cut_torn(path: Path) -> int:
    """Cut off what stands behind the last whole line, and return how many bytes are left."""
    with path.open("rb") as file:
        data = file.read()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):  # else another run may be writing, whose next line must stay
        os.truncate(path, whole)
    return whole

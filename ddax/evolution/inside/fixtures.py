"""The fixtures of pytest that most tests make do with: a folder, what is printed, and patches taken back."""

from __future__ import annotations

import importlib
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

_NOT_SET: Any = object()


class CaptureResult(NamedTuple):
    """What was printed since it was asked for last."""

    out: str
    err: str


class CaptureFixture:
    """Stands for standard output and error while a test runs."""

    def __init__(self) -> None:
        self.before = sys.stdout, sys.stderr
        self.begin()

    def __class_getitem__(cls, _item: Any) -> type[CaptureFixture]:
        """Take the type of what is read, as an annotation names it."""
        return cls

    def begin(self) -> None:
        """Take up what is printed from here on."""
        sys.stdout, sys.stderr = (
            io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True) for _ in range(2)
        )
        self.streams = sys.stdout, sys.stderr

    def readouterr(self) -> CaptureResult:
        """Return what was printed, and begin anew."""
        texts = [self._taken(stream) for stream in self.streams]
        return CaptureResult(*texts)

    @staticmethod
    def _taken(stream: io.TextIOWrapper) -> str:
        stream.seek(0)
        text = stream.read()
        stream.seek(0)
        stream.truncate()
        return text

    @contextmanager
    def disabled(self) -> Iterator[None]:
        """Let what is printed through for a while."""
        held = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = self.before
        try:
            yield
        finally:
            sys.stdout, sys.stderr = held

    def end(self) -> None:
        """Put the streams back that were there before."""
        sys.stdout, sys.stderr = self.before


class MonkeyPatch:
    """Changes attributes, entries, the environment and the folder, and takes all of it back, last first."""

    def __init__(self) -> None:
        self.undoing: list[Callable[[], Any]] = []

    @classmethod
    @contextmanager
    def context(cls) -> Iterator[MonkeyPatch]:
        """Take back at the end of a block what was changed in it."""
        patch = cls()
        try:
            yield patch
        finally:
            patch.undo()

    def setattr(self, target: Any, name: Any, value: Any = _NOT_SET, raising: bool = True) -> None:
        """Set an attribute of an object, or of what a dotted name stands for."""
        if value is _NOT_SET:
            target, name, value = *_found(target), name
        known = getattr(target, name, _NOT_SET)
        if raising and known is _NOT_SET:
            raise AttributeError(f"{target!r} has no attribute {name!r}")
        # Of a class what it has itself counts: it may be a static method, or come from a base.
        old = vars(target).get(name, _NOT_SET) if isinstance(target, type) else known
        self._back(lambda: setattr(target, name, old), lambda: delattr(target, name), old)
        setattr(target, name, value)

    def delattr(self, target: Any, name: Any = _NOT_SET, raising: bool = True) -> None:
        """Delete an attribute of an object, or of what a dotted name stands for."""
        if name is _NOT_SET:
            target, name = _found(target)
        known = getattr(target, name, _NOT_SET)
        if known is _NOT_SET:
            if raising:
                raise AttributeError(name)
            return
        old = vars(target).get(name, known) if isinstance(target, type) else known
        self.undoing.append(lambda: setattr(target, name, old))
        delattr(target, name)

    def setitem(self, mapping: Any, name: Any, value: Any) -> None:
        """Set an entry of a mapping."""
        old = mapping.get(name, _NOT_SET)
        self._back(lambda: mapping.__setitem__(name, old), lambda: mapping.pop(name, None), old)
        mapping[name] = value

    def delitem(self, mapping: Any, name: Any, raising: bool = True) -> None:
        """Delete an entry of a mapping."""
        if name not in mapping:
            if raising:
                raise KeyError(name)
            return
        old = mapping[name]
        self.undoing.append(lambda: mapping.__setitem__(name, old))
        del mapping[name]

    def setenv(self, name: str, value: str, prepend: str | None = None) -> None:
        """Set a variable of the environment, or put something before what it has."""
        if prepend and name in os.environ:
            value = f"{value}{prepend}{os.environ[name]}"
        self.setitem(os.environ, name, str(value))

    def delenv(self, name: str, raising: bool = True) -> None:
        """Delete a variable of the environment."""
        self.delitem(os.environ, name, raising)

    def syspath_prepend(self, path: Any) -> None:
        """Let imports begin in a folder."""
        old = sys.path[:]
        self.undoing.append(lambda: sys.path.__setitem__(slice(None), old))
        sys.path.insert(0, str(path))

    def chdir(self, path: Any) -> None:
        """Go to a folder."""
        old = Path.cwd()
        self.undoing.append(lambda: os.chdir(old))
        os.chdir(path)

    def _back(self, put: Callable[[], Any], drop: Callable[[], Any], old: Any) -> None:
        self.undoing.append(drop if old is _NOT_SET else put)

    def undo(self) -> None:
        """Take back what was changed."""
        while self.undoing:
            self.undoing.pop()()


def _found(path: str) -> tuple[Any, str]:
    """Return the object that holds what a dotted name stands for, and the last part of the name."""
    owner, _, name = path.rpartition(".")
    parts = owner.split(".")
    found = importlib.import_module(parts[0])
    for i, part in enumerate(parts[1:], 2):
        if not hasattr(found, part):
            importlib.import_module(".".join(parts[:i]))
        found = getattr(found, part)
    return found, name


def tmp_path() -> Iterator[Path]:
    """Make an empty folder for a test, of the same name each time: what tests see of it is compared."""
    folder = Path(tempfile.gettempdir(), "test_path0")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def capsys() -> Iterator[CaptureFixture]:
    """Hold back what a test prints."""
    captured = CaptureFixture()
    yield captured
    captured.end()


def monkeypatch() -> Iterator[MonkeyPatch]:
    """Offer patches that are taken back after the test."""
    patch = MonkeyPatch()
    yield patch
    patch.undo()


FIXTURES: dict[str, Callable[[], Iterator[Any]]] = {
    "tmp_path": tmp_path,
    "capsys": capsys,
    "monkeypatch": monkeypatch,
}

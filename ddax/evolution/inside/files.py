"""Lays a project out in the box: its files, its environment, and the texts of the candidate that runs.

The project itself is read-only; small files are copied, so that tests may write beside them.
"""

from __future__ import annotations

import base64
import contextlib
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from .loading import WORK, as_bytes

PROJECT = "/project"
"""Where the project's folder is bound."""
COPIED, ALL_COPIED, MANY = 256 << 10, 24 << 20, 20_000
"""Bytes of a file that is copied, bytes of all of these, and files beyond which folders are linked whole."""
LINKED = frozenset({".git", ".hg", ".svn", "node_modules", "venv", ".venv", "site-packages"})
"""Folders that are reached through a link; nothing is written there."""


class Files:
    """The texts of program and tests on the disk: a candidate's while it runs, then their own again."""

    def __init__(self, texts: Mapping[str, bytes]) -> None:
        self.own, self.signs = dict(texts), dict[str, Any]()
        self.restore()

    def put(self, changed: Mapping[str, str]) -> None:
        """Write the files that a candidate changes, for processes that its tests start."""
        for path, text in changed.items():
            self._write(path, as_bytes(text))
            self.signs.pop(path, None)

    def restore(self) -> None:
        """Write what is not as it was: what a candidate left behind is not for the next."""
        for path, content in self.own.items():
            if path not in self.signs or self.signs[path] != _sign(path):
                self._write(path, content)
                self.signs[path] = _sign(path)

    def _write(self, path: str, content: bytes) -> None:
        place = os.path.join(WORK, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(place)  # it may be a link by now
        with open(place, "wb") as stream:
            stream.write(content)


def _sign(path: str) -> tuple[int, int] | None:
    try:
        found = os.lstat(os.path.join(WORK, path))
    except OSError:
        return None
    return found.st_ctime_ns, found.st_ino


def lay_out(message: Mapping[str, Any]) -> Files:
    """Write the project's files into the box and go there, for tests that read or collect files."""
    os.makedirs(WORK, exist_ok=True)
    if os.path.isdir(PROJECT):
        bring()
    texts = {path: base64.b64decode(data) for path, data in message["data"].items()}
    texts |= {p: as_bytes(t) for p, t in {**message["sources"], **message["tests"]}.items()}
    found = Files(texts)
    os.chdir(WORK)
    settle(message)
    return found


def settle(message: Mapping[str, Any]) -> None:
    """Set the environment of the tests, so that processes that they start find what they themselves do."""
    os.environ.update(message["environment"])
    folders = [
        os.path.normpath(os.path.join(WORK, root)) for root in [*message["imports_at"], *message["roots"]]
    ]
    sys.path += [folder for folder in folders if folder not in sys.path]
    os.environ["PYTHONPATH"] = os.pathsep.join([*folders, *message["site"]])
    os.environ["PATH"] = f"{os.path.dirname(sys.executable)}:{os.environ.get('PATH', '')}"


def bring() -> None:
    """Bring the project's files: small ones and programs as copies, others as links."""
    copied = 0
    for number, (source, target) in enumerate(_found("")):
        with contextlib.suppress(OSError):  # what nobody may read, no test reads
            size = os.lstat(source).st_size
            if os.path.islink(source):
                os.symlink(os.readlink(source), target)
            elif os.path.isdir(source) or number > MANY:
                os.symlink(source, target)
            elif source.endswith(".py") or (size <= COPIED and copied + size <= ALL_COPIED):
                shutil.copy(source, target)
                copied += size
            else:
                os.symlink(source, target)


def _found(folder: str) -> Iterator[tuple[str, str]]:
    """Yield the files below a folder of the project and the folders that are linked, with where they go."""
    here = os.path.join(PROJECT, folder)
    try:
        names = sorted(os.listdir(here))
    except OSError:
        return
    os.makedirs(os.path.join(WORK, folder), exist_ok=True)
    for name in names:
        inner, source = os.path.join(folder, name), os.path.join(here, name)
        whole = name in LINKED or os.path.exists(os.path.join(source, "pyvenv.cfg"))
        if os.path.isdir(source) and not os.path.islink(source) and not whole:
            if name != "__pycache__":
                yield from _found(inner)
        else:
            yield source, os.path.join(WORK, inner)

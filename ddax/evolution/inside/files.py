"""Lays a project out in the box: its files, its environment, and the texts of the candidate that runs.

The project itself is read-only; small files are copied, so that tests may write beside them. What a
candidate leaves behind is gone before the next.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from .loading import WORK, as_bytes

PROJECT = "/project"
"""Where the project's folder is bound."""
SCRATCH = ("/box", "/tmp", "/dev/shm") if __file__.startswith("/ddax/") else ()  # noqa: S108 - of the box
"""What a candidate may write to; nothing at all outside of the box."""
COPIED, ALL_COPIED, BLOCK, MANY = 256 << 10, 24 << 20, 4 << 10, 20_000
"""Bytes of a file that is copied, of all of these (twice as many with programs), and of what a file takes at
least; files beyond which the others are linked."""
LINKED = frozenset({".git", ".hg", ".svn", "node_modules", "venv", ".venv", "site-packages"})
"""Folders that are reached through a link; nothing is written there."""
Sign = tuple[int, ...]


class Files:
    """What lies in the box: the texts of a candidate while it runs, then all of it as it was."""

    def __init__(self, texts: Mapping[str, bytes], folder: str) -> None:
        self.own, self.folder, self.signs = dict(texts), folder, dict[str, Sign]()
        for path, content in self.own.items():
            _write(path, content)

    def put(self, changed: Mapping[str, str]) -> None:
        """Write the files that a candidate changes, for processes that its tests start."""
        self.signs = self.signs or dict(_signs(SCRATCH))
        for path, text in changed.items():
            _write(path, as_bytes(text))

    def restore(self) -> None:
        """Make all as it was; raises OSError where it cannot be, which ends the worker."""
        now = dict(_signs(SCRATCH))
        for place in sorted(now.keys() - self.signs.keys()):
            _remove(place)
        for place, sign in [*self.signs.items()]:  # a folder comes before what is in it
            if now.get(place) != sign:
                self._again(place, sign[0])
                if os.path.lexists(place):
                    self.signs[place] = _sign(os.lstat(place))
                else:  # the worker's own, which it makes again when it needs it
                    del self.signs[place]
        os.chdir(WORK)  # it may be another one

    def _again(self, place: str, mode: int) -> None:
        path = os.path.relpath(place, WORK)
        _remove(place)
        if stat.S_ISDIR(mode):
            os.mkdir(place)
        elif path in self.own:
            _write(path, self.own[path])
        else:
            _lay(os.path.join(PROJECT, path), place, stat.S_ISLNK(mode), self.folder)


def _write(path: str, content: bytes) -> None:
    place = os.path.join(WORK, path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    _remove(place)  # it may be a link by now
    with open(place, "wb") as stream:
        stream.write(content)


def _remove(place: str) -> None:
    if os.path.isdir(place) and not os.path.islink(place):
        shutil.rmtree(place)
    elif os.path.lexists(place):
        os.unlink(place)


def _sign(found: os.stat_result) -> Sign:
    """Return what is other numbers where something was changed; of a folder only that it is one."""
    inner = (found.st_mode, found.st_ino, found.st_size, found.st_ctime_ns)
    return (stat.S_IFDIR,) if stat.S_ISDIR(found.st_mode) else inner


def _signs(folders: tuple[str, ...]) -> Iterator[tuple[str, Sign]]:
    """Yield all that lies below some folders, and opens those that are closed."""
    for folder in folders:
        with os.scandir(folder) as entries:
            for entry in entries:
                found = entry.stat(follow_symlinks=False)
                yield entry.path, _sign(found)
                if stat.S_ISDIR(found.st_mode):
                    if found.st_mode & 0o700 != 0o700:
                        os.chmod(entry.path, 0o700)
                    yield from _signs((entry.path,))


def lay_out(message: Mapping[str, Any]) -> Files:
    """Write the project's files into the box and go there, for tests that read or collect files."""
    os.makedirs(WORK, exist_ok=True)
    if os.path.isdir(PROJECT):
        bring(message["folder"])
    texts = {p: as_bytes(t) for p, t in {**message["sources"], **message["tests"]}.items()}
    found = Files(texts, message["folder"])
    os.chdir(WORK)
    settle(message)
    return found


def settle(message: Mapping[str, Any]) -> None:
    """Set the environment of the tests, so that processes that they start find what they themselves do."""
    os.environ.update(message["environment"])
    time.tzset()
    folders = [
        os.path.normpath(os.path.join(WORK, root)) for root in [*message["imports_at"], *message["roots"]]
    ]
    sys.path += [folder for folder in folders if folder not in sys.path]
    os.environ["PYTHONPATH"] = os.pathsep.join([*folders, *message["site"]])
    os.environ["PATH"] = f"{os.path.dirname(sys.executable)}:{os.environ.get('PATH', '')}"


def bring(folder: str) -> None:
    """Bring what lies in `folder` outside: small files and programs as copies, others as links."""
    copied = 0
    for number, (source, target) in enumerate(_found("")):
        with suppress(PermissionError, FileNotFoundError):  # what nobody may read, no test reads
            size, program = os.lstat(source).st_size, source.endswith(".py")
            takes = copied + -(-size // BLOCK) * BLOCK
            fits = takes <= 2 * ALL_COPIED if program else size <= COPIED and takes <= ALL_COPIED
            linked = os.path.isdir(source) or number > MANY or not fits
            copied = copied if linked else takes
            _lay(source, target, linked, folder)


def _lay(source: str, target: str, linked: bool, folder: str) -> None:
    """Put a file of the project at its place, or a link to it; its own links lead to places in the box."""
    if os.path.islink(source):
        to = os.readlink(source)
        os.symlink(to.replace(folder, WORK, 1) if to.startswith(f"{folder}/") else to, target)
    elif linked:
        os.symlink(source, target)
    elif os.path.isfile(source):
        shutil.copy(source, target)


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

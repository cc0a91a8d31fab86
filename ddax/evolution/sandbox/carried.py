"""Brings a project's folder into a sandbox, read-only: bound, or a copy where its files are closed there."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
import weakref
from contextlib import suppress
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from ddax.errors import SourceError
from ddax.evolution.inside.files import LINKED, PROJECT
from ddax.evolution.sandbox.protocol import Sandbox
from ddax.evolution.sandbox.runtime import reachable

MOST, PREFIX = 1 << 30, "ddax-project-"
"""Bytes of a folder that is copied at most, and how the name begins of the one that its copy is in."""


def carrying(sandbox: Sandbox, folder: str) -> Sandbox:
    """Return a sandbox in which a folder of this machine can be read; without one, the sandbox itself."""
    runtime = getattr(sandbox, "runtime", None)
    if not folder or runtime is None:
        return sandbox
    found: Any = copy(sandbox)
    place, root = os.path.realpath(folder), os.geteuid() == 0
    if hidden := not _open(place, root):
        kept, lock = _kept()
        found.dropped = weakref.finalize(found, _remove, kept, lock)
        try:
            _copy(Path(place), Path(kept, "project"))
        except BaseException:
            found.dropped()
            raise
        place = os.path.join(kept, "project")
    binds = (*runtime.binds, (place, PROJECT))
    found.runtime = replace(runtime, hidden=runtime.hidden or (root and hidden), binds=binds)
    return cast(Sandbox, found)


def _kept() -> tuple[str, int]:
    """Make a folder that is open to nobody else, and lock it; remove those whose process was killed."""
    for old in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # it is another user's, or in use
            _remove(str(old), _locked(str(old)))
    while True:
        place = tempfile.mkdtemp(prefix=PREFIX)
        with suppress(OSError):  # it was taken for one of these
            return place, _locked(place)


def _locked(place: str) -> int:
    """Lock a folder as long as this process lives; raises OSError where another has it, or it is gone."""
    lock = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(lock).st_uid != os.geteuid() or not os.path.samestat(os.stat(place), os.fstat(lock)):
            raise PermissionError(place)
    except OSError:
        os.close(lock)
        raise
    return lock


def _remove(place: str, lock: int) -> None:
    shutil.rmtree(place, ignore_errors=True)
    os.close(lock)


def dropped(sandbox: Sandbox) -> None:
    """Remove the copy of a folder that a sandbox carries, if it does."""
    if (drop := getattr(sandbox, "dropped", None)) is not None:
        drop()


def _open(folder: str, root: bool) -> bool:
    """Say whether a folder can be bound: nothing in it leads out, and for `root` that anybody may read it."""
    if root and not reachable(folder):
        return False
    for place, folders, files in os.walk(folder):
        closed = root and not LINKED & {*Path(place).relative_to(folder).parts}
        for name in (*folders, *files):
            with suppress(FileNotFoundError):  # it was taken away meanwhile
                mode = os.lstat(os.path.join(place, name)).st_mode
                needed = 5 if stat.S_ISDIR(mode) else 0 if stat.S_ISLNK(mode) else 4
                if stat.S_IFMT(mode) not in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK):
                    return False  # a socket, a pipe, or a device
                if closed and name not in LINKED and mode & needed != needed:
                    return False
    return True


def _copy(folder: Path, target: Path) -> None:
    """Copy a folder so that everybody may read it; raises SourceError where it is too much."""
    size = 0
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in LINKED and name != "__pycache__"]
        here = target / Path(place).relative_to(folder)
        here.mkdir()
        here.chmod(0o755)
        for name in (*files, *(one for one in folders if Path(place, one).is_symlink())):
            source = Path(place, name)
            if not source.is_symlink() and not source.is_file():
                continue  # a socket, or a pipe
            # What nobody may read, no test reads; what is taken away meanwhile, neither.
            with suppress(PermissionError, FileNotFoundError):
                size += source.lstat().st_size
                if size > MOST:
                    raise SourceError(
                        f"{folder} has more than {MOST >> 20:,} MiB.",
                        why="It cannot be bound: what is in it is closed to others, or a socket; and it is"
                        " too much to be copied.",
                        mend="Let others read the folder (chmod -R o+rX), and take sockets and pipes out.",
                    )
                shutil.copy(source, here / name, follow_symlinks=False)
                if not source.is_symlink():
                    (here / name).chmod(0o755 if source.stat().st_mode & 0o100 else 0o644)

"""Brings a project's folder into a sandbox, read-only: bound, or a copy where its files are closed there."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import weakref
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from ddax.errors import SourceError
from ddax.evolution.inside.files import LINKED, PROJECT
from ddax.evolution.sandbox.protocol import Sandbox
from ddax.evolution.sandbox.runtime import reachable

MOST = 1 << 30
"""Bytes of a folder that is copied."""


def carrying(sandbox: Sandbox, folder: str) -> Sandbox:
    """Return a sandbox in which a folder of this machine can be read; without one, the sandbox itself."""
    runtime = getattr(sandbox, "runtime", None)
    if not folder or runtime is None:
        return sandbox
    found: Any = copy(sandbox)
    place = os.path.realpath(folder)
    if os.geteuid() == 0 and not _open(Path(place)):
        place = tempfile.mkdtemp(prefix="ddax-project-")
        found.dropped = weakref.finalize(found, shutil.rmtree, place, ignore_errors=True)
        _copy(Path(folder), Path(place))
    found.runtime = replace(runtime, binds=(*runtime.binds, (place, PROJECT)))
    return cast(Sandbox, found)


def dropped(sandbox: Sandbox) -> None:
    """Remove the copy of a folder that a sandbox carries, if it does."""
    if (drop := getattr(sandbox, "dropped", None)) is not None:
        drop()


def _open(folder: Path) -> bool:
    """Say whether nobody in particular may read a folder and all that is in it."""
    if not reachable(str(folder)):
        return False
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in LINKED]
        for name in (*folders, *files):
            mode = os.lstat(os.path.join(place, name)).st_mode
            if not stat.S_ISLNK(mode) and not mode & 0o4:
                return False
    return True


def _copy(folder: Path, target: Path) -> None:
    """Copy a folder so that everybody may read it; raises SourceError where it is too much."""
    size = 0
    target.chmod(0o755)
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in LINKED and name != "__pycache__"]
        here = target / Path(place).relative_to(folder)
        here.mkdir(mode=0o755, exist_ok=True)
        for name in files:
            source = Path(place, name)
            if not source.is_symlink() and not source.is_file():
                continue  # a socket, or a pipe
            size += source.lstat().st_size
            if size > MOST:
                raise SourceError(
                    f"{folder} has more than {MOST >> 20:,} MiB.",
                    why="The user of the sandbox may not read it, and it is too much to be copied.",
                    mend="Run it as a user who is not root, or let others read the folder: chmod -R o+rX",
                )
            shutil.copy(source, here / name, follow_symlinks=False)
            if not source.is_symlink():
                (here / name).chmod(0o755 if source.stat().st_mode & 0o100 else 0o644)

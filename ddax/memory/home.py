"""The folder everything is written under: its layout, its version, and the locks of its threads."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from ddax.configs.settings import SCHEMA_VERSION
from ddax.errors import StateError, StorageError, UsageError
from ddax.memory.files import ensure_folder, read_json, storage_errors, write_atomic
from ddax.memory.lock import Owner, OwnerLock, lock_owner

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")

HomeStep = Callable[[Path], None]
HOME_STEPS: Mapping[int, HomeStep] = {}
"""For each old version the step that brings a home to the next one."""


def safe_name(text: object) -> str:
    """Return a name that is safe as a file name on every system; raise `UsageError` for any other."""
    if isinstance(text, str) and _SAFE.fullmatch(text):
        return text
    said = text[:80] if isinstance(text, str) else text
    raise UsageError(
        f"The name {said!r} cannot be used.",
        why="A name has 1 to 128 letters, digits, '.', '_' or '-' and begins with a letter or digit.",
        mend="Choose another name.",
    )


@dataclass(frozen=True)
class Home:
    """The layout of a home folder; making one touches no disk, `ensure` does."""

    path: Path
    server: Path | None = None
    """The home of the server, where this one is that of one of its owners."""

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> Home:
        """Return the home that `DDAX_HOME` names, or `.ddax` in the working folder."""
        try:
            return cls(Path(environ.get("DDAX_HOME") or ".ddax").expanduser().absolute())
        except FileNotFoundError as exc:
            raise UsageError(
                "The working folder is gone.",
                why="It was removed, or moved, after this shell went into it.",
                mend="Go to a folder that is there: cd",
            ) from exc

    def of_owner(self, owner: str) -> Home:
        """Return the home of one owner of a server, below the server's own; no two owners share one."""
        shown = re.sub(r"[^a-z0-9]+", "-", owner.lower())[:16].strip("-") or "owner"
        digest = sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()[:24]
        return Home(self.path / "owners" / f"{shown}-{digest}", server=self.path)

    @property
    def common(self) -> Path:
        """The folder of what holds for all owners: prices, providers, approved MCP servers, matrices."""
        return self.server or self.path

    @property
    def checkpoints(self) -> Path:
        """The SQLite file of the checkpoints."""
        return self.path / "checkpoints.sqlite"

    @property
    def memory(self) -> Path:
        """The folder of the memory."""
        return self.path / "memory"

    @property
    def threads(self) -> Path:
        """The folder of thread files and locks."""
        return self.path / "threads"

    @property
    def cache(self) -> Path:
        """The folder of what can be made again: fetched pages, built models."""
        return self.path / "cache"

    @property
    def agents(self) -> Path:
        """The folder of the agents' files."""
        return self.path / "agents"

    @property
    def rubrics(self) -> Path:
        """The folder of the rubrics that have changed, with their histories."""
        return self.path / "rubrics"

    @property
    def runs(self) -> Path:
        """The folder of run records."""
        return self.path / "runs"

    def thread(self, name: str) -> Path:
        """Return the folder of a thread; raise `UsageError` for an unsafe name."""
        return self.threads / safe_name(name)

    @classmethod
    def named(cls, path: Path | str | None, environ: Mapping[str, str]) -> Home:
        """Return the home at a path, or else the one that the environment names."""
        return cls(Path(path)) if path else cls.from_environ(environ)

    def ensure(self, *, steps: Mapping[int, HomeStep] = HOME_STEPS, version: int = SCHEMA_VERSION) -> Home:
        """Create the layout, or check and migrate the one that is there.

        Raises `StateError` for a newer or damaged home, `StorageError` where it cannot be written.
        """
        ensure_folder(self.path)
        if not os.access(self.path, os.W_OK):
            raise StorageError(
                f"Cannot write in {str(self.path)!r}.",
                why="The folder is read-only.",
                mend="Make it writable, or set DDAX_HOME to another folder.",
            )
        self._bring_to(version, steps)
        for folder in (self.memory, self.threads, self.cache, self.agents, self.runs):
            ensure_folder(folder)
        return self

    def version(self, newest: int = SCHEMA_VERSION) -> int | None:
        """Return the version of the layout, None where none is noted; nothing is made or changed.

        Raises `StateError` for one that this release does not know.
        """
        data = read_json(self.path / "home.json")
        if data is None:
            return None
        found = data.get("schema")
        if not isinstance(found, int) or found > newest:
            raise StateError(
                f"The home {str(self.path)!r} has version {found!r}.",
                why=f"This release reads versions up to {newest}.",
                mend="Upgrade ddax, or set DDAX_HOME to another folder.",
            )
        return found

    def _bring_to(self, version: int, steps: Mapping[int, HomeStep]) -> None:
        found = self.version(version)
        if found is not None and found < version:
            self._migrate(found, version, steps)
        if found is None:
            write_atomic(self.path / "home.json", json.dumps({"schema": version}))

    def _migrate(self, found: int, version: int, steps: Mapping[int, HomeStep]) -> None:
        missing = [old for old in range(found, version) if old not in steps]
        if missing:
            raise StateError(
                f"The home {str(self.path)!r} has version {found}.",
                why=f"There is no way from version {missing[0]} to {missing[0] + 1}.",
                mend="Set DDAX_HOME to another folder.",
            )
        backup = self.path.with_name(f"{self.path.name}.backup-v{found}")
        with storage_errors(backup):
            if not backup.exists():
                partial = backup.with_name(f"{backup.name}.part")
                shutil.rmtree(partial, ignore_errors=True)
                shutil.copytree(self.path, partial, symlinks=True)
                partial.rename(backup)
        for old in range(found, version):
            with storage_errors(self.path):
                steps[old](self.path)
            write_atomic(self.path / "home.json", json.dumps({"schema": old + 1}))


def opened_home(home: Home | None = None, owner: str = "") -> Home:
    """Open a home, or the one the environment names; with an owner's name that owner's home in it.

    It asks the disk, so that async code calls it in a thread.
    """
    place = home if home is not None else Home.from_environ(os.environ).ensure()
    return place.of_owner(owner).ensure() if owner else place


@contextmanager
def thread_lock(
    home: Home, thread: str, *, clock: Callable[[], float], wait_seconds: float = 0.0
) -> Iterator[Owner | None]:
    """Own a thread for the length of the block; yields the dead owner it was taken over from, if any.

    Raises `ThreadInUse` where a live process owns it, `UsageError` for an unsafe name. It blocks.
    Nothing of the lock stays behind.
    """
    lock = _lock_of(home, thread, clock)
    previous = lock.acquire(wait_seconds)
    try:
        yield previous
    finally:
        lock.release()


@asynccontextmanager
async def thread_held(home: Home, thread: str, *, clock: Callable[[], float]) -> AsyncIterator[None]:
    """Own a thread as `thread_lock` does, for an event loop; who gives up the wait leaves nothing locked."""
    lock = _lock_of(home, thread, clock)
    pool = ThreadPoolExecutor(1, "ddax-lock")
    taking = pool.submit(lock.acquire)
    pool.shutdown(wait=False)
    try:
        await asyncio.wrap_future(taking)
    except asyncio.CancelledError:
        taking.add_done_callback(lambda _: lock.release())  # the thread goes on, and nobody else would
        raise
    try:
        yield
    finally:
        await asyncio.shield(asyncio.ensure_future(asyncio.to_thread(lock.release)))


def _lock_of(home: Home, thread: str, clock: Callable[[], float]) -> OwnerLock:
    instead = "use another thread or home"
    return OwnerLock(home.thread(thread), f"thread {thread!r}", clock=clock, passing=True, instead=instead)


def thread_owner(home: Home, thread: str) -> Owner | None:
    """Return the live process that owns a thread; None where nobody does."""
    return lock_owner(home.thread(thread))

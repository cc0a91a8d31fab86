"""Give a folder or a thread one owner process, and name that owner to everybody else.

The operating system's file lock decides; it is gone when its process dies, also by `kill -9`. The
owner file beside it only says who holds it. Network file systems without locks are left out.

A folder that holds nothing but its lock goes with the lock where that is asked for. The file is
unlinked while it is held, so whoever waited for it finds that it has no name any more, and opens anew.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ddax.errors import StateError, StorageError, ThreadInUse
from ddax.memory.files import ensure_folder, read_json, storage_errors, write_atomic

if TYPE_CHECKING:
    from filelock import FileLock

_POLL_SECONDS = 0.05
_OWNER = "owner.json"
ANOTHER_HOME = "set DDAX_HOME to another home"
_ATTEMPTS = 20
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True)
class Owner:
    """A process: `started` is its start time as the system counts it, `since` when it took the lock.

    `address` is the socket by which it serves others, "" while it makes one, None where it serves nobody;
    `token` is what it says there, so that nobody else is taken for it.
    """

    pid: int
    host: str
    boot: str
    started: str
    since: float
    address: str | None = None
    token: str = ""

    @property
    def serves(self) -> bool:
        """Tell whether others of this machine may reach, through it, what it owns."""
        return self.address is not None and self.host == socket.gethostname()


def this_process(now: float) -> Owner:
    """Describe the running process, as the owner of a lock since `now` (seconds since the epoch)."""
    pid = os.getpid()
    return Owner(pid, socket.gethostname(), _boot_id(), _start_time(pid), now)


def is_alive(owner: Owner) -> bool:
    """Tell whether the owner still runs; one on another host cannot be seen and counts as alive."""
    if owner.host != socket.gethostname():
        return True
    if owner.boot != _boot_id():
        return False
    return _pid_exists(owner.pid) and owner.started == _start_time(owner.pid)


def read_owner(path: Path) -> Owner | None:
    """Return whom an owner file names; None where it is missing or half written."""
    try:
        data = read_json(path)
        return None if data is None else Owner(**data)
    except (StateError, TypeError):
        return None


class OwnerLock:
    """Hold a folder for this process; usable from any of its threads, once at a time.

    With `passing` a folder that holds nothing but the lock is removed when the lock is given back.
    `instead` says what else is there for whoever finds the folder in use. An owner that is to `serve`
    others says so from the beginning, and tells how by `announce`.
    """

    def __init__(
        self,
        folder: Path,
        label: str,
        *,
        clock: Callable[[], float],
        passing: bool = False,
        serve: bool = False,
        instead: str = ANOTHER_HOME,
    ) -> None:
        self.label, self._clock, self._passing, self._serve = label, clock, passing, serve
        self._mend = f"Wait for it, stop it, or {instead}."
        self._lock_path, self._owner_path = folder / "owner.lock", folder / _OWNER
        self._lock: FileLock | None = None
        self._owner: Owner | None = None

    def acquire(self, wait_seconds: float = 0.0) -> Owner | None:
        """Take the lock and return the dead owner it was taken over from, if any.

        Raises `ThreadInUse` naming the live owner after `wait_seconds`, `StorageError` on a disk failure.
        """
        from filelock import FileLock, Timeout

        lock = FileLock(self._lock_path, thread_local=False)
        try:
            # A time-out is an OSError too, so it is told apart before these are mapped.
            with storage_errors(self._lock_path):
                try:
                    self._take(lock, time.monotonic() + max(0.0, wait_seconds))
                except Timeout as exc:
                    raise self._in_use() from exc
        except NotImplementedError as exc:
            raise StorageError(
                f"Cannot lock {str(self._lock_path)!r}.",
                why="The file system has no file locks.",
                mend="Set DDAX_HOME to a folder on a local disk.",
            ) from exc
        previous = read_owner(self._owner_path)
        owner = replace(this_process(self._clock()), address="" if self._serve else None)
        try:
            self._note(owner)
        except BaseException:
            self._give_back(lock)
            raise
        self._lock, self._owner = lock, owner
        return previous

    def announce(self, address: str | None, token: str = "") -> None:
        """Tell others by which socket this process serves them; None: it serves nobody any more."""
        if self._owner is not None:
            self._note(replace(self._owner, address=address, token=token))

    def release(self) -> None:
        """Give the lock back; safe to call twice."""
        lock, self._lock, self._owner = self._lock, None, None
        if lock is None:
            return
        with storage_errors(self._owner_path):
            self._owner_path.unlink(missing_ok=True)
        self._give_back(lock)

    def _note(self, owner: Owner) -> None:
        # A loss of power ends the owner as well, so there is nothing to outlive it.
        write_atomic(self._owner_path, json.dumps(asdict(owner)), durable=False)

    def _take(self, lock: FileLock, until: float) -> None:
        """Take the file lock; where its last owner removes the folder meanwhile, make it again."""
        for left in reversed(range(_ATTEMPTS)):
            try:
                ensure_folder(self._lock_path.parent)
                lock.acquire(timeout=max(0.0, until - time.monotonic()), poll_interval=_POLL_SECONDS)
                return
            except (FileNotFoundError, FileExistsError, StorageError):
                if not left:
                    raise

    def _give_back(self, lock: FileLock) -> None:
        try:
            emptied = self._passing and self._emptied()
        finally:
            lock.release(force=True)
        if emptied:
            # It is not empty where the next owner has come already, and then it is theirs.
            with contextlib.suppress(OSError):
                self._lock_path.parent.rmdir()

    def _emptied(self) -> bool:
        """Unlink the lock file, while it is held, where nothing stands beside it."""
        if os.name != "posix":
            return False  # An open file keeps its name there.
        try:
            alone = os.listdir(self._lock_path.parent) == [self._lock_path.name]
            if alone:
                self._lock_path.unlink()
        except OSError:
            return False  # What stays behind does no harm, and the lock is given back either way.
        return alone

    def _in_use(self) -> ThreadInUse:
        owner = read_owner(self._owner_path)
        if owner is None:
            why = "Its owner is just starting or ending."
            return ThreadInUse(f"{self.label} is in use.", why=why, mend=self._mend)
        since = datetime.fromtimestamp(owner.since, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        who = "this process" if owner.pid == os.getpid() and is_alive(owner) else f"pid {owner.pid}"
        where = "" if owner.host == socket.gethostname() else f" on {owner.host}"
        return ThreadInUse(
            f"{self.label} is in use by {who}{where} since {since}.", why=self._why(owner), mend=self._mend
        )

    def _why(self, owner: Owner) -> str:
        if not is_alive(owner):
            return "That process has ended; a child of it still holds the lock."
        if not self._serve:
            return "One process at a time writes it, so that nothing is done twice."
        if owner.host != socket.gethostname():
            return "Processes of one machine share a home."
        return "It shares it with nobody: it mends it, makes vectors anew, or is of an older release."


def lock_owner(folder: Path) -> Owner | None:
    """Return the live owner of a folder; None where nobody holds it."""
    owner = read_owner(folder / _OWNER)
    return owner if owner is not None and is_alive(owner) else None


def _boot_id() -> str:
    return _read_text(_BOOT_ID)


def _start_time(pid: int) -> str:
    """Return the start time of a process in clock ticks since boot; empty where it cannot be known."""
    stat = _read_text(Path(f"/proc/{pid}/stat"))
    # The command name may hold spaces and brackets, so fields count from its last bracket.
    fields = stat.rpartition(")")[2].split()
    return fields[19] if len(fields) > 19 else ""


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _pid_exists(pid: int) -> bool:
    if os.name == "nt":
        return True  # Signal 0 would end the process there; the file lock alone decides.
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True

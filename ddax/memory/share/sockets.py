"""The local socket by which processes reach the memory that another one owns: both of its ends.

The owner makes it in a folder that its user alone may enter, lets in no process of another user where the
system tells, and says first who it is: the token of its owner file, its release and its words. What is
sent is a length and that many bytes of JSON; no bytes at all say that the owner is still at work.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import socket
import stat
import struct
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from functools import cache
from pathlib import Path
from typing import Any

from ddax.errors import DdaxError, StorageError, ThreadInUse, UsageError
from ddax.memory.lock import Owner
from ddax.memory.share.messages import read, written
from ddax.memory.share.remote import Answer, Call, Send
from ddax.memory.store.sqlite_schema import STEPS
from ddax.types import JsonDict

WORDS = 1
"""The version of what is said here."""
MAX_BYTES = 256 * 2**20
"""Bytes of one call or answer."""
BEAT_SECONDS = 2.0
"""Seconds after which an owner that is still at work says so."""
SILENT_SECONDS = 30.0
"""Seconds after which one that says nothing is given up."""
GRACE_SECONDS = 5.0
"""Seconds that calls under way have when their owner closes; what is cut off is asked of the next one."""
_SIZE = struct.Struct(">Q")
_BACKLOG = 1024
"""Calls that may wait to be let in: every leaf of every task may call at once."""
_LEAVING: dict[str, Any] = {"cleanup_socket": False} if sys.version_info >= (3, 13) else {}
"""Has the event loop leave the socket's file alone: it would ask the disk on its thread."""
_AT_ONCE = 64
"""Lines of one process to the owner."""
_LONGEST = 100
"""Bytes of a socket's path: some systems take four more, none takes many more."""


class LineBroken(Exception):
    """Say that the owner is gone, or does not speak; what was asked may be asked of the next one."""


@cache
def speaks() -> JsonDict:
    """Return what both ends have to have in common: the release, the words, the schema of the record."""
    # An import of the package itself would be a circle: it names the agent, which has this memory.
    return {"ddax": sys.modules["ddax"].__version__, "words": WORDS, "record": len(STEPS)}


def able() -> bool:
    """Tell whether this system has local sockets that can be served."""
    return hasattr(socket, "AF_UNIX") and os.name == "posix"


class Door:
    """Where an owner lets others in; made on any thread, open on one event loop.

    Raises StorageError where no socket can be made.
    """

    def __init__(self, answer: Send, token: str) -> None:
        self.token, self._answer = token, answer
        self._lines: set[asyncio.Task[None]] = set()
        self._busy: set[asyncio.Task[None]] = set()
        self._closing = False
        self._server: asyncio.Server | None = None
        self._socket, self.address = _listening()

    async def open(self) -> None:
        """Let in who has come, and who comes."""
        self._server = await asyncio.start_unix_server(
            self._let_in, sock=self._socket, backlog=_BACKLOG, **_LEAVING
        )

    async def close(self) -> None:
        """Let nobody in any more, finish what is asked, and hang up."""
        self._closing, server = True, self._server
        if server is None:
            return
        server.close()
        for task in self._lines - self._busy:
            task.cancel()
        if self._lines:
            _, late = await asyncio.wait([*self._lines], timeout=GRACE_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        await server.wait_closed()

    def remove(self) -> None:
        """Remove the socket and its folder; blocks."""
        self._socket.close()
        shutil.rmtree(Path(self.address).parent, ignore_errors=True)

    async def _let_in(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._lines.add(task)
        try:
            if _is_ours(writer):
                await self._speak(reader, writer, task)
        except (OSError, TimeoutError, asyncio.IncompleteReadError, LineBroken, asyncio.CancelledError):
            pass  # whoever asked has gone, or does not speak as we do: there is nobody left to tell
        finally:
            self._lines.discard(task)
            writer.close()

    async def _speak(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, task: asyncio.Task[None]
    ) -> None:
        await _write(writer, json.dumps({**speaks(), "token": self.token, "pid": os.getpid()}).encode())
        async with asyncio.timeout(SILENT_SECONDS):
            hello = _understood(await _read(reader), json.loads)
        if hello != {**speaks(), "token": self.token}:
            return
        while not self._closing:
            call = _understood(await _read(reader), read)
            if not isinstance(call, Call):
                return
            self._busy.add(task)
            try:
                await _write(writer, await self._answered(call, writer))
            finally:
                self._busy.discard(task)

    async def _answered(self, call: Call, writer: asyncio.StreamWriter) -> bytes:
        """Return the answer as it is sent, and say meanwhile that it is worked on."""
        async with _beating(writer):
            answer = await self._answer(call)
        try:
            data = written(answer)
        except DdaxError as error:
            return written((None, error))
        return data if len(data) <= MAX_BYTES else written((None, too_large(len(data))))


@contextlib.asynccontextmanager
async def _beating(writer: asyncio.StreamWriter) -> AsyncIterator[None]:
    async def beat() -> None:
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            await _write(writer, b"")

    beats = asyncio.create_task(beat())
    try:
        yield
    finally:
        beats.cancel()
        await asyncio.wait([beats])


class Line:
    """The way to an owner; lives on one event loop. Calls beside each other have a connection each."""

    def __init__(self, owner: Owner) -> None:
        self._owner, self._turn = owner, asyncio.Semaphore(_AT_ONCE)
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def open(self) -> None:
        """Find out whether the owner is there; raises LineBroken, or ThreadInUse for another release."""
        self._idle.append(await self._connected())

    async def ask(self, call: Call) -> Answer:
        """Have a call answered; raises LineBroken, or ThreadInUse where the owner says nothing for long."""
        data = written(call)
        if len(data) > MAX_BYTES:
            raise too_large(len(data))
        async with self._turn:
            reader, writer = self._idle.pop() if self._idle else await self._connected()
            try:
                async with self._in_time():
                    await _write(writer, data)
                answered = b""
                while not answered:
                    async with self._in_time():
                        answered = await _read(reader)
                answer: Answer = _understood(answered, read)
            except BaseException:
                writer.close()
                raise
            self._idle.append((reader, writer))
            return answer

    def close(self) -> None:
        """Hang up."""
        while self._idle:
            self._idle.pop()[1].close()

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        address = self._owner.address or ""
        try:
            reader, writer = await asyncio.open_unix_connection(address)
        except (OSError, ValueError) as error:
            raise LineBroken(f"{address!r}: {error}") from error
        try:
            async with self._in_time():
                self._check(_understood(await _read(reader), json.loads), writer)
                await _write(writer, json.dumps({**speaks(), "token": self._owner.token}).encode())
        except BaseException:
            writer.close()
            raise
        return reader, writer

    def _check(self, said: Any, writer: asyncio.StreamWriter) -> None:
        """Refuse somebody who is not the owner, and an owner of another release by its name."""
        if not _is_ours(writer) or not isinstance(said, dict) or said.get("token") != self._owner.token:
            raise LineBroken(f"{self._owner.address!r}: somebody else listens there")
        if any(said.get(key) != value for key, value in speaks().items()):
            raise ThreadInUse(
                f"the memory is in use by pid {self._owner.pid}, of {_version(said)}.",
                why=f"This is {_version(speaks())}; processes of one home are of one release.",
                mend="Stop it, or run the same release in both.",
            )

    @contextlib.asynccontextmanager
    async def _in_time(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(SILENT_SECONDS):
                yield
        except TimeoutError as error:
            raise silent(self._owner) from error
        except (OSError, asyncio.IncompleteReadError) as error:
            raise LineBroken(f"{type(error).__name__}") from error


def _version(spoken: JsonDict) -> str:
    return f"ddax {spoken.get('ddax')} (record {spoken.get('record')}, words {spoken.get('words')})"


def silent(owner: Owner) -> ThreadInUse:
    """Return the error for an owner that lives and does not answer."""
    return ThreadInUse(
        f"the memory is in use by pid {owner.pid}, which does not answer.",
        why=f"It has said nothing for {SILENT_SECONDS:.0f} s: it is stopped, or very busy.",
        mend=f"Let it go on, or end it (kill {owner.pid}): another process then takes the memory over.",
    )


def unreachable(owner: Owner, why: str) -> ThreadInUse:
    """Return the error for an owner that lives and whose socket leads nowhere."""
    return ThreadInUse(
        f"the memory is in use by pid {owner.pid}, which cannot be reached.",
        why=f"Its socket does not answer ({why}); is it stopped, is its TMPDIR another?",
        mend=f"Wait for it, or end it (kill {owner.pid}): another process then takes the memory over.",
    )


def too_large(size: int) -> UsageError:
    """Return the error for a call or an answer that is not sent."""
    return UsageError(
        f"{size / 2**20:.0f} MB are too much for one call of the memory.",
        why=f"Processes that share one send {MAX_BYTES / 2**20:.0f} MB at most.",
        mend="Ask for less at once.",
    )


def sweep(owner: Owner | None) -> None:
    """Remove the socket that a dead owner has left, and its folder; nothing else."""
    if owner is None or not owner.address:
        return
    path = Path(owner.address)
    with contextlib.suppress(OSError):
        if path.parent.name.startswith("ddax-") and stat.S_ISSOCK(path.lstat().st_mode):
            path.unlink()
            path.parent.rmdir()


def _listening() -> tuple[socket.socket, str]:
    """Make a socket that takes connections, and return it with its address."""
    folder = _folder()
    made = socket.socket(socket.AF_UNIX)
    try:
        made.bind(address := str(folder / "memory"))
        made.listen(_BACKLOG)
    except OSError as error:
        made.close()
        shutil.rmtree(folder, ignore_errors=True)
        raise StorageError(
            f"No socket can be made in {str(folder)!r}.",
            why=f"{error.strerror or error}.",
            mend="Set TMPDIR to a folder on a local disk.",
        ) from error
    return made, address


def _folder() -> Path:
    """Make a folder for a socket that its user alone may enter, with a path that is short enough."""
    for base in (tempfile.gettempdir(), os.environ.get("XDG_RUNTIME_DIR", ""), "/tmp"):  # noqa: S108 - mode 0700
        if base and len(os.fsencode(base)) + len("/ddax-12345678/memory") <= _LONGEST:
            with contextlib.suppress(OSError):
                return Path(tempfile.mkdtemp(prefix="ddax-", dir=base))
    raise StorageError(
        "There is no folder for a socket.",
        why=f"The folder of temporary files, {tempfile.gettempdir()!r}, is too long or cannot be written.",
        mend="Set TMPDIR to a short folder on a local disk.",
    )


def _is_ours(writer: asyncio.StreamWriter) -> bool:
    """Tell whether the process at the other end is of this user, where the system tells."""
    if not sys.platform.startswith("linux"):
        return True  # the folder's mode keeps others out
    size = struct.calcsize("3i")
    told = writer.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    return bool(struct.unpack("3i", told)[1] == os.getuid())


def _understood(data: bytes, parse: Callable[[bytes], Any]) -> Any:
    try:
        return parse(data)
    except (ValueError, TypeError, LookupError, DdaxError) as error:
        raise LineBroken(f"what was said is no message: {type(error).__name__}") from error


async def _write(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(_SIZE.pack(len(data)) + data)
    await writer.drain()


async def _read(reader: asyncio.StreamReader) -> bytes:
    (size,) = _SIZE.unpack(await reader.readexactly(_SIZE.size))
    if size > MAX_BYTES:
        raise LineBroken(f"{size} bytes")
    return await reader.readexactly(size)

"""Lines of the input beside a running event loop: what else goes on does not wait for who is typing."""

from __future__ import annotations

import asyncio
import os
import stat
from typing import TextIO

BLOCK = 1 << 16
"""Bytes that are read at once."""


class Lines:
    """The lines of a text stream, one after the other; it must not be read by others meanwhile."""

    def __init__(self, stream: TextIO) -> None:
        self.stream, self.fd = stream, _waitable(stream)
        self.buffer, self.ended = b"", False

    async def read(self) -> str:
        """Return the next line with its end; "" where the input has ended. Raises UnicodeDecodeError."""
        if self.fd is None:
            return self.stream.readline()
        while b"\n" not in self.buffer and not self.ended:
            await self._wait(self.fd)
            block = os.read(self.fd, BLOCK)
            self.buffer, self.ended = self.buffer + block, not block
        line, end, self.buffer = self.buffer.partition(b"\n")
        return (line + end).decode("utf-8")

    async def _wait(self, fd: int) -> None:
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        blocking = os.get_blocking(fd)
        loop.add_reader(fd, _set, ready)
        # A loop may set it not to block, and so for all who share the terminal, also once we have ended.
        os.set_blocking(fd, blocking)
        try:
            await ready
        finally:
            loop.remove_reader(fd)


def _set(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


def _waitable(stream: TextIO) -> int | None:
    """Return the descriptor of a stream that may keep one waiting; None for a file, or what is in memory."""
    try:
        fd = stream.fileno()
    except (OSError, ValueError):  # what has none says so by either
        return None
    kind = os.fstat(fd).st_mode
    return fd if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind) or stream.isatty() else None

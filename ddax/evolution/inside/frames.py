"""Length-prefixed JSON frames over a file descriptor; used on both sides of the sandbox's border."""

from __future__ import annotations

import json
import os
import struct
from typing import Any

MAX_FRAME = 8 << 20
"""Bytes; a longer frame is refused before it is read."""


def write_frame(fd: int, value: Any) -> None:
    """Write a plain JSON value as one frame."""
    body = json.dumps(value, separators=(",", ":")).encode()
    data = memoryview(struct.pack(">I", len(body)) + body)
    while data:
        data = data[os.write(fd, data) :]


def read_exact(fd: int, size: int) -> bytes:
    """Read exactly `size` bytes; raises EOFError where the other side closed."""
    parts = []
    while size:
        part = os.read(fd, min(size, 1 << 20))
        if not part:
            raise EOFError("the other side closed the channel")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def read_frame(fd: int, limit: int = MAX_FRAME) -> Any:
    """Read one frame; raises EOFError, or ValueError where it is too long or not JSON."""
    size = struct.unpack(">I", read_exact(fd, 4))[0]
    if size > limit:
        raise ValueError(f"a frame of {size} bytes is over the limit of {limit}")
    return json.loads(read_exact(fd, size))

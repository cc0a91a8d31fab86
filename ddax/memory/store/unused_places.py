"""Places of Chroma's vector graph that hold no row yet: its library writes them as it found the memory.

What a process had there before, such as a text that was forgotten, would stand in the files of the index.
"""

from __future__ import annotations

import struct
from pathlib import Path

HEADER = struct.Struct("<i16xQQ")
"""The version of a header, the rows of its graph and the bytes of each."""
VERSION = 1
LENGTH = 4
"""Bytes of a row in `length.bin`."""


def blank_unused(folder: Path) -> None:
    """Write zeros over the unused places of every graph below a folder, which no process has open."""
    for header in folder.rglob("header.bin"):
        head = header.read_bytes()[: HEADER.size]
        if len(head) == HEADER.size:
            version, rows, size = HEADER.unpack(head)
            if version == VERSION:
                _blank(header.with_name("data_level0.bin"), rows * size)
                _blank(header.with_name("length.bin"), rows * LENGTH)


def _blank(path: Path, used: int) -> None:
    if not path.is_file():  # a graph that was written in half is made anew
        return
    with path.open("r+b") as stream:
        stream.seek(used)
        rest = stream.read()
        if rest.strip(b"\0"):
            stream.seek(used)
            stream.write(bytes(len(rest)))

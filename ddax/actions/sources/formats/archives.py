"""Files that are archives inside: opened with a cap on what they unfold to."""

from __future__ import annotations

import io
import zipfile

from ddax.actions.sources.skipping import DAMAGED, LOCKED

MOST_BYTES = 500_000_000
"""Bytes that an archive may unfold to, as it says itself; what lies about it fails as it is read."""
MOST_PARTS = 20_000
IMMENSE = "it unfolds to more than"


def opened(content: bytes) -> zipfile.ZipFile:
    """Open an archive; raises ValueError for a damaged or an immense one."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, OSError, NotImplementedError) as exc:
        raise ValueError(f"{DAMAGED} ({exc})") from exc
    parts = archive.infolist()
    if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > MOST_BYTES:
        raise ValueError(f"{IMMENSE} {MOST_BYTES:,} bytes")
    if any(part.flag_bits & 1 for part in parts):
        raise ValueError(LOCKED)
    return archive

"""Read a log of the memory beside the process that owns it: nothing is locked, made or changed."""

from __future__ import annotations

import math
from contextlib import closing
from pathlib import Path
from typing import Any

from ddax.memory.records import RECORD, namespace_key
from ddax.memory.store.record_check import is_there
from ddax.types import JsonDict

EVERY = 1_000_000_000


def read_log(folder: Path, namespace: str, table: str, **equals: Any) -> list[JsonDict]:
    """Return the rows of a log, oldest first, filtered by top-level values; none where nothing is stored.

    `folder` is that of the memory. Raises `StateError` for a record of another release, or a damaged one.
    """
    path = folder / RECORD
    if not is_there(path):
        return []
    from ddax.memory.store.sqlite import RecordStore

    with closing(RecordStore(path, reading=True)) as record:
        return record.rows(namespace_key(namespace), table, equals, EVERY, math.inf)

"""Seal what is stored: each value by a digest of its own, each superstep by the state it rests on.

The seal of a checkpoint is a hash of its own row, and one of its parent's seal, the parent's row and the
ideas that were written onto the parent. So the newest one stands for the whole thread, and a row that is
missing, changed or foreign is found where it is. Leaves out who asks for it (`ddax.graph.runner`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from ddax.errors import StateError
from ddax.memory.store.migrations import sqlite_errors

MARK = "~"
"""Ends the type of a value that carries its digest."""
DIGEST = 8
"""Bytes of the digest of one value."""
RESTORE = "restore the file from a backup, or start the task again on a new thread."
CHOICES = f"Choose: go on from the last checkpoint that is whole (ddax resume THREAD --last-good), {RESTORE}"


def sealed(kind: str, data: bytes) -> tuple[str, bytes]:
    """Return a serialized value with its digest behind it."""
    return kind + MARK, data + _digest(kind.encode(), data)


def opened(kind: str, data: bytes) -> tuple[str, bytes]:
    """Return a value without its digest; raises StateError where it is not what was written."""
    if not kind.endswith(MARK):
        return kind, data
    plain, body, digest = kind.removesuffix(MARK), data[:-DIGEST], data[-DIGEST:]
    if _digest(plain.encode(), body) != digest:
        raise damaged("A stored value is not what was written.")
    return plain, body


def damaged(why: str, *, what: str = "the checkpoints are damaged.", left: bool = True) -> StateError:
    """Return the error that names the damage and what can be done; `left` says that some may be whole."""
    return StateError(what, why=why, mend=CHOICES if left else RESTORE.capitalize())


class OtherKey(StateError):
    """Say that the checkpoints are whole, and the key is missing, another, or one too many."""


class Row(NamedTuple):
    """A stored checkpoint: its id, its parent's, its value and metadata as they lie on the disk."""

    id: str
    parent: str
    value: bytes
    metadata: bytes


class Seal(NamedTuple):
    """The hash of what a checkpoint rests on, the writes of its parent that are covered, and its own hash."""

    above: str
    covers: int
    own: str = ""


@contextmanager
def checkpoint_errors(path: Path) -> Iterator[None]:
    """Name the three choices where checkpoints turn out to be damaged under this block.

    Where it is the file, no checkpoint can be told to be whole, and there are two.
    """
    with sqlite_errors(path):
        try:
            yield
        except OtherKey:
            raise  # nothing is damaged, and nothing is to be given up
        except StateError as error:
            raise StateError(error.what, why=error.why, mend=CHOICES) from error
        except (ValueError, KeyError, TypeError, UnicodeError) as error:
            raise damaged(
                f"{type(error).__name__}: {error}.", what=f"The checkpoints in {str(path)!r} cannot be read."
            ) from error


@dataclass(frozen=True)
class Verdict:
    """What a look at a thread found: the first fault (empty where all is whole) and the newest whole one."""

    fault: str = ""
    last_good: str = ""


def seal(above: str, parent: Row, writes: Sequence[bytes]) -> Seal:
    """Return the seal of a child of this checkpoint, whose own seal is `above`."""
    parts = [above.encode(), parent.id.encode(), parent.value, parent.metadata, *writes]
    return Seal(_digest(*parts).hex(), len(writes))


def own(row: Row) -> str:
    """Return the hash of a checkpoint's own row."""
    return _digest(row.id.encode(), row.parent.encode(), row.value, row.metadata).hex()


def verify(
    rows: Sequence[Row], writes: Mapping[str, Sequence[bytes]], seals: Mapping[str, Seal], *, whole: str = ""
) -> Verdict:
    """Hold a thread's checkpoints, oldest first, against their seals; those from before seals pass.

    What `whole` rests on, the first of them, was held against its seals before.
    """
    if not seals:
        return Verdict(last_good=rows[-1].id if rows else "")
    known = {row.id: row for row in rows}
    good: dict[str, None] = {}  # in their order
    fault = ""
    for row in rows:
        why = _fault(row, known, writes, seals, good, whole=whole)
        if not why:
            good[row.id] = None
        fault = fault or why
    return Verdict(fault, next(reversed(good)) if good else "")


def _fault(
    row: Row, known: Mapping[str, Row], writes: Mapping[str, Sequence[bytes]],
    seals: Mapping[str, Seal], good: Mapping[str, None], *, whole: str = "",
) -> str:  # fmt: skip
    held = seals.get(row.id)
    if held is None:
        return f"Checkpoint {row.id} has no seal: another program wrote it."
    if held.own != own(row):
        return f"Checkpoint {row.id} is not what was written."
    if row.id == whole:
        return ""
    if not row.parent:
        return "" if held.above == ROOT.above else f"Checkpoint {row.id} has lost what it rests on."
    parent = known.get(row.parent)
    if parent is None or parent.id not in good:
        return f"Checkpoint {row.id} rests on one that is not whole."
    found = seal(seals[parent.id].above, parent, writes.get(parent.id, ())[: held.covers])
    return "" if found[:2] == held[:2] else f"What checkpoint {row.id} rests on is not what was written."


def write_digest(columns: Iterable[Any]) -> bytes:
    """Return the digest of one stored write."""
    return _digest(*(c if isinstance(c, bytes) else str(c).encode() for c in columns))


def _digest(*parts: bytes) -> bytes:
    found = blake2b(digest_size=DIGEST)
    for part in parts:
        found.update(len(part).to_bytes(8, "big"))
        found.update(part)
    return found.digest()


ROOT = Seal(_digest(b"root").hex(), 0)
"""The seal of a checkpoint that rests on nothing."""

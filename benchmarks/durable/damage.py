"""Thirteen ways in which the file of the checkpoints is damaged, each drawn from a seed."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np

Damage = Callable[[Path, np.random.Generator], None]
PAGE = 4096


def _flips(count: int) -> Damage:
    def flip(file: Path, rng: np.random.Generator) -> None:
        data = bytearray(file.read_bytes())
        for place in rng.integers(0, len(data), count):
            data[place] ^= 1 << int(rng.integers(0, 8))
        file.write_bytes(data)

    return flip


def _cut(file: Path, rng: np.random.Generator) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: int(rng.integers(1, len(data)))])


def _empty(file: Path, rng: np.random.Generator) -> None:
    file.write_bytes(b"")


def _zeroed(file: Path, rng: np.random.Generator) -> None:
    data = bytearray(file.read_bytes())
    start = int(rng.integers(0, max(1, len(data) // PAGE))) * PAGE
    data[start : start + PAGE] = bytes(len(data[start : start + PAGE]))
    file.write_bytes(data)


def _header(file: Path, rng: np.random.Generator) -> None:
    data = bytearray(file.read_bytes())
    data[:100] = rng.bytes(100)
    file.write_bytes(data)


def _sql(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file)) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()


def _lost_write(file: Path, rng: np.random.Generator) -> None:
    found = "SELECT rowid FROM writes WHERE channel = 'ideas' LIMIT 1"
    _sql(file, f"DELETE FROM writes WHERE rowid = ({found} OFFSET {int(rng.integers(0, 12))})")


def _lost_step(file: Path, rng: np.random.Generator) -> None:
    found = "SELECT checkpoint_id FROM checkpoints LIMIT 1"
    _sql(file, f"DELETE FROM checkpoints WHERE checkpoint_id = ({found} OFFSET {int(rng.integers(0, 20))})")


def _pickle(file: Path, rng: np.random.Generator) -> None:
    """Put a pickle that would execute where a checkpoint was."""
    bomb = f"cos\nsystem\n(S'touch {file.parent / 'PWN'}'\ntR."
    with closing(sqlite3.connect(file)) as db:
        db.execute("UPDATE checkpoints SET type = 'pickle', checkpoint = ?", (bomb.encode(),))
        db.commit()


def _table(file: Path, rng: np.random.Generator) -> None:
    _sql(file, f"DROP TABLE {('writes', 'checkpoints')[int(rng.integers(0, 2))]}")


def _foreign(file: Path, rng: np.random.Generator) -> None:
    """Another program's database lies there."""
    file.unlink()
    _sql(file, "CREATE TABLE checkpoints (name TEXT)", "INSERT INTO checkpoints VALUES ('theirs')")


KINDS: dict[str, Damage] = {
    "empty": _empty, "cut": _cut, "zeroed page": _zeroed, "header": _header, "foreign": _foreign,
    "1 flip": _flips(1), "10 flips": _flips(10), "100 flips": _flips(100), "1,000 flips": _flips(1000),
    "lost write": _lost_write, "lost superstep": _lost_step, "pickle": _pickle, "lost table": _table,
}  # fmt: skip


def damage(source: Path, home: Path, kind: str, seed: int) -> None:
    """Copy a home and damage the checkpoints of the copy."""
    shutil.copytree(source, home)
    file = home / "checkpoints.sqlite"
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for rest in home.glob("checkpoints.sqlite-*"):
        rest.unlink()
    KINDS[kind](file, np.random.default_rng([seed, *kind.encode()]))

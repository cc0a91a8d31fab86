"""Damage each file of a memory's record in every way, open it, and see what is said. Also the writer.

As a script it writes a memory and dies by SIGKILL: a folder and how many rounds to write, each told once
it is acknowledged. A record that opens must give back every row that was acknowledged.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.core import ROOT
from ddax.errors import DdaxError
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.records import RECORD, namespace_key, rows_of
from ddax.memory.store.mending import rebuilt
from ddax.memory.store.sqlite import Logged, RecordStore
from ddax.types import Document, Record

FILES = (RECORD, f"{RECORD}-wal", f"{RECORD}-shm", "record.manifest")
KINDS = ("missing", "empty", "cut", "zeroed", "1 flip", "older copy", "another's copy")
DRAWN = ("cut", "zeroed", "1 flip")
STATES = ("closed", "killed")
NS = namespace_key("n")
ROUND = 10
"""Rows of a round: as many memories, log rows, and a page."""
EARLY, LATE = 6, 9
"""Rounds before the first close, and at the end."""


@dataclass(frozen=True)
class Trial:
    """One damage: what came of it, and whether `ddax memory rebuild` could go on from there."""

    state: str
    file: str
    kind: str
    seed: int
    end: str
    says: str
    rebuilt: bool | None


def write(folder: Path, first: int, last: int, *, of: str, die: bool) -> None:
    """Write rounds into a memory; say each one that is acknowledged; close it or die."""
    embedder, store = HashEmbedder(), RecordStore(folder / RECORD)
    store.open_namespace(NS, "n", embedder)
    for number in range(first, last):
        texts = [f"{of}: mark {number * ROUND + n} of the river" for n in range(ROUND)]
        rows = rows_of([Record("observation", text, task="t") for text in texts], namespace="n", now=1.0)
        vectors = {row.near: embedder.embed([row.record.text])[0] for row in rows}
        store.insert(NS, rows, vectors, committed=2.0)
        store.log(NS, [Logged("ledger", t, json.dumps({"t": t}), "t", None) for t in texts], committed=2.0)
        store.put_page(NS, f"{of}{number}", Document("d", "s", "t", f"{of} {number} " * 1500, ()))
        print(json.dumps([number, of]), flush=True)
    if die:
        os.kill(os.getpid(), signal.SIGKILL)
    store.close()


def trials(base: Path, seeds: int) -> Iterator[Trial]:
    """Make the homes, and damage copies of them: each kind on each file, in each state, with each seed.

    What has no place or length to draw is the same with every seed, and is done once.
    """
    homes = _homes(base)
    for state in STATES:
        for file in FILES:
            for kind in KINDS:
                for seed in range(seeds if kind in DRAWN else 1):
                    yield _trial(homes, base / "damaged", (state, file, kind), seed)


def _homes(base: Path) -> dict[str, Path]:
    """Return a record that was closed, one of a killed writer, their older copies, and another home's."""
    homes = {name: base / name.replace(" ", "-") for name in ("early", "closed", "killed", "another")}
    _written(homes["early"], 0, EARLY, of="ours", die=False)
    for name in STATES:
        shutil.copytree(homes["early"], homes[name])
        _written(homes[name], EARLY, LATE, of="ours", die=name == "killed")
    homes["early killed"] = base / "early-killed"
    shutil.copytree(homes["early"], homes["early killed"])
    _written(homes["early killed"], EARLY, LATE - 1, of="ours", die=True)
    _written(homes["another"], 0, LATE, of="theirs", die=True)
    return homes


def _written(folder: Path, first: int, last: int, *, of: str, die: bool) -> None:
    folder.mkdir(exist_ok=True)
    words = [str(folder), str(first), str(last), of, str(int(die))]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.durable.record_files", *words], cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    acknowledged = done.stdout.splitlines()
    if done.returncode != (-signal.SIGKILL if die else 0) or len(acknowledged) != last - first:
        raise RuntimeError(f"the writer ended with {done.returncode}: {done.stderr[-2000:]}")


def _trial(homes: dict[str, Path], home: Path, what: tuple[str, str, str], seed: int) -> Trial:
    state, file, kind = what
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(homes[state], home)
    copies = {
        "older copy": homes["early killed" if state == "killed" and "wal" in file else "early"] / file,
        "another's copy": homes["another"] / file,
    }
    if kind in copies:
        if copies[kind].exists():
            shutil.copy(copies[kind], home / file)
    else:
        DAMAGE[kind](home / file, np.random.default_rng([seed, *kind.encode(), *file.encode()]))
    end, says = _opened(home / RECORD)
    mended = _mends(home / RECORD) if end == "named" else None
    return Trial(state, file, kind, seed, end, says, mended)


def _opened(record: Path) -> tuple[str, str]:
    """Return how an opening ends: named, harmless, or silent where something acknowledged is missing."""
    try:
        with closing(RecordStore(record)) as store:
            lost = _lost(store)
    except DdaxError as error:
        return ("named" if error.exit_code == 4 else "another exit"), error.what
    except Exception as error:  # a fault of the opening itself is what is looked for here
        return "crash", f"{type(error).__name__}: {error}"
    return ("silent" if lost else "harmless"), f"{lost} lost"


def _lost(store: RecordStore) -> int:
    """Count what was acknowledged and cannot be read back as it was written."""
    lost = 0
    rows = {row["t"] for row in store.rows(NS, "ledger", {}, 10**6, 10.0)}
    kept = {record.text for record in store.records(NS, store.ids(NS, "observation"))}
    for number in range(LATE):
        texts = {f"ours: mark {number * ROUND + n} of the river" for n in range(ROUND)}
        page = store.page(NS, f"ours{number}")
        lost += len(texts - rows) + len(texts - kept)
        lost += page is None or page.text != f"ours {number} " * 1500
    return lost


def _mends(record: Path) -> bool:
    """Tell whether a rebuild says what is lost, and the record opens after it with what it says."""
    told = rebuilt(record, clock=time.time)
    if told is None:
        return False
    with closing(RecordStore(record)) as store:
        return store.total() == told.rows["memory"]


def _cut(file: Path, rng: np.random.Generator) -> None:
    if file.exists() and (size := file.stat().st_size):
        os.truncate(file, int(rng.integers(0, size)))


def _zeroed(file: Path, rng: np.random.Generator) -> None:
    if file.exists() and (size := file.stat().st_size):
        data, start = bytearray(file.read_bytes()), int(rng.integers(0, size))
        end = min(size, start + int(rng.integers(1, 16_384)))
        data[start:end] = bytes(end - start)
        file.write_bytes(data)


def _flipped(file: Path, rng: np.random.Generator) -> None:
    if file.exists() and (size := file.stat().st_size):
        data = bytearray(file.read_bytes())
        data[int(rng.integers(0, size))] ^= 1 << int(rng.integers(0, 8))
        file.write_bytes(data)


DAMAGE: dict[str, Callable[[Path, np.random.Generator], object]] = {
    "missing": lambda file, rng: file.unlink(missing_ok=True),
    "empty": lambda file, rng: file.write_bytes(b""),
    "cut": _cut, "zeroed": _zeroed, "1 flip": _flipped,
}  # fmt: skip


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), of=sys.argv[4], die=sys.argv[5] == "1")

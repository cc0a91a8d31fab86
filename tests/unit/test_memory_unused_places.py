"""The files of the index hold what the memory says, and nothing of what the process had in its memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ddax.memory.scoring import Floats
from ddax.memory.store.chroma import ChromaIndex
from ddax.memory.store.unused_places import HEADER
from ddax.types import MemoryType

ROWS = """
import os, signal, sys
from pathlib import Path
import numpy as np
from ddax.memory.scoring import Floats
from ddax.memory.store.chroma import ChromaIndex

def vector(n):
    return np.array([np.cos(n / 60), np.sin(n / 60), *[0] * 254], dtype=np.float32)

index = ChromaIndex(Path(sys.argv[1]))
index.open(0)
rows = [(str(n), vector(n)) for n in range(80)]
index.add("n", "fp", "observation", rows)
assert index._query(("n", "fp", "observation"), [vector(7)], 1)
os.kill(os.getpid(), signal.SIGKILL) if sys.argv[2] == "killed" else index.close()
"""


def unused(folder: Path) -> bytes:
    """Return what stands behind the rows in every file of a graph."""
    found = []
    for header in folder.rglob("header.bin"):
        _, rows, size = HEADER.unpack(header.read_bytes()[: HEADER.size])
        found.append(header.with_name("data_level0.bin").read_bytes()[rows * size :])
        found.append(header.with_name("length.bin").read_bytes()[rows * 4 :])
    assert found, "there is a graph"
    return b"".join(found)


def write(folder: Path, end: str) -> None:
    """Write an index in a process whose memory is full of a sign, and end it."""
    environment = {**os.environ, "MALLOC_PERTURB_": "165"}
    done = subprocess.run([sys.executable, "-c", ROWS, str(folder), end], env=environment, check=False)
    assert done.returncode == (-signal.SIGKILL if end == "killed" else 0)


def test_what_no_row_takes_is_blank_when_the_index_is_closed(tmp_path: Path) -> None:
    write(tmp_path, "closed")
    left = unused(tmp_path)
    assert left and not left.strip(b"\0")


def test_what_a_killed_process_left_is_blanked_by_the_next(tmp_path: Path) -> None:
    write(tmp_path, "killed")
    assert unused(tmp_path).strip(b"\0"), "else this shows nothing"
    index = ChromaIndex(tmp_path)
    index.open(80)
    assert not unused(tmp_path).strip(b"\0"), "that of the index in whose place a new one is made, too"
    index.close()


def test_an_index_whose_places_were_blanked_answers_and_grows(tmp_path: Path) -> None:
    write(tmp_path, "closed")
    index = ChromaIndex(tmp_path)
    index.open(80)
    around = np.arange(256) / 60
    rows = np.stack([np.cos(around), np.sin(around), *np.zeros((254, 256))], axis=1).astype(np.float32)
    index.add("n", "fp", "observation", [(str(n), rows[n]) for n in range(80, 256)])
    asked: list[tuple[MemoryType, Floats, int]] = [("observation", rows[7], 1), ("observation", rows[200], 1)]
    assert index.nearest("n", "fp", asked) == [["7"], ["200"]]
    index.close()
    assert not unused(tmp_path).strip(b"\0")


@pytest.mark.parametrize("lost", ["data_level0.bin", "length.bin"])
def test_a_graph_that_lacks_a_file_is_left_to_who_mends_the_index(tmp_path: Path, lost: str) -> None:
    write(tmp_path, "closed")
    for file in tmp_path.rglob(lost):
        file.unlink()
    kept = {file: file.read_bytes() for file in tmp_path.rglob("*.bin")}
    index = ChromaIndex(tmp_path)
    index.open(80)
    index.close()
    assert kept and not list(tmp_path.rglob(lost)), "nothing is put in its place"
    assert {file: file.read_bytes() for file in tmp_path.rglob("*.bin")} == kept

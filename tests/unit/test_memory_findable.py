"""Rows of logs that are found by meaning are read once, and anew where anything of them has changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ddax.memory.files import in_lines
from ddax.memory.protocol import Blots, LogRow
from ddax.memory.records import REFLECTIONS
from ddax.memory.scoring import best_found
from ddax.memory.store import findable_logs
from ddax.memory.store.sqlite import Logged, RecordStore

NOW = 1_700_000_000.0


class Looking:
    """A record with a log, and how many of its rows were read at each look."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.record, self.read = RecordStore(path / "record.sqlite"), 0
        taken = findable_logs.FoundRows._read

        def counted(rows: Any, marks: Any) -> Any:
            self.read += len(marks)
            return taken(rows, marks)

        monkeypatch.setattr(findable_logs.FoundRows, "_read", counted)

    def write(self, *texts: str) -> None:
        rows = [
            Logged(REFLECTIONS, text, json.dumps({"text": text}), "", vector(len(text))) for text in texts
        ]
        self.record.log("n", rows, committed=NOW)

    def look(self, now: float = NOW + 1) -> tuple[int, list[str]]:
        before = self.read
        texts = [row["text"] for _, row in self.record.findable("n", REFLECTIONS, now).rows]
        return self.read - before, texts


def vector(seed: int) -> Any:
    return np.full(4, float(seed), dtype=np.float32)


@pytest.fixture
def looking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Looking:
    return Looking(tmp_path, monkeypatch)


def test_a_row_is_read_once(looking: Looking) -> None:
    looking.write("a", "bb")
    assert looking.look() == (2, ["a", "bb"])
    assert looking.look() == (0, ["a", "bb"])
    looking.write("ccc")
    assert looking.look() == (1, ["a", "bb", "ccc"])
    assert looking.look(now=NOW - 1) == (0, [])


def test_one_that_was_changed_or_taken_away_is_seen(looking: Looking) -> None:
    looking.write("a", "bb", "ccc")
    looking.look()
    first, second, _ = looking.record.upkeep.logs("n", 0, 9)
    blots = Blots(
        rows=[LogRow(first.seq, REFLECTIONS, {"text": "x"})], gone=[second.seq], pages=[], stones=[]
    )
    looking.record.upkeep.blot("n", blots)
    assert looking.look() == (1, ["x", "ccc"])


def test_one_that_was_never_committed_is_not(looking: Looking) -> None:
    looking.write("a")
    with pytest.raises(RuntimeError), looking.record.together():
        looking.write("bb")
        assert looking.look()[1] == ["a", "bb"]
        raise RuntimeError
    assert looking.look()[1] == ["a"]
    looking.write("ccc")
    assert looking.look() == (1, ["a", "ccc"])


def test_what_a_reader_changes_inside_a_row_is_not_found_again(looking: Looking) -> None:
    said = {"text": "a", "tags": ["x"], "of": {"place": {"page": [1]}}}
    looking.record.log("n", [Logged(REFLECTIONS, "k", json.dumps(said), "", vector(1))], committed=NOW)
    for _ in range(2):
        rows = looking.record.findable("n", REFLECTIONS, NOW + 1).rows
        ((row, _),) = best_found(rows, [1.0], k=1, minimum=0.0)
        assert row == said
        row["tags"].append("forged")
        row["of"]["place"]["page"][0] = row["of"]["new"] = "forged"


def test_a_log_too_long_to_be_kept_is_read_each_time(looking: Looking) -> None:
    looking.record._found._most = 2
    looking.write("a", "bb", "ccc")
    assert looking.look() == looking.look() == (3, ["a", "bb", "ccc"])


def test_a_reader_keeps_nothing(looking: Looking, tmp_path: Path) -> None:
    looking.write("a")
    reader = RecordStore(tmp_path / "record.sqlite", reading=True)
    for _ in range(2):
        assert [row["text"] for _, row in reader.findable("n", REFLECTIONS, NOW + 1).rows] == ["a"]
    assert looking.read == 2
    reader.close()


@pytest.mark.parametrize(
    "value", [{}, {"a": 1}, {"a": [], "b": {"c": [1.5]}}, {"é": [{"x": "\n"}, {"y": None}], "z": [1, 2]}]
)
def test_an_object_in_lines_is_the_object(value: Any) -> None:
    assert json.loads(in_lines(value)) == value


def test_no_number_that_is_none_is_written() -> None:
    with pytest.raises(ValueError, match="JSON"):
        in_lines({"a": [float("nan")]})

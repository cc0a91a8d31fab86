"""What became of judged results: one JSON file per judge's model in the home, and its map.

A row is known once: by task, idea and step. A task sees the rows that were there before it opened, so
a resumed run uses the map that the undisturbed one used.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from ddax.debate.calibration import CalibrationMap, fit_map
from ddax.errors import StateError
from ddax.memory.files import locked, read_json, storage_errors, write_atomic
from ddax.memory.records import digest
from ddax.types import JsonDict

JUDGE_SCHEMA = 1
KEPT = 5000
"""Rows of a judge that stay on disk, the newest."""
FITTED = 2000
"""Rows that a map is fitted on, the newest."""


class JudgeStore:
    """The judged values of one home with their outcomes. Blocking; on disk when a call returns."""

    def __init__(self, folder: Path, *, clock: Callable[[], float]) -> None:
        self._folder, self._clock = folder, clock

    def names(self) -> list[str]:
        """Return the models that have judged, by name."""
        return sorted(str(self._read(path)["judge"]) for path in self._files())

    def rows(self, judge: str, *, before: float | None = None) -> list[JsonDict]:
        """Return the rows of a judge, oldest first; `before` is in seconds since the epoch."""
        rows = list(self._read(self._path(judge), judge)["rows"].values())
        known = [row for row in rows if before is None or row["at"] < before]
        return sorted(known, key=lambda row: (row["at"], row["key"]))

    def maps(self, *, before: float) -> dict[str, CalibrationMap]:
        """Return the map of each judge by what was known before a time."""
        found = {}
        for judge in self.names():
            rows = self.rows(judge, before=before)[-FITTED:]
            found[judge] = fit_map([r["value"] for r in rows], [r["outcome"] for r in rows])
        return found

    def add(self, task: str, rows: Sequence[tuple[str, str, float, float]]) -> int:
        """Add rows (judge, key, value, outcome) of a task; return how many were new."""
        new = 0
        for judge in sorted({row[0] for row in rows}):
            with self._changing(judge) as known:
                for _, key, value, outcome in (row for row in rows if row[0] == judge):
                    if key not in known["rows"]:
                        new += 1
                        known["rows"][key] = {
                            "key": key, "task": task, "at": round(self._clock(), 3),
                            "value": round(value, 6), "outcome": outcome,
                        }  # fmt: skip
        return new

    def wrong(self, task: str) -> int:
        """Note that the answer of a task was wrong: nothing judged in it led anywhere; return the rows."""
        changed = 0
        for judge in self.names():
            with self._changing(judge) as known:
                for row in known["rows"].values():
                    if row["task"] == task:
                        row["outcome"] = 0.0
                        changed += 1
        return changed

    def _files(self) -> list[Path]:
        with storage_errors(self._folder):
            return sorted(self._folder.glob("judge-*.json")) if self._folder.is_dir() else []

    def _path(self, judge: str) -> Path:
        return self._folder / f"judge-{digest('judge', judge)[:16]}.json"

    def _read(self, path: Path, judge: str = "") -> JsonDict:
        found = read_json(path)
        if found is None:
            return {"schema": JUDGE_SCHEMA, "judge": judge, "rows": {}}
        if found.get("schema") != JUDGE_SCHEMA or not isinstance(found.get("rows"), dict):
            raise StateError(
                f"The file {str(path)!r} holds no judged values in a version known here.",
                why="It was damaged, or written by a newer release.",
                mend="Upgrade ddax, or move the file aside.",
            )
        return found

    @contextmanager
    def _changing(self, judge: str) -> Iterator[JsonDict]:
        """Change the file of a judge under its lock, and replace it."""
        path = self._path(judge)
        with locked(path):
            known = self._read(path, judge)
            yield known
            newest = sorted(known["rows"].values(), key=lambda row: (row["at"], row["key"]))[-KEPT:]
            known["rows"] = {row["key"]: row for row in newest}
            write_atomic(path, json.dumps(known, ensure_ascii=False))


def outcome_rows(
    debates: Sequence[JsonDict], evidence: Mapping[str, Sequence[str]], cited: frozenset[str], *, found: bool
) -> list[tuple[str, str, float, float]]:
    """Return (judge, key, value, outcome) for the verdicts of a finished task.

    A judged result turned out right where the task found its answer and the answer cites what the
    result rests on; `evidence` gives the memory ids by idea, `cited` those of the answer.
    """
    rows = []
    for row in debates:
        right = float(found and bool(cited & set(evidence.get(row["idea"], ()))))
        for name, value in row.get("raw", {}).items():
            key = f"{row['task']}:{row['idea']}:{row['step']}:{name}"
            rows.append((str(row["models"][name]), key, float(value), right))
    return rows

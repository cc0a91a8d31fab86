"""Blot what forgotten rows said out of the files beside the memory: agents, rubrics, replies of models.

Blocking. What runs keep of their own (checkpoints, records of runs) is not touched.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from ddax.errors import StateError
from ddax.memory.files import locked, storage_errors, write_atomic
from ddax.memory.home import Home
from ddax.memory.store.migrations import sqlite_errors
from ddax.memory.upkeep.remains import Traces

REPLIES = "replies.sqlite"
"""The file in the cache that keeps replies of models."""


def forget_files(home: Home, traces: Traces) -> list[str]:
    """Clean the files of a home; return what was changed, by its path in it and how often."""
    changed = [path for path in sorted(home.agents.glob("agent-*.json")) if _cleaned(path, traces, _as_json)]
    changed += [path for path in sorted(home.rubrics.glob("*.yaml")) if _cleaned(path, traces, _as_yaml)]
    told = [path.relative_to(home.path).as_posix() for path in changed]
    replies = forget_replies(home.cache / REPLIES, traces)
    return [*told, *([f"cache/{REPLIES} ({replies})"] if replies else [])]


def forget_replies(path: Path, traces: Traces) -> int:
    """Remove the replies that hold what forgotten rows said; return how many there were."""
    if not path.is_file():
        return 0
    with sqlite_errors(path), closing(sqlite3.connect(path, timeout=5.0)) as db:
        db.isolation_level = None
        rows = db.execute("SELECT key, text FROM replies").fetchall()
        gone = [(key,) for key, text in rows if traces.holds(text) or traces.holds(_unescaped(text))]
        db.executemany("DELETE FROM replies WHERE key = ?", gone)
        if gone:
            db.execute("VACUUM")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return len(gone)


def _unescaped(text: str) -> str:
    """Return a reply in JSON with its signs as they are."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False)
    except ValueError:
        return text


def _cleaned(path: Path, traces: Traces, form: Callable[[str], tuple[Any, Callable[[Any], str]]]) -> bool:
    """Blot a file; tell whether there was anything to blot."""
    with locked(path), storage_errors(path):
        try:
            value, written = form(path.read_text(encoding="utf-8"))
        except ValueError as exc:
            raise StateError(
                f"The file {str(path)!r} is damaged.", why=f"{exc}.", mend="Move it aside and forget again."
            ) from exc
        clean = traces.blotted(value)
        if clean == value:
            return False
        write_atomic(path, written(clean))
        return True


def _as_json(text: str) -> tuple[Any, Callable[[Any], str]]:
    return json.loads(text), lambda value: json.dumps(value, indent=1, allow_nan=False)


def _as_yaml(text: str) -> tuple[Any, Callable[[Any], str]]:
    import yaml

    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as exc:
        raise ValueError(str(exc)) from exc
    return value, lambda new: str(yaml.safe_dump(new, sort_keys=False, allow_unicode=True, width=100))

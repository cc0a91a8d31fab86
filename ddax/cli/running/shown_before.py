"""Keeps the proposals that `fix` has shown, so that `--accept N` writes what its user saw."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from ddax.memory.files import ensure_folder, write_atomic
from ddax.memory.records import digest

if TYPE_CHECKING:
    from ddax.evolution.program.project import Project
    from ddax.evolution.records import RepairResult

_MINUTES = "%Y-%m-%d %H:%M"


@dataclass(frozen=True)
class Shown:
    """What was shown: when, for which state of the code and its tests, and the proposals."""

    at: str
    state: str
    sandbox: str
    result: RepairResult

    def holds(self, project: Project) -> bool:
        """Say whether code and tests are as they were, so that a number means what it meant."""
        return self.state == _state(project)


def _form() -> TypeAdapter[Shown]:
    """Return how the record is written, made when it is needed: the repair can be left out."""
    from ddax.evolution.records import RepairResult

    adapter = TypeAdapter(Shown)
    adapter.rebuild(_types_namespace={"RepairResult": RepairResult})
    return adapter


def keep_shown(folder: Path, project: Project, result: RepairResult, *, sandbox: str) -> None:
    """Keep the proposals of a project in place of earlier ones; raises StorageError."""
    files = project.task.files
    small = tuple(replace(one, files=_changed(files, one.files)) for one in result.proposals)
    now = datetime.datetime.now().astimezone().strftime(_MINUTES)
    shown = Shown(now, _state(project), sandbox, replace(result, files={}, proposals=small))
    ensure_folder(folder)
    write_atomic(_place(folder, project), _form().dump_json(shown), durable=False)


def read_shown(folder: Path, project: Project) -> Shown | None:
    """Return the proposals that were shown last for a project; None where none are kept that can be read."""
    try:
        shown = _form().validate_json(_place(folder, project).read_bytes())
    except (OSError, ValidationError):
        return None
    files = project.task.files
    proposals = tuple(replace(one, files={**files, **one.files}) for one in shown.result.proposals)
    return replace(shown, result=replace(shown.result, files=files, proposals=proposals))


def _changed(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    return {path: text for path, text in new.items() if text != old.get(path)}


def _place(folder: Path, project: Project) -> Path:
    return folder / f"shown-{digest(str(project.root), *sorted(project.task.targets))[:16]}.json"


def _state(project: Project) -> str:
    """Return a digest of everything that a repair of the project reads."""
    task = project.task
    texts = (sorted(files.items()) for files in (task.files, task.tests, task.rest))
    asked = (task.doctests, task.selection, task.options, task.script)
    return digest(*map(repr, (*texts, *asked, sorted(task.environment.items()))))

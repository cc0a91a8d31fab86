"""The living rubric: criteria that change by what humans teach, one YAML file each with its history.

A change is proposed, then applied on approval (or above a set standing), and every version stays: an
undo is a new version with the criteria of the one before. A rubric nobody has changed has no file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ddax.debate.rubric import Criterion, Rubric, load_rubric
from ddax.errors import StateError, UsageError
from ddax.memory.agents.agent_file import stamp
from ddax.memory.files import locked, storage_errors, write_atomic
from ddax.memory.home import safe_name
from ddax.memory.records import clean, digest, normalised
from ddax.types import JsonDict

RUBRIC_SCHEMA = 1
MAX_CRITERIA = 12
MEANING_CHARS = 500
NAME_CHARS = 60
_WORD = re.compile(r"[^\W_]+")
_WEAK = frozenset({
    "a", "an", "the", "of", "in", "on", "at", "to", "for", "is", "are", "be", "it", "its", "this", "that",
    "please", "and", "or", "with", "you", "should",
})  # fmt: skip


@dataclass(frozen=True)
class Change:
    """A change of a rubric: add a criterion (or give one another meaning), or remove it."""

    kind: Literal["add", "remove"]
    name: str
    meaning: str = ""


def telling_words(lesson: str) -> list[str]:
    """Return the words of a lesson that say what to look for; none where it says nothing to learn from."""
    return [word for word in _WORD.findall(normalised(lesson)) if word not in _WEAK]


def change_of(lesson: str) -> Change:
    """Turn what a human taught into a criterion; its name is made of the lesson's words."""
    words = telling_words(lesson)
    if not words:
        raise UsageError(
            "A rubric cannot learn from an empty lesson.",
            why="A criterion is made of its words.",
            mend="Say what to look for.",
        )
    name = "-".join(words)
    if len(name) > NAME_CHARS:  # cut, two lessons that begin alike would be one criterion
        name = f"{name[: NAME_CHARS - 7].rstrip('-')}-{digest(name)[:6]}"
    return Change("add", name, " ".join(clean(lesson).split())[:MEANING_CHARS])


class LivingRubrics:
    """The rubrics of one folder. Blocking; every change is on disk when its call returns."""

    def __init__(self, folder: Path, *, clock: Callable[[], float]) -> None:
        self._folder, self._clock = folder, clock

    def load(self, name: str) -> JsonDict:
        """Return a rubric with its versions and proposals; the shipped one is version 1."""
        known = self._read(name)
        if known is not None:
            return known
        criteria = {c.name: c.meaning for c in load_rubric(name).criteria}
        first = {"version": 1, "at": "", "by": "shipped", "why": "as shipped", "criteria": criteria}
        return {"schema": RUBRIC_SCHEMA, "name": str(name), "history": [first], "proposals": []}

    def current(self, name: str) -> tuple[Rubric, int]:
        """Return the rubric in force, and its version."""
        newest = self.load(name)["history"][-1]
        criteria = tuple(Criterion(key, meaning) for key, meaning in newest["criteria"].items())
        return Rubric(name, criteria), int(newest["version"])

    def propose(
        self,
        name: str,
        change: Change,
        *,
        by: str,
        standing: float,
        why: str,
        propose_from: float,
        apply_above: float,
    ) -> JsonDict | None:
        """Propose a change once; return the proposal, None where the human's standing does not carry it.

        Above `apply_above` it is applied at once, unless the rubric is full: then it waits.
        """
        if standing < propose_from:
            return None
        key = digest("proposal", name, change.kind, change.name, change.meaning, by, why)[:16]
        with self._changing(name) as rubric:
            known = _proposal(rubric, key)
            if known is not None:
                return known
            proposal: JsonDict = {
                "id": key, "at": stamp(self._clock()), "by": by, "standing": round(standing, 6), "why": why,
                "change": vars(change), "status": "open",
            }  # fmt: skip
            rubric["proposals"].append(proposal)
            if standing > apply_above and not full(rubric["history"][-1]["criteria"], change):
                self._apply(rubric, proposal, by=by)
        return proposal

    def approve(self, name: str, proposal_id: str, *, by: str) -> int:
        """Apply an open proposal; return the new version."""
        with self._changing(name) as rubric:
            self._apply(rubric, _open_proposal(rubric, proposal_id), by=by)
        return int(rubric["history"][-1]["version"])

    def refuse(self, name: str, proposal_id: str, *, by: str) -> None:
        """Refuse an open proposal; it stays on record."""
        with self._changing(name) as rubric:
            _open_proposal(rubric, proposal_id).update(status="refused", by_whom=by)

    def undo(self, name: str, *, by: str) -> int:
        """Go back to the criteria of the version before, as a new version; return its number.

        Raises `UsageError` where everything that was changed is undone.
        """
        with self._changing(name) as rubric:
            undone = _origin(rubric, len(rubric["history"]))
            if undone == 1:
                raise UsageError(
                    f"The rubric {name!r} is as it was shipped.",
                    why="No change was applied.",
                    mend="There is nothing to undo.",
                )
            back = _origin(rubric, undone - 1)
            criteria = rubric["history"][back - 1]["criteria"]
            self._add(rubric, criteria, by=by, why=f"undo of version {undone}", restores=back)
        return int(rubric["history"][-1]["version"])

    def _apply(self, rubric: JsonDict, proposal: JsonDict, *, by: str) -> None:
        change = Change(**proposal["change"])
        criteria = changed(rubric["history"][-1]["criteria"], change)
        self._add(rubric, criteria, by=by, why=f"proposal {proposal['id']}: {proposal['why']}")
        proposal.update(status="applied", by_whom=by, version=rubric["history"][-1]["version"])

    def _add(self, rubric: JsonDict, criteria: Mapping[str, str], *, by: str, why: str, **more: int) -> None:
        version = int(rubric["history"][-1]["version"]) + 1
        row = {
            "version": version,
            "at": stamp(self._clock()),
            "by": by,
            "why": why,
            "criteria": dict(criteria),
        }
        rubric["history"].append({**row, **more})

    @contextmanager
    def _changing(self, name: str) -> Iterator[JsonDict]:
        """Change a rubric under its lock, and replace its file."""
        import yaml

        path = self._path(name)
        with locked(path):
            rubric = self.load(name)
            yield rubric
            write_atomic(path, yaml.safe_dump(rubric, sort_keys=False, allow_unicode=True, width=100))

    def _read(self, name: str) -> JsonDict | None:
        import yaml

        path = self._path(name)
        with storage_errors(path):
            if not path.is_file():
                return None
            text = path.read_text(encoding="utf-8")
        try:
            found = yaml.safe_load(text)
        except yaml.YAMLError as exc:
            raise StateError(
                f"The file {str(path)!r} is damaged.", why=f"{exc}.", mend="Move it aside."
            ) from exc
        if not isinstance(found, dict) or found.get("schema") != RUBRIC_SCHEMA or not found.get("history"):
            raise StateError(
                f"The file {str(path)!r} is no rubric in a version known here.",
                why="It was damaged, or written by a newer release.",
                mend="Upgrade ddax, or move the file aside.",
            )
        return found

    def _path(self, name: str) -> Path:
        """Return the file of a rubric; one that came from a file is kept by the hash of its path."""
        known = name if not name.endswith((".yaml", ".yml")) else f"file-{digest(name)[:16]}"
        return self._folder / f"{safe_name(known)}.yaml"


def full(criteria: Mapping[str, str], change: Change) -> bool:
    """Tell whether a change would add a criterion to as many as a rubric may have."""
    return change.kind == "add" and change.name not in criteria and len(criteria) >= MAX_CRITERIA


def changed(criteria: Mapping[str, str], change: Change) -> dict[str, str]:
    """Return the criteria after a change; raises `UsageError` where it makes no sense."""
    left = {key: meaning for key, meaning in criteria.items() if key != change.name}
    if change.kind == "add":
        if full(criteria, change):
            raise UsageError(
                f"A rubric has at most {MAX_CRITERIA} criteria.",
                why="Each criterion is told to the judge.",
                mend="Remove one first.",
            )
        return {**criteria, change.name: change.meaning}
    if change.name not in criteria or not left:
        raise UsageError(
            f"The criterion {change.name!r} cannot be removed.",
            why=f"There are {', '.join(criteria)}.",
            mend="Keep at least one.",
        )
    return left


def _origin(rubric: JsonDict, version: int) -> int:
    """Return the version whose criteria a version has: itself, or for an undo the one it went back to."""
    return int(rubric["history"][version - 1].get("restores", version))


def _proposal(rubric: JsonDict, key: str) -> JsonDict | None:
    return next((p for p in rubric["proposals"] if p["id"] == key), None)


def _open_proposal(rubric: JsonDict, prefix: str) -> JsonDict:
    found = [p for p in rubric["proposals"] if p["id"].startswith(prefix) and prefix]
    if len(found) != 1:
        raise UsageError(
            f"{'No' if not found else 'More than one'} proposal has the id {prefix[:40]!r}.",
            why="A proposal is named by its id or the beginning of it.",
            mend="`ddax rubric show` lists them.",
        )
    if found[0]["status"] != "open":
        raise UsageError(
            f"The proposal {found[0]['id']} is already {found[0]['status']}.",
            why="A proposal is decided once.",
            mend="`ddax rubric undo` goes back a version.",
        )
    first: JsonDict = found[0]
    return first

"""The rubric a judge goes by: named criteria with their meaning, in `configs/rubrics/`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ddax.configs.documents import read_document, shipped
from ddax.errors import SettingsError


@dataclass(frozen=True)
class Criterion:
    """What is judged: `meaning` is the question a judge answers with a number in [0, 1]."""

    name: str
    meaning: str


@dataclass(frozen=True)
class Rubric:
    """A named list of criteria."""

    name: str
    criteria: tuple[Criterion, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the criteria, as `JudgeRequest.rubric` takes them."""
        return tuple(criterion.name for criterion in self.criteria)


def load_rubric(name_or_path: str | Path = "default") -> Rubric:
    """Read a rubric by name or from a .yaml file; raises `SettingsError`."""
    path = Path(name_or_path)
    if path.suffix not in {".yaml", ".yml"}:
        known = sorted(p.stem for p in shipped("rubrics").glob("*.yaml"))
        if str(name_or_path) not in known:
            raise SettingsError(
                f"There is no rubric {str(name_or_path)[:80]!r}.",
                why="It is neither a name that is known nor a file.",
                mend=f"Known: {', '.join(known)}.",
            )
        path = shipped("rubrics", f"{name_or_path}.yaml")
    document = read_document(path)
    rows = document.values.get("criteria")
    if (
        not isinstance(rows, dict)
        or not rows
        or not all(isinstance(text, str) and text for text in rows.values())
    ):
        raise SettingsError(
            f"{document.where('criteria')}: `criteria` maps names to what they mean.",
            why="It holds something else.",
            mend="Write at least one line `name: question`.",
        )
    name = str(document.values.get("name") or path.stem)
    return Rubric(name, tuple(Criterion(str(key), " ".join(text.split())) for key, text in rows.items()))

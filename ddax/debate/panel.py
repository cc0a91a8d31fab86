"""Who sits in a debate: named participants from `configs/debaters/`, some with a role of their own.

A role that nobody holds for good is given out by trust (`ddax.debate.roles`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ddax.configs.documents import read_document, shipped
from ddax.debate.roles import Debater
from ddax.errors import SettingsError
from ddax.reasoning.protocol import Reasoner

ROLES = ("any", "proponent", "opponent", "judge")


@dataclass(frozen=True)
class Seat:
    """A named participant: its role or `any`, and its model; an empty one is the model of the run."""

    name: str
    role: str = "any"
    model: str = ""


def load_panel(name_or_path: str | Path = "default") -> tuple[Seat, ...]:
    """Read a panel by name or from a .yaml file; raises `SettingsError`."""
    path = Path(name_or_path)
    if path.suffix not in {".yaml", ".yml"}:
        known = sorted(p.stem for p in shipped("debaters").glob("*.yaml"))
        if str(name_or_path) not in known:
            raise SettingsError(
                f"There is no panel {str(name_or_path)[:80]!r}.",
                why="It is neither a name that is known nor a file.",
                mend=f"Known: {', '.join(known)}.",
            )
        path = shipped("debaters", f"{name_or_path}.yaml")
    document = read_document(path)
    rows = document.values.get("debaters")
    if not isinstance(rows, dict) or not rows:
        raise SettingsError(
            f"{document.where('debaters')}: `debaters` maps names to their role and model.",
            why="It holds something else.",
            mend="Write at least one line `name: {role: any}`.",
        )
    return tuple(_seat(document.where("debaters"), str(name), row) for name, row in rows.items())


def _seat(where: str, name: str, row: object) -> Seat:
    values = row if isinstance(row, dict) else {}
    unknown = sorted(set(map(str, values)) - {"role", "model"})
    role, model = str(values.get("role", "any")), str(values.get("model") or "")
    if unknown or role not in ROLES or "," in name:
        wrong = f"the key {unknown[0]!r}" if unknown else f"the role {role!r} or a comma in its name"
        raise SettingsError(
            f"{where}: the debater {name!r} has {wrong}.",
            why="Such a debater could not speak.",
            mend=f"Give it a role ({', '.join(ROLES)}) and, where it has its own, a model.",
        )
    return Seat(name, role, model)


def debaters(seats: Sequence[Seat], reasoner: Reasoner, opened: Callable[[str], Reasoner]) -> list[Debater]:
    """Return the participants; `opened` gives the reasoner of a named model."""
    return [Debater(seat.name, opened(seat.model) if seat.model else reasoner) for seat in seats]


def fixed_roles(seats: Sequence[Seat]) -> dict[str, str]:
    """Return the roles that are not given out by trust, by name."""
    return {seat.name: seat.role for seat in seats if seat.role != "any"}

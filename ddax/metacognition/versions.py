"""The learned matrices of a home: numbered files that are written once and never changed.

A run names the version it uses (`mood.matrices`), so that a resumed run goes on with the same mind,
and going back is naming another one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ddax.errors import SettingsError
from ddax.metacognition.matrices import ACTIONS, OBSERVATIONS, STATES, Matrices

SHIPPED = "shipped"
FOLDER = "metacognition"
_VERSION = re.compile(r"v([1-9][0-9]{0,5})")


def find_matrices(name: str, home: Path) -> Path | None:
    """Return the file that a setting names; None for the shipped one. Raises `SettingsError`."""
    if name == SHIPPED:
        return None
    path = home / FOLDER / f"{name}.yaml" if _VERSION.fullmatch(name) else Path(name).expanduser()
    if path.is_file():
        return path.resolve()
    known = ", ".join([SHIPPED, *(p.stem for p in versions(home))])
    raise SettingsError(
        f"mood.matrices: there is no {name!r}.",
        why=f"This home has: {known}.",
        mend="Name one of these or a YAML file; `ddax metacognition learn` makes a version.",
    )


def versions(home: Path) -> list[Path]:
    """Return the files of the learned versions, oldest first."""
    found = [p for p in (home / FOLDER).glob("v*.yaml") if _VERSION.fullmatch(p.stem)]
    return sorted(found, key=lambda p: int(p.stem[1:]))


def write_version(home: Path, matrices: Matrices, about: Mapping[str, Any]) -> Path:
    """Write matrices as the next version, with what is known about them; return its file."""
    from ddax.memory.files import ensure_folder, write_atomic

    folder = ensure_folder(home / FOLDER)
    known = versions(home)
    number = 1 + (int(known[-1].stem[1:]) if known else 0)
    path = folder / f"v{number}.yaml"
    write_atomic(path, document(matrices, about))
    return path


def document(matrices: Matrices, about: Mapping[str, Any]) -> str:
    """Return matrices as the YAML that `load_matrices` reads."""
    import yaml

    def row(names: tuple[str, ...], values: Any) -> dict[str, float]:
        return {name: float(value) for name, value in zip(names, values, strict=True)}

    A = {s: row(OBSERVATIONS, matrices.A[:, k]) for k, s in enumerate(STATES)}
    B = {
        a: {s: row(STATES, matrices.B[:, k, u]) for k, s in enumerate(STATES)} for u, a in enumerate(ACTIONS)
    }
    C, D = row(OBSERVATIONS, matrices.C), row(STATES, matrices.D)
    values = {"about": dict(about), "A": A, "B": B, "C": C, "D": D}
    head = "# Learned by `ddax metacognition learn`; the rows mean what they mean in the shipped file.\n"
    return head + yaml.safe_dump(values, sort_keys=False, default_flow_style=None, width=110)

"""The matrices of a home: files that are written once and never changed.

What was learned is numbered (`v1`); a file of the user's own is kept under its content (`file-…`) when
a run begins with it. A run names what it uses (the setting `mood.matrices`), so that a resumed run goes on
with the same mind, and going back is naming another one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ddax.configs.settings import Context
from ddax.errors import SettingsError
from ddax.metacognition.matrices import ACTIONS, OBSERVATIONS, STATES, Matrices, load_matrices

SHIPPED = "shipped"
FOLDER = "metacognition"
_VERSION = re.compile(r"v([1-9][0-9]{0,5})")
_KEPT = re.compile(r"file-[0-9a-f]{16}")


def find_matrices(name: str, home: Path) -> Path | None:
    """Return the file that a setting names; None for the shipped one. Raises `SettingsError`."""
    if name == SHIPPED:
        return None
    path = home / FOLDER / f"{name}.yaml" if _in_home(name) else Path(name).expanduser()
    if path.is_file():
        return path.resolve()
    known = ", ".join([SHIPPED, *(p.stem for p in versions(home))])
    raise SettingsError(
        f"mood.matrices: there is no {name!r}.",
        why=f"This home has: {known}.",
        mend="Name one of these or a YAML file; `ddax metacognition learn` makes a version.",
    )


def keep_matrices(name: str, home: Path) -> str:
    """Return the name by which a home has what a setting names; a file of the user's is copied into it.

    The copy is named by its content, so that a run goes on with the numbers it began with though the
    file is changed, moved or gone. Raises `SettingsError` for a file that holds no good matrices.
    """
    path = find_matrices(name, home)
    if path is None or _in_home(name):
        return name
    from ddax.memory.files import ensure_folder, write_atomic

    load_matrices(path)
    text = path.read_text(encoding="utf-8")
    kept = f"file-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    target = ensure_folder(home / FOLDER) / f"{kept}.yaml"
    if not target.is_file():
        write_atomic(target, text)
    return kept


def settled(settings: Context, home: Path) -> Context:
    """Return the settings with which a run begins: they name no file that may change behind it."""
    kept = keep_matrices(settings.mood.matrices, home)
    if kept == settings.mood.matrices:
        return settings
    return settings.model_copy(update={"mood": settings.mood.model_copy(update={"matrices": kept})})


def origin(name: str, home: Path) -> str:
    """Return what a version was learned from in the first place: nothing that was learned itself.

    Learning begins there each time, so that no run is counted twice.
    """
    from ddax.configs.documents import read_document

    seen: list[str] = []
    while _VERSION.fullmatch(name) and name not in seen:
        seen.append(name)
        path = find_matrices(name, home)
        about = read_document(path).values.get("about") if path else None
        name = str((about if isinstance(about, Mapping) else {}).get("from", name))
    return name


def _in_home(name: str) -> bool:
    return bool(_VERSION.fullmatch(name) or _KEPT.fullmatch(name))


def versions(home: Path) -> list[Path]:
    """Return the files of the learned versions, oldest first."""
    found = [p for p in (home / FOLDER).glob("v*.yaml") if _VERSION.fullmatch(p.stem)]
    return sorted(found, key=lambda p: int(p.stem[1:]))


def write_version(home: Path, matrices: Matrices, about: Mapping[str, Any]) -> Path:
    """Write matrices as the next version, with what is known about them; return its file."""
    from ddax.memory.files import locked, write_atomic

    with locked(home / FOLDER / "versions"):  # another process may write the next one at the same moment
        known = versions(home)
        number = 1 + (int(known[-1].stem[1:]) if known else 0)
        path = home / FOLDER / f"v{number}.yaml"
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

"""Measure what an installation with no extra weighs: each distribution, and who asks for it.

`weight.py` installs the base into a fresh environment and measures that; `weight.py SITE` measures the folder
of packages that is named. Sizes are those of the files that an installation writes, without bytecode.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path
from tempfile import TemporaryDirectory

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
HEAVIEST = 10
MB = 1_000_000


@dataclass(frozen=True)
class Weighed:
    """A distribution with its size in bytes, and those that need it."""

    name: str
    size: int
    wanted_by: tuple[str, ...] = ()


def weighed(site: Path, base: Iterable[str] | None = None) -> list[Weighed]:
    """Return what is installed in a folder, the heaviest first; of `base` only those named."""
    found = {canonicalize_name(one.name): one for one in distributions(path=[str(site)])}
    names = set(found) if base is None else {canonicalize_name(name) for name in base} & set(found)
    needs = {"ddax": own_needs(), **{name: needs_of(found[name]) for name in names}}
    asked = {name: tuple(sorted(one for one, wanted in needs.items() if name in wanted)) for name in names}
    rows = [Weighed(name, size_of(found[name]), asked[name]) for name in names]
    return sorted(rows, key=lambda row: (-row.size, row.name))


def own_needs() -> set[str]:
    """Return what ddax itself needs, as `pyproject.toml` says it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {canonicalize_name(Requirement(line).name) for line in project["dependencies"]}


def needs_of(one: Distribution) -> set[str]:
    """Return what a distribution needs here without an extra."""
    wanted = map(Requirement, one.requires or ())
    return {
        canonicalize_name(need.name)
        for need in wanted
        if need.marker is None or need.marker.evaluate({"extra": ""})
    }


def size_of(one: Distribution) -> int:
    """Return the bytes of the files that an installation wrote."""
    paths = (Path(str(one.locate_file(file))) for file in one.files or () if file.suffix != ".pyc")
    return sum(path.stat().st_size for path in paths if path.is_file())


def names_of(lock: Path) -> list[str]:
    """Return the names in a lock file."""
    lines = lock.read_text(encoding="utf-8").splitlines()
    return [line.partition("==")[0] for line in lines if line[:1].isalnum()]


def table(rows: list[Weighed]) -> str:
    """Return the heaviest as a table, with the sum of all."""
    lines = [f"{'MB':>7}  {'distribution':<24} needed by"]
    for row in rows[:HEAVIEST]:
        lines.append(f"{row.size / MB:7.1f}  {row.name:<24} {', '.join(row.wanted_by)}")
    rest = rows[HEAVIEST:]
    lines.append(f"{sum(row.size for row in rest) / MB:7.1f}  the {len(rest)} others")
    return "\n".join([*lines, f"{sum(row.size for row in rows) / MB:7.1f}  all {len(rows)}"])


def installed(folder: Path) -> Path:
    """Install the base from its lock file into a fresh environment; return its folder of packages."""
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    uv = [sys.executable, str(ROOT / "scripts" / "uv_as_pip.py"), str(Path(sys.executable).parent / "uv")]
    lock = str(ROOT / "requirements.lock")
    subprocess.run(  # noqa: S603
        [*uv, "pip", "sync", "--quiet", "--python", str(python), "--require-hashes", lock], check=True
    )
    return next(folder.glob("lib/python*/site-packages"))


def main(*arguments: str) -> int:
    """Print the table."""
    if arguments:
        print(table(weighed(Path(arguments[0]))))
        return 0
    with TemporaryDirectory() as folder:
        print(table(weighed(installed(Path(folder) / "env"))))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))

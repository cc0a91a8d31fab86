"""What an installation weighs is measured from what it wrote, and the heaviest packages are accounted for."""

from __future__ import annotations

import re
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def weight() -> ModuleType:
    from importlib.util import module_from_spec, spec_from_file_location

    path = Path(__file__).resolve().parents[2] / "scripts" / "weight.py"
    spec = spec_from_file_location("weight", path)
    assert spec is not None and spec.loader is not None
    made = sys.modules["weight"] = module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def installed(site: Path, name: str, *, files: dict[str, int], needs: tuple[str, ...] = ()) -> None:
    info = site / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    for file, size in files.items():
        (site / file).parent.mkdir(exist_ok=True)
        (site / file).write_bytes(b"x" * size)
    wanted = "".join(f"Requires-Dist: {need}\n" for need in needs)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{wanted}")
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in (*files, f"{name}/gone.py")))


def test_a_package_is_weighed_by_its_files_and_told_with_who_needs_it(
    weight: ModuleType, tmp_path: Path
) -> None:
    installed(tmp_path, "heavy", files={"heavy/a.so": 3000, "heavy/__pycache__/a.cpython-311.pyc": 9000})
    needs = ("Heavy>=1", "light ; extra == 'more'", "light ; python_version < '3'")
    installed(tmp_path, "chromadb", files={"chromadb/b.py": 200}, needs=needs)
    installed(tmp_path, "light", files={"light/c.py": 10})
    rows = weight.weighed(tmp_path)
    assert [(row.name, row.size, row.wanted_by) for row in rows] == [
        ("heavy", 3000, ("chromadb",)), ("chromadb", 200, ("ddax",)), ("light", 10, ()),
    ]  # fmt: skip
    assert [row.name for row in weight.weighed(tmp_path, ["Light", "chromadb", "unknown"])] == [
        "chromadb", "light",
    ]  # fmt: skip
    assert "all 3" in weight.table(rows)


def test_the_document_accounts_for_the_ten_heaviest(weight: ModuleType, repo: Path) -> None:
    base = weight.names_of(repo / "requirements.lock")
    rows = weight.weighed(Path(sysconfig.get_path("purelib")), base)
    page = (repo / "docs" / "support.md").read_text(encoding="utf-8").partition("## What the base")[2]
    told = re.findall(r"^\| \d+ \| `([\w-]+)` \| [^|]+ \| [^|]{5,} \|$", page, re.M)
    assert len(told) == 10
    lost = [
        f"{row.name}: {row.size / 1e6:.0f} MB, by {row.wanted_by}"
        for row in rows[:10]
        if row.name not in told
    ]
    # The versions differ a little from one Python to another: one in ten may have changed its place.
    assert len(lost) <= 1, f"docs/support.md says nothing of {lost}"

"""What a repair is shown as: a diff that those who apply one take."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ddax.evolution.code_task import find_code
from ddax.evolution.wording import unified

PROGRAM = "def add(a, b):\n    return a - b\n"


@pytest.mark.skipif(shutil.which("git") is None, reason="git applies the diff")
@pytest.mark.parametrize(
    "program",
    [
        PROGRAM,
        PROGRAM.replace("\n", "\r\n"),
        f"import os\n\x0c\n{PROGRAM}",
        f"S = 'a\u2028b'\n{PROGRAM}",
        PROGRAM.rstrip("\n"),
    ],
    ids=["lines", "carriage returns", "form feed", "line separator", "no end"],
)
def test_the_diff_of_a_repair_applies_to_the_file_as_it_is(tmp_path: Path, program: str) -> None:
    (tmp_path / "calc.py").write_bytes(program.encode())
    (tmp_path / "test_calc.py").write_text("def test(): pass\n")
    code = find_code((str(tmp_path),))
    assert code is not None
    files, _ = code.read()
    new = {"calc.py": files["calc.py"].replace("a - b", "a + b")}
    (tmp_path / "repair.patch").write_bytes(unified(files, new).encode())
    subprocess.run(["git", "apply", "repair.patch"], cwd=tmp_path, check=True)
    assert (tmp_path / "calc.py").read_bytes() == program.replace("a - b", "a + b").encode()


def test_code_outside_of_the_folder_is_none_of_it(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(PROGRAM)
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "calc.py").write_text(PROGRAM)
    (folder / "test_calc.py").write_text("def test(): pass\n")
    (folder / "linked.py").symlink_to(tmp_path / "other.py")
    code = find_code((str(folder),))
    assert code is not None and code.targets == ("calc.py",)

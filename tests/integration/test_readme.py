"""What the README shows runs as it stands there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PIECES = re.findall(
    r"```python\n(.*?)```\n\n```text\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S
)
"""Each piece of Python, and what it prints; `…` stands for lines that are left out."""


def run(program: str, home: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True, text=True, timeout=120, check=False, cwd=home,
        env={**os.environ, "DDAX_HOME": str(home / "home")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize(("program", "shown"), PIECES, ids=["answer"])
def test_each_piece_prints_what_is_shown_when_it_is_pasted(tmp_path: Path, program: str, shown: str) -> None:
    said = run(program, tmp_path)
    first, _, last = shown.partition("…\n")
    assert said.startswith(first)
    assert said.endswith(last)


def test_every_piece_of_python_is_shown_with_what_it_prints() -> None:
    assert len(PIECES) == (ROOT / "README.md").read_text(encoding="utf-8").count("```python\n")


@pytest.mark.parametrize("name", ["demo", "test"])
def test_the_two_commands_are_targets_of_the_makefile(name: str) -> None:
    assert re.search(rf"^{name}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)

"""Each example runs as a user has it: a copy in a folder of its own, in a process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SAYS = {
    "own_node.py": ("0.1: ", "done"),
    "own_action.py": ("done",),
    "tool_chain.py": ("done Ada lives at number 12.",),
    "own_reasoner.py": ("done", "(from statistics"),
    "own_environment.py": ("10 rules", "floor 0", "look, move, probe"),
    "own_identity.py": ("3 rules", "done rigidity"),
    "own_rubric.py": ("support, primary, progress", "done"),
    "own_search.py": ("done ", "written by Ines Calder", "http://127.0.0.1:"),
    "own_saver.py": ("stopped before close", "done"),
}
"""What each prints."""


def test_every_example_is_run() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(SAYS)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name == "own_node.py" else pytest.mark.long) for name in sorted(SAYS)],
)
def test_the_example_runs_outside_of_the_package(name: str, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "mine")
    done = subprocess.run(
        [sys.executable, "-W", "error", name], cwd=tmp_path / "mine", capture_output=True, text=True,
        timeout=200, check=False, env={**os.environ, "DDAX_HOME": str(tmp_path / "home")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    for words in SAYS[name]:
        assert words in done.stdout, done.stdout

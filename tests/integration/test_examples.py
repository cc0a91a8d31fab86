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
    "own_action.py": (
        "done | There are 12 of the item rope",
        "tool:in_stock | There are 12 of the item rope in the storehouse.",
    ),
    "langchain_tool.py": ("done | 50 kilometres are 27.0 nautical miles.", "tool:nautical_miles"),
    "mcp_tool.py": ("done | High water at Vellin is at 09:15.", "tool:tides_high_water"),
    "own_retriever.py": (
        "done | Ines Calder",
        "almanac#page=3 {'source': 'almanac', 'page': 3} | The Harbour Almanac was written by Ines Calder",
    ),
    "pydantic_answer.py": (
        "Person | Ines Calder 1871 Vellin",
        "1870 | Ines Calder was born in the port of Vellin in 1870.",
    ),
    "inside_graph.py": (
        "Dear Ann: statistics.median: Return the median", "(python:statistics.median",
        "Dear Ann: a colleague will answer you.",
    ),
    "tool_chain.py": ("done Ada lives at number 12.",),
    "own_reasoner.py": ("done", "(from statistics"),
    "own_environment.py": ("10 rules", "floor 0", "look, move, probe"),
    "own_identity.py": ("3 rules", "done rigidity"),
    "own_rubric.py": ("support, primary, progress", "done"),
    "own_search.py": ("done ", "written by Ines Calder", "http://127.0.0.1:"),
    "own_saver.py": ("stopped before close", "done"),
}  # fmt: skip
"""What each prints."""
BESIDE = {"stand_in.py", "tides_server.py"}
"""What others of them use."""
ELSEWHERE = {"service.py", "page.py"}
"""What is used from outside, in `test_examples_served.py`."""


def test_every_example_is_run_and_told() -> None:
    there = {path.name for path in EXAMPLES.glob("*.py")}
    assert there == set(SAYS) | BESIDE | ELSEWHERE
    told = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert [name for name in sorted(there) if f"({name})" not in told] == []


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in ("own_node.py", "own_action.py") else pytest.mark.long)
        for name in sorted(SAYS)
    ],
)
def test_the_example_runs_outside_of_the_package(name: str, tmp_path: Path) -> None:
    if name == "mcp_tool.py":
        pytest.importorskip("mcp", reason="needs the extra mcp")
    shutil.copytree(EXAMPLES, tmp_path / "my own")
    done = subprocess.run(
        [sys.executable, "-W", "error", name], cwd=tmp_path / "my own", capture_output=True, text=True,
        timeout=200, check=False, env={**os.environ, "DDAX_HOME": str(tmp_path / "home")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    for words in SAYS[name]:
        assert words in done.stdout, done.stdout

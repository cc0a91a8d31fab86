"""What the README shows runs as it stands there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
MARKS = ("asyncio.run", "astream", "splice(")
WHOLE, STREAM, SPLICE = (next(block for block in BLOCKS if mark in block) for mark in MARKS)
AROUND = """import asyncio
from ddax import Context, open_agent
context = Context(sources=("python:statistics",))
"""


def indented(text: str) -> str:
    return "".join(f"        {line}" for line in text.splitlines(True))


def wrapped(block: str) -> str:
    """Put a fragment of the README into a program that has its agent and context."""
    body = f"async def main():\n    async with open_agent(context) as agent:\n{indented(block)}"
    return f"{AROUND}{body}\nasyncio.run(main())\n"


def run(program: str, home: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True, text=True, timeout=120, check=False, cwd=home,
        env={**os.environ, "DDAX_HOME": str(home / "home")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_the_first_block_answers_with_a_citation(tmp_path: Path) -> None:
    said = run(WHOLE, tmp_path)
    assert "median" in said
    assert "  - statistics" in said


def test_the_stream_shows_updates_and_events(tmp_path: Path) -> None:
    said = run(wrapped(STREAM), tmp_path)
    assert "updates {'open_task'" in said
    assert "custom {'type': 'node'" in said


def test_the_spliced_node_is_run(tmp_path: Path) -> None:
    said = run(f"{AROUND}async def main():\n{indented(SPLICE)}\nasyncio.run(main())\n", tmp_path)
    assert "outcomes: ['0." in said


def test_the_example_of_an_own_action_runs(tmp_path: Path) -> None:
    program = (ROOT / "examples" / "own_action.py").read_text(encoding="utf-8")
    assert run(program, tmp_path).startswith("done")


@pytest.mark.parametrize("name", ["demo", "test"])
def test_the_two_commands_are_targets_of_the_makefile(name: str) -> None:
    assert re.search(rf"^{name}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)

"""What `ddax new` writes passes its own test as written, outside of the package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ddax.cli.main import run_command

pytestmark = pytest.mark.integration
ROOT = Path(__file__).parents[2]


def test_the_three_skeletons_pass_their_tests_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for kind, name in (("node", "weigh_again"), ("action", "count_lines"), ("identity", "steady")):
        assert run_command(["new", kind, name]) == 0
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."], cwd=tmp_path,
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
    assert "15 passed" in done.stdout, done.stdout

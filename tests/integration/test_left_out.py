"""The package is copied without what can be left out: it imports, works, and names what is gone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

pytestmark = [pytest.mark.long, pytest.mark.timeout(3000)]

CORE = (
    "dynamics_forces", "dynamics_pressure", "dynamics_rigidity", "dynamics_score", "dynamics_state",
    "dynamics_surprise", "dynamics_tree", "dynamics_utility",
    "ideas_dag", "ideas_indexed", "ideas_rows",
    "debate_calibration", "debate_carried", "debate_roles", "debate_support", "debate_verdict",
    "memory_gate", "memory_scoring", "memory_trust",
    "graph_wiring", "nodes_grow", "nodes_select", "runner_closing",
)  # fmt: skip
"""The tests that stand for the core; where the graph runs in them, a script replies."""
LEAST = 400
"""Tests of the core that have to pass."""
LEFT_OUT = {
    "ddax/reasoning/embedded": "The reasoner without a model",
    "ddax/environments/pilot": "The pilot of a browser",
    "ddax/evolution": "The repair of code",
}
USES = {
    "ddax/reasoning/embedded": ["run", "Who built the tower?", "--sources", "adder.py"],
    "ddax/environments/pilot": ["run", "Press the button.", "--browser", "http://127.0.0.1:8000/"],
    "ddax/evolution": ["fix", "adder.py", "--tests", "pytest -q"],
}
"""A command that needs each."""
WALK = """
import importlib, json, pkgutil, sys
import ddax
failed = {}
for found in pkgutil.walk_packages(ddax.__path__, "ddax.", onerror=lambda name: None):
    if found.name.endswith("__main__") or ".evolution.inside" in found.name:
        continue  # programs, which do their work as they are imported
    try:
        importlib.import_module(found.name)
    except ImportError as error:
        failed[found.name] = str(error)
print(json.dumps({"file": ddax.__file__, "failed": failed, "loaded": sorted(sys.modules)}))
"""


@pytest.fixture(params=LEFT_OUT)
def gone(request: pytest.FixtureRequest) -> str:
    """Return the folder that is left out."""
    return str(request.param)


@pytest.fixture
def place(repo: Path, tmp_path: Path, gone: str) -> Path:
    """Return a copy of the package and its tests, without that folder."""
    for folder in ("ddax", "tests"):
        shutil.copytree(repo / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(repo / "pyproject.toml", tmp_path)
    shutil.rmtree(tmp_path / gone)
    return tmp_path


def python(place: Path, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run Python over the copy."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("DDAX_", "PYTEST_"))}
    environment |= {
        "PYTHONPATH": str(place),
        "DDAX_HOME": str(place / "home"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.run(
        [sys.executable, *words], cwd=cwd or place, env=environment, capture_output=True, text=True,
        timeout=2500, check=False,
    )  # fmt: skip


def test_every_other_module_is_imported(place: Path, gone: str) -> None:
    done = python(place, "-c", WALK)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["file"] == str(place / "ddax" / "__init__.py")
    missing = gone.replace("/", ".")
    assert {name: why for name, why in told["failed"].items() if "ddax" in why} == {}
    assert not [name for name in told["loaded"] if name == missing or name.startswith(f"{missing}.")]
    assert len([name for name in told["loaded"] if name.startswith("ddax.")]) > 500


def test_the_core_passes_its_tests(place: Path, gone: str) -> None:
    files = [f"tests/unit/test_{name}.py" for name in CORE]
    words = ("-q", "-p", "no:xdist", "-p", "no:cacheprovider", "--no-header")
    done = python(place, "-m", "pytest", *words, *files)
    assert done.returncode == 0, done.stdout[-4000:]
    assert _passed(done.stdout.splitlines()) >= LEAST


def _passed(lines: Sequence[str]) -> int:
    words = next(line for line in reversed(lines) if " passed" in line).split()
    return int(words[words.index("passed") - 1]) if "passed" in words else int(words[0])


def test_who_needs_it_is_told_what_is_missing(place: Path, gone: str) -> None:
    (place / "adder.py").write_text("def add(a, b):\n    return a - b\n")
    done = python(place, "-m", "ddax", *USES[gone])
    said = f"{done.stdout}\n{done.stderr}"
    assert done.returncode == 2, said
    assert f"error: {LEFT_OUT[gone]} is not part of this installation." in done.stderr, said
    assert f"There is no package {gone.replace('/', '.')}." in done.stderr
    assert "Install ddax whole" in done.stderr
    assert "Traceback" not in said

"""The notebook runs from top to bottom, as a kernel would run it, and prints what stands in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.integration
NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "look_inside.ipynb"
KERNEL = """
import ast, asyncio, contextlib, inspect, io, json, sys

async def main():
    space, said = {"__name__": "__main__"}, []
    for source in json.load(sys.stdin):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            waited = eval(compile(source, "cell", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), space)
            if inspect.isawaitable(waited):
                await waited
        said.append(out.getvalue())
    json.dump(said, sys.stdout)

asyncio.run(main())
"""


def text(lines: str | list[str]) -> str:
    return lines if isinstance(lines, str) else "".join(lines)


def cells() -> list[dict[str, Any]]:
    found = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert (found["nbformat"], found["nbformat_minor"]) == (4, 5)
    return [cell for cell in found["cells"] if cell["cell_type"] == "code"]


def printed() -> list[str]:
    """Return what each cell of the notebook printed when it was kept."""
    return ["".join(text(out["text"]) for out in cell["outputs"]) for cell in cells()]


def test_the_notebook_runs_from_top_to_bottom(tmp_path: Path) -> None:
    sources = json.dumps([text(cell["source"]) for cell in cells()])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", KERNEL], input=sources, capture_output=True, text=True,
        timeout=240, check=False, cwd=tmp_path, env={**os.environ, "DDAX_HOME": str(tmp_path / "home")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    said, kept = json.loads(done.stdout), printed()
    # A run's figures rest on an encoder whose last digits depend on the processor, the maths' do not.
    assert [bool(out) for out in said] == [bool(out) for out in kept] == [False, True, True, True, True, True]
    assert said[4] == kept[4]
    for out in (said, kept):
        assert out[1].startswith("done |")
        assert "port of Vellin" in out[1]
        assert out[2].startswith("0 done inner: In which port")
        assert "step 2: rho" in out[3]
        assert "1940" in out[5]

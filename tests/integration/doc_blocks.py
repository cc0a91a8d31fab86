"""Read the code blocks of a page, and run those that are marked, as a reader would.

A mark is a comment above a fence: `runnable` (with `ends with N`, `prints nothing`, `sandbox` or `server`
behind it), `file: NAME` for one to be written, `server` for one that goes on while the rest is run, and
`shown: REASON` for one that is not run.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^<!-- (runnable|file|server)(?:: ([^>]*?))? -->\n```(\w+)\n(.*?)^```", re.M | re.S)
ENDS = re.compile(r"ends with (\d+)")
SHIM = '#!/bin/sh\nexec "{python}" {module} "$@"\n'
OURS = ("DDAX_", "OPENAI_", "COLUMNS")
MODULES = {"ddax": "ddax", "langgraph": "langgraph_cli", "python": ""}


@dataclass(frozen=True)
class Block:
    """A marked block: what it is marked as, the words behind the mark, its language and text."""

    mark: str
    words: str
    language: str
    text: str

    @property
    def commands(self) -> list[str]:
        """Return the commands of a console block."""
        return [line[2:] for line in self.text.splitlines() if line.startswith("$ ")]


def blocks(page: Path) -> list[Block]:
    """Return the marked blocks of a page, in order."""
    return [Block(*found) for found in FENCE.findall(page.read_text(encoding="utf-8"))]


def reader(folder: Path) -> dict[str, str]:
    """Return the environment of somebody who has ddax on the path, and nothing set."""
    tools = folder / "bin"
    tools.mkdir(parents=True)
    for name, module in MODULES.items():
        shim = tools / name
        shim.write_text(SHIM.format(python=sys.executable, module=f"-m {module}" if module else ""))
        shim.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    path = os.pathsep.join((str(tools), kept.get("PATH", "")))
    return {
        **kept,
        "PATH": path,
        "PYTHONPATH": str(ROOT),
        "HOME": str(folder),
        "NO_COLOR": "1",
        "LANGSMITH_TRACING": "false",
    }


def run(block: Block, cwd: Path, env: dict[str, str], *, seconds: float = 240.0) -> str:
    """Run a block and return what it printed; fails where it ends otherwise than it says."""
    wanted = int(found[1]) if (found := ENDS.search(block.words)) else 0
    said = ""
    for words in _lines(block):
        done = subprocess.run(
            words, cwd=cwd, env=env, capture_output=True, text=True, timeout=seconds, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == wanted, f"{words[-1]}\n{done.stdout[-1500:]}\n{done.stderr[-2500:]}"
        said += done.stdout
    assert bool(said) != ("prints nothing" in block.words), f"it printed {said!r}:\n{block.text}"
    return said


def _lines(block: Block) -> list[list[str]]:
    if block.language == "python":
        return [[sys.executable, "-W", "error", "-c", block.text]]
    return [["bash", "-c", command] for command in block.commands]

"""Importing ddax, and asking the command line for help, is light and quiet."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

HEAVY = (
    "langgraph", "langchain", "langchain_core", "chromadb", "numpy", "onnxruntime", "tokenizers", "httpx",
    "playwright", "pymdp", "jax", "bm25s", "pypdf", "selectolax",
)  # fmt: skip

WATCH = """
import json, sys
opened = []
def hook(event, args):
    writes = event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+")
    if writes or event.startswith("socket."):
        opened.append([event, str(args[0])[:200]])
sys.addaudithook(hook)
sys.dont_write_bytecode = True
try:
    BODY
except SystemExit:
    pass
print("\\n@@" + json.dumps({"opened": opened, "modules": sorted({m.split(".")[0] for m in sys.modules})}))
"""


def watch(body: str, cwd: Path) -> dict[str, list[str]]:
    """Run code in a fresh interpreter and return what it opened and imported."""
    done = subprocess.run(
        [sys.executable, "-c", WATCH.replace("BODY", body)],
        cwd=cwd, capture_output=True, text=True, timeout=60, env={**os.environ, "COLUMNS": "100"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.rsplit("@@", 1)[1])


def test_import_opens_no_socket_writes_nothing_and_is_light(tmp_path: Path) -> None:
    seen = watch("import ddax; ddax.__version__", tmp_path)
    assert seen["opened"] == []
    assert not {*HEAVY, "pydantic", "typer", "rich"} & set(seen["modules"])
    assert list(tmp_path.iterdir()) == []


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    body = "sys.argv = ['ddax', '--help']; import runpy; runpy.run_module('ddax', run_name='__main__')"
    seen = watch(body, tmp_path)
    assert [event for event in seen["opened"] if event[0].startswith("socket.")] == []
    assert not set(HEAVY) & set(seen["modules"])
    assert list(tmp_path.iterdir()) == []


def test_importing_the_graph_opens_no_socket_and_has_no_checkpointer(tmp_path: Path) -> None:
    body = "from ddax.graph.builder import graph; assert graph.checkpointer is None"
    seen = watch(body, tmp_path)
    outside = [event for event in seen["opened"] if event[0] in ("socket.connect", "socket.getaddrinfo")]
    assert outside == []
    assert list(tmp_path.iterdir()) == []

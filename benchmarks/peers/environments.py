"""An environment for each peer, made once with what the index publishes, and used again.

They lie in the user's cache (`DDAX_PEERS` names another folder), so that every checkout shares them.
Nothing of ours is in them, and nothing in them is changed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


class Failed(Exception):
    """Say that a peer's run came to no end, with its last words."""


class NotInstalled(Failed):
    """Say that a peer's environment could not be made, and what was said to it."""


@dataclass(frozen=True)
class Wanted:
    """What an environment holds: requirements, those of them taken without what they depend on, variables."""

    packages: tuple[str, ...]
    bare: tuple[str, ...] = ()
    python: str = sys.executable
    env: Mapping[str, str] = field(default_factory=dict)


QUIET = {"ANONYMIZED_TELEMETRY": "False", "MEM0_TELEMETRY": "False", "HF_HUB_OFFLINE": "1"}
LANGGRAPH = ("langgraph==1.2.22", "langchain-openai>=1.7", "langgraph-checkpoint-sqlite==3.1.2")
WANTED: Mapping[str, Wanted] = {
    "langgraph": Wanted(LANGGRAPH),
    "langchain": Wanted((*LANGGRAPH, "langchain>=1.0,<2")),  # `create_agent`
    "deepagents": Wanted((*LANGGRAPH, "deepagents==0.7.32")),
    "smolagents": Wanted(("smolagents[openai]==1.26.0",)),
    "tree-of-thoughts": Wanted(("tree-of-thoughts-llm==0.1.0",)),
    # It asks for torch, transformers and bitsandbytes (gigabytes) for its local model alone.
    "graph-of-thoughts": Wanted(("backoff", "openai<1", "numpy<2"), ("graph-of-thoughts==0.0.2",)),
    "treequest": Wanted(("treequest==0.3.3", "openai>=2")),
    "openevolve": Wanted(("openevolve==0.4.0",)),
    "old-pymdp": Wanted(("inferactively-pymdp==0.0.7.1",)),
    "mem0": Wanted(("mem0ai==2.2.1",)),
    "agentdojo": Wanted(("agentdojo==0.1.35",)),  # no peer: the benchmark of injections, kept apart like one
    "gpt-researcher": Wanted(("gpt-researcher==0.16.1",), python="3.12"),
}


def folder() -> Path:
    """Return where the environments lie."""
    named = os.environ.get("DDAX_PEERS")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(named) if named else cache / "ddax" / "peers"


def python_of(name: str) -> str:
    """Return the interpreter of a peer's environment, made where there is none; raises NotInstalled."""
    wanted = WANTED[name]
    place = folder() / f"{name}-py{sys.version_info.major}{sys.version_info.minor}"
    python, mark = place / ".venv" / "bin" / "python", place / "ready.json"
    asked = json.dumps([wanted.packages, wanted.bare])
    if mark.is_file() and mark.read_text("utf-8") == asked and python.is_file():
        return str(python)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    _make(place / ".venv", wanted.python)
    _install(str(python), wanted.packages)
    if wanted.bare:
        _install(str(python), wanted.bare, "--no-deps")
    mark.write_text(asked, "utf-8")
    return str(python)


def versions(name: str) -> dict[str, str]:
    """Return what the environment of a peer holds of what was asked for, by distribution."""
    wanted = WANTED[name]
    names = [_distribution(one) for one in (*wanted.bare, *wanted.packages)]
    code = (
        "import json, sys, platform; from importlib.metadata import version;"
        "print(json.dumps({'python': platform.python_version(), **{n: version(n) for n in sys.argv[1:]}}))"
    )
    done = subprocess.run([python_of(name), "-c", code, *names], capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(done.stdout)
    return found


def _distribution(requirement: str) -> str:
    name = requirement
    for sign in "[=<>,":
        name = name.split(sign)[0]
    return name


def _uv() -> str | None:
    beside = Path(sys.executable).parent / "uv"
    return str(beside) if beside.is_file() else shutil.which("uv")


def _make(place: Path, python: str) -> None:
    uv, named = _uv(), _interpreter(python)
    _call([uv, "venv", "--quiet", "--python", named, str(place)] if uv else [named, "-m", "venv", str(place)])


def _interpreter(python: str) -> str:
    """Return a Python of this machine of a version, also one that pyenv holds and does not show."""
    if os.path.isabs(python):
        return python
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    held = sorted(map(str, versions.glob(f"{python}.*/bin/python{python}")))
    for named in (*held[-1:], shutil.which(f"python{python}")):
        if named and subprocess.run([named, "--version"], capture_output=True, check=False).returncode == 0:
            return named
    raise NotInstalled(f"it needs Python {python}, which is not on this machine")


def _install(python: str, packages: tuple[str, ...], *more: str) -> None:
    uv = _uv()
    # Compiled at once, as pip does unasked: the first run would pay for it with the peer's import.
    pip = [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", python] if uv else [
        python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"
    ]  # fmt: skip
    _call([*pip, *more, *packages])


def _call(words: list[str]) -> None:
    done = subprocess.run(["nice", *words] if shutil.which("nice") else words,
                          capture_output=True, text=True, check=False)  # fmt: skip
    if done.returncode:
        raise NotInstalled(" ".join(done.stderr.split())[-500:])

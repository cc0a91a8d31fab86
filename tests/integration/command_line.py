"""Call ddax as a user does: a process of its own, with an environment that holds nothing of ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

SECONDS = 120
KEPT = ("PATH", "LD_LIBRARY_PATH", "PYTHONPATH")
"""How the Python and the checkout under test are found."""
QUIET = {"LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", "CUDA_VISIBLE_DEVICES": ""}
QUESTION = "In which city was the architect of the Corvane Tower born?"
PAGES = {
    "tower": "# Corvane Tower\n\nThe Corvane Tower is in Belmark. "
    "The architect of the Corvane Tower was Ilse Maran.\n",
    "ilse": "# Ilse Maran\n\nThe architect Ilse Maran was born in the city of Trondby.\n",
    "trondby": "# Trondby\n\nTrondby is a port city in the north. Its harbour was built in 1712.\n",
}
FORKING = """
import gc, json, os, sys
import chromadb.api.rust
import ddax.actions.web.opening, ddax.cli.running.work, ddax.environments.pilot.orders.grammar
import ddax.graph.session.collaborators
import ddax.graph.runner, ddax.graph.savers.sqlite, ddax.memory.store.chroma, ddax.memory.store.namespace
import ddax.reasoning.embedded.reasoner, ddax.reasoning.factory
from ddax.__main__ import main

gc.freeze()  # what is looked at for cycles is copied, by each process anew
for line in sys.stdin:
    call = json.loads(line)
    child = os.fork()
    if not child:
        for number, name in enumerate(call["streams"]):
            opened = os.open(name, os.O_RDWR | os.O_CREAT)
            os.dup2(opened, number)
            os.close(opened)
        os.chdir(call["cwd"])
        os.environ.clear()
        os.environ.update(call["env"])
        sys.argv = ["ddax", *call["argv"]]
        main()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@dataclass(frozen=True)
class Done:
    """How a call ended."""

    code: int
    out: str
    err: str

    @property
    def object(self) -> dict[str, Any]:
        """Return the one JSON object on stdout; anything before or behind it is an error."""
        value, end = json.JSONDecoder().raw_decode(self.out)
        assert self.out[end:] == "\n", f"more than one object: {self.out[end:][:300]!r}"
        assert isinstance(value, dict)
        return value

    @property
    def words(self) -> str:
        """Return what the error object says."""
        error = self.object["error"]
        return " ".join((error["what"], error["why"], error["mend"]))


class Loaded:
    """A process that has loaded ddax; that of each call is forked from it, and loads nothing anew.

    What is forked is a process of its own, with its words, environment, folder and streams. What a start
    itself does, and what another process does to it, is seen of `Place.start` alone.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._turn, self._calls = folder, threading.Lock(), count()
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        self._process = subprocess.Popen(
            [sys.executable, "-c", FORKING], env={**kept, **QUIET}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def call(self, *args: str | bytes, cwd: Path, env: Mapping[str, str], stdin: bytes | None = None) -> Done:
        """Call and wait for the end."""
        assert self._process.stdin is not None and self._process.stdout is not None
        number = next(self._calls)
        given, out, err = (self._folder / f"{number}.{name}" for name in ("in", "out", "err"))
        given.write_bytes(stdin or b"")
        asked = {
            "argv": [*map(os.fsdecode, args)], "cwd": str(cwd), "env": dict(env),
            "streams": [str(given), str(out), str(err)],
        }  # fmt: skip
        with self._turn:
            print(json.dumps(asked), file=self._process.stdin, flush=True)
            code = self._process.stdout.readline()
        assert code, "the process that had loaded ddax has ended"
        return Done(int(code), *(stream.read_text("utf-8", "replace") for stream in (out, err)))

    def end(self) -> None:
        """End the process."""
        self._process.communicate(timeout=SECONDS)


def write_pages(folder: Path) -> None:
    """Write a file for each page into a folder that is there."""
    for name, text in PAGES.items():
        (folder / f"{name}.md").write_text(text)


class Place:
    """A working folder with a small source in it; every home below it is one of its own."""

    def __init__(self, root: Path, loaded: Loaded | None = None) -> None:
        self.root, self.docs, self._loaded = root, root / "docs", loaded
        self.user, self.scratch = root / "user", root / "scratch"
        for folder in (self.docs, self.user, self.scratch):
            folder.mkdir(parents=True)
        write_pages(self.docs)

    def env(self, home: Path | str, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the environment of a call: no key, no setting, its own HOME and TMPDIR."""
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        own = {"HOME": str(self.user), "TMPDIR": str(self.scratch), "DDAX_HOME": str(home)}
        return {**kept, **own, **QUIET, **(more or {})}

    def start(
        self,
        home: Path | str,
        *args: str | bytes,
        env: Mapping[str, str] | None = None,
        before: Sequence[str] = (),
        **how: Any,
    ) -> Any:
        """Start a call, behind the words `before`, and return its process."""
        command: Sequence[str | bytes] = [*before, sys.executable, "-m", "ddax", *args]
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
        return subprocess.Popen(command, cwd=self.root, env=self.env(home, env), **streams)

    def call(
        self,
        home: Path | str,
        *args: str | bytes,
        stdin: bytes | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Done:
        """Call and wait for the end; where ddax is loaded already, the process is forked from that."""
        if self._loaded is not None:
            return self._loaded.call(*args, cwd=self.root, env=self.env(home, env), stdin=stdin)
        stream = subprocess.PIPE if stdin is not None else subprocess.DEVNULL
        return ended(self.start(home, *args, env=env, stdin=stream), stdin)

    def calls(self, cases: Mapping[str, Callable[[], Done]]) -> dict[str, Done]:
        """Make independent calls, two at a time."""
        with ThreadPoolExecutor(2) as pool:
            return dict(zip(cases, pool.map(lambda case: case(), cases.values()), strict=True))


def ended(process: Any, stdin: bytes | None = None) -> Done:
    """Wait for the end of a process."""
    try:
        out, err = process.communicate(stdin, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()  # else what it left open is told of the test behind
        raise
    return Done(process.returncode, out.decode(errors="replace"), err.decode(errors="replace"))


def until(process: Any, sign: str) -> str:
    """Read the lines of a running call up to one that holds the sign."""
    seen = ""
    for raw in process.stdout:
        line = raw.decode(errors="replace")
        seen += line
        if sign in line:
            return seen
    raise AssertionError(f"ended before {sign!r}: {seen}\n{process.stderr.read().decode(errors='replace')}")


def manifest(home: Path, thread: str) -> dict[str, Any]:
    """Return the manifest of a thread."""
    value = json.loads((home / "runs" / thread / "run.json").read_text())
    assert isinstance(value, dict)
    return value

"""pymdp in a process of its own: its import takes seconds and must not hold up the run.

The child is `python -m ddax.metacognition`, spoken to in JSON lines; it ends when its input does, so
none outlives the run. Only a child that has answered its first cycle is used.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from ddax.errors import DdaxError
from ddax.metacognition.twin import Thought
from ddax.types import Vector

PATIENCE_SECONDS = 5.0
"""How long a child that is ready may think about one cycle of less than a millisecond."""
KEPT = ("PATH", "HOME", "TMPDIR", "LANG", "SYSTEMROOT", "JAX_COMPILATION_CACHE_DIR", "PYTHONPATH")
"""What of the environment the child needs; no key of anybody's."""


MEND = "Set mood.engine to 'numpy', which computes the same in this process, or to 'auto'."


class Child:
    """The engine `pymdp` behind a pipe; `ready()` says whether it answers already."""

    name = "pymdp"

    def __init__(self, *, policy_len: int, matrices: Path | None = None) -> None:
        arguments = ["--engine", "pymdp", "--policy-len", str(policy_len), "--nice", "10"]
        if matrices is not None:
            arguments += ["--matrices", str(matrices)]
        self._process = subprocess.Popen(  # noqa: S603  # our own module, in our own interpreter
            [sys.executable, "-P", "-m", "ddax.metacognition", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )
        self._rest = b""
        self._ready = False
        self._send([0.25] * 4, 0)

    def ready(self) -> bool:
        """Tell, without waiting, whether the child has answered; raises `DdaxError` if it has died."""
        if not self._ready and self._readable(0.0):
            self._answer()
            self._ready = True
        return self._ready

    def wait(self, seconds: float) -> bool:
        """Wait for the child to be ready; for tests and benchmarks, never in a run."""
        return self.ready() or (self._readable(seconds) and self.ready())

    def cycle(self, prior: Vector, observation: int) -> Thought:
        """Infer the state and choose an action in the child; raises `DdaxError` where it is gone."""
        self._send(prior.tolist(), observation)
        if not self._readable(PATIENCE_SECONDS):
            raise DdaxError(
                f"The process of pymdp did not answer within {PATIENCE_SECONDS:g} s.",
                why="The machine is busy, or the process hangs.",
                mend=MEND,
            )
        reply = self._answer()
        return Thought(
            np.asarray(reply["belief"]), int(reply["action"]), np.asarray(reply["prior"]),
            np.asarray(reply["values"]),
        )  # fmt: skip

    def close(self) -> None:
        """End the child."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                _close(stream)

    def _send(self, prior: list[float], observation: int) -> None:
        line = json.dumps({"prior": prior, "index": observation}) + "\n"
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()
        except OSError as error:
            raise DdaxError("The process of pymdp has ended.", why=f"{error}.", mend=MEND) from error

    def _readable(self, seconds: float) -> bool:
        assert self._process.stdout is not None
        if self._rest:
            return True
        ear = select.poll()  # unlike select() it takes file numbers above 1024
        ear.register(self._process.stdout, select.POLLIN | select.POLLHUP)
        return bool(ear.poll(seconds * 1000))

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        while b"\n" not in self._rest:
            more = os.read(self._process.stdout.fileno(), 65536)
            if not more:
                raise DdaxError(
                    "The process of pymdp has ended.",
                    why="What it says is shown by: python -m ddax.metacognition --engine pymdp",
                    mend=MEND,
                )
            self._rest += more
        line, self._rest = self._rest.split(b"\n", 1)
        reply: dict[str, Any] = json.loads(line)
        if "error" in reply:
            raise DdaxError("The process of pymdp could not think.", why=str(reply["error"]), mend=MEND)
        return reply


def _environment() -> dict[str, str]:
    """Return the child's environment, in which it finds this very package."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    here = str(Path(__file__).resolve().parents[2])
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, (here, kept.get("PYTHONPATH", ""))))}


def _close(stream: Any) -> None:
    try:
        stream.close()
    except BrokenPipeError:
        return  # what was left to flush has no reader any more

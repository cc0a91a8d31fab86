"""The child process that serves a GGUF file in OpenAI's protocol, and the handle we keep of it.

A process of its own, so that native code can neither take ours down nor write to its output. It ends
when its standard input closes, and so whenever we do.
"""

from __future__ import annotations

import importlib.util
import os
import select
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from ddax.cores import usable_cores
from ddax.errors import ReasonerError, UsageError

START_SECONDS = 120.0
PACKAGE = "xllamacpp"
_ENVIRONMENT = (
    "PATH",
    "PYTHONPATH",
    "LD_LIBRARY_PATH",
    "LANG",
    "TMPDIR",
    "VIRTUAL_ENV",
    "CUDA_VISIBLE_DEVICES",
)


def threads() -> int:
    """Return the threads for the model: half the cores, since spinning ones slow each other down."""
    return max(1, min(8, usable_cores() // 2))


class LocalServer:
    """A served GGUF file; `address` is the base URL. Raises `UsageError` for a file that is none."""

    def __init__(self, path: Path) -> None:
        _check(path)
        self.path = path
        # What the native code writes is kept, to say why it did not start.
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as the child)
        self._closing = threading.Lock()
        kept = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        self._child = subprocess.Popen(  # noqa: S603 (our own interpreter)
            [sys.executable, "-m", "ddax.reasoning.local.child", str(path), str(threads())],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, text=True, env=kept,
        )  # fmt: skip
        try:
            self.address = self._started()
        except BaseException:
            self.close()
            raise

    def _started(self) -> str:
        out = self._child.stdout
        ready = out is not None and select.select([out], [], [], START_SECONDS)[0]
        line = out.readline().strip() if out is not None and ready else ""
        if not line.startswith("http://"):
            raise ReasonerError(
                f"the model file {self.path.name!r} cannot be served.",
                why=self._last_words() or f"It was not ready within {START_SECONDS:.0f} s.",
                mend="Check that it is a whole GGUF file of a chat model, and that it fits the memory.",
            )
        return f"{line}/v1"

    def _last_words(self) -> str:
        self._log.seek(0)
        said = self._log.read()[-2000:].decode("utf-8", "replace").strip().splitlines()
        return said[-1][:300] if said else ""

    @property
    def alive(self) -> bool:
        """Say whether the child still runs."""
        return not self._log.closed and self._child.poll() is None

    def context_tokens(self) -> int:
        """Return the tokens of a request and its reply together; 0 where the server does not say."""
        import json
        import urllib.request

        address = self.address.removesuffix("/v1") + "/props"
        try:
            with urllib.request.urlopen(address, timeout=10) as reply:  # noqa: S310 (a child of ours)
                told = json.load(reply)
        except (OSError, ValueError):
            return 0
        settings = told.get("default_generation_settings") if isinstance(told, dict) else None
        size = settings.get("n_ctx") if isinstance(settings, dict) else None
        return size if isinstance(size, int) else 0

    def close(self) -> None:
        """Stop the child; safe to call twice."""
        with self._closing:
            if self._log.closed:
                return
            for pipe in (self._child.stdin, self._child.stdout):
                if pipe is not None:
                    pipe.close()
            try:
                self._child.wait(5)
            except subprocess.TimeoutExpired:
                self._child.kill()
                self._child.wait()
            self._log.close()


def _check(path: Path) -> None:
    if importlib.util.find_spec(PACKAGE) is None:
        raise ReasonerError(
            "the package for a local model is not installed.",
            why="It comes with an extra, which is not installed.",
            mend="Install it: pip install 'ddax[local]'.",
        )
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise UsageError(
            f"the model file {str(path)!r} cannot be read.", why=f"{error.strerror or error}.",
            mend="Write: --model gguf:PATH/TO/MODEL.gguf",
        ) from error  # fmt: skip
    if magic != b"GGUF":
        raise UsageError(
            f"{str(path)!r} is no GGUF file.",
            why="It does not begin as one.",
            mend="Write: --model gguf:PATH/TO/MODEL.gguf",
        )

"""The back end for machines without bubblewrap: namespaces by ``unshare``, files by Landlock.

The same box is built by a small program of ours (`inside/launch.py`): a root of its own, nobody inside,
no capabilities, no network, the same filter of system calls; Landlock forbids all other files once more.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Mapping
from importlib.resources import files as resources

from ddax.errors import SandboxError
from ddax.evolution.sandbox.protocol import Limits
from ddax.evolution.sandbox.rebind import data_fd, environment, launch, rebound
from ddax.evolution.sandbox.runtime import NOBODY, PYTHON_HOME, Runtime, find_runtime
from ddax.evolution.sandbox.seccomp import build_filter

INSTALL = "Install util-linux, on a kernel with Landlock (5.13 or newer) and user namespaces."
_MIB = 1 << 20
_NAMESPACES = ("--map-root-user", "--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child")


class UnshareLandlock:
    """Starts processes under ``unshare`` and Landlock; needs Linux ≥ 5.13 and user namespaces."""

    name = "unshare+landlock"

    def __init__(self, runtime: Runtime | None = None) -> None:
        self.runtime = runtime or find_runtime()
        self.unshare = shutil.which("unshare") or ""

    def start(self, code: str, files: Mapping[str, str], *, limits: Limits) -> subprocess.Popen[bytes]:
        """Start `python -c code` in the box; see Sandbox.start."""
        if not self.unshare:
            raise SandboxError(
                "Unshare is not installed.",
                why="There is no program `unshare` on the PATH, and candidates run inside of it alone.",
                mend=INSTALL,
            )
        prefix, binds = rebound(self.runtime)
        order = self._order(code, files, limits, binds)
        fd = data_fd(json.dumps(order).encode())
        program = resources("ddax.evolution.inside").joinpath("launch.py").read_text("utf-8")
        try:
            python, variables = self._host_python(binds)
            argv = [
                *prefix, self.unshare, *_NAMESPACES, "--", "/usr/bin/env", *variables,
                python, "-I", "-S", "-B", "-c", program, str(fd),
            ]  # fmt: skip
            return launch(argv, (fd,), hidden=self.runtime.hidden, mend=INSTALL)
        finally:
            os.close(fd)

    def _host_python(self, binds: list[tuple[str, str]]) -> tuple[str, list[str]]:
        """Return the interpreter that builds the box, as it is reached before the box stands."""
        for host, inside in binds:
            if inside == PYTHON_HOME:
                return self.runtime.python.replace(PYTHON_HOME, host, 1), [f"LD_LIBRARY_PATH={host}/lib"]
        return self.runtime.python, []

    def _order(
        self, code: str, files: Mapping[str, str], limits: Limits, binds: list[tuple[str, str]]
    ) -> dict[str, object]:
        filter_ = build_filter()
        links = [("usr/lib", "/lib"), ("usr/bin", "/bin")]
        links += [("usr/lib64", "/lib64")] if os.path.isdir("/usr/lib64") else []
        return {
            "binds": [("/usr", "/usr"), *binds],
            "links": links,
            "files": dict(files),
            "scratch": limits.scratch * _MIB,
            "limits": {
                "RLIMIT_NPROC": limits.processes,
                "RLIMIT_FSIZE": limits.file * _MIB,
                "RLIMIT_NOFILE": limits.files,
                "RLIMIT_CORE": 0,
            },
            "uid": NOBODY,
            "seccomp": b64encode(filter_).decode() if filter_ else "",
            "argv": [self.runtime.python, "-S", "-s", "-P", "-B", "-c", code],
            "env": environment(limits, binds),
        }

"""The bubblewrap back end, hardened: no environment, no host files, no network, no privileges."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping

from ddax.errors import SandboxError
from ddax.evolution.sandbox.protocol import Limits
from ddax.evolution.sandbox.rebind import data_fd, environment, launch, rebound
from ddax.evolution.sandbox.runtime import NOBODY, Runtime, find_runtime
from ddax.evolution.sandbox.seccomp import build_filter

INSTALL = "Install it: apt install bubblewrap (or dnf, pacman, apk add bubblewrap)."
_MIB = 1 << 20


class Bubblewrap:
    """Starts processes under ``bwrap``; needs Linux and unprivileged user namespaces."""

    name = "bubblewrap"

    def __init__(self, runtime: Runtime | None = None) -> None:
        self.runtime = runtime or find_runtime()
        self.bwrap = shutil.which("bwrap") or ""

    def _isolation(self, limits: Limits) -> list[str]:
        scratch = str(limits.scratch * _MIB)
        args = [
            "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session",
            "--clearenv", "--cap-drop", "ALL", "--uid", str(NOBODY), "--gid", str(NOBODY),
            "--hostname", "box", "--ro-bind", "/usr", "/usr",
            "--symlink", "usr/lib", "/lib", "--symlink", "usr/bin", "/bin",
        ]  # fmt: skip
        if os.path.isdir("/usr/lib64"):
            args += ["--symlink", "usr/lib64", "/lib64"]
        args += ["--proc", "/proc", "--dev", "/dev", "--size", str(16 * _MIB), "--tmpfs", "/dev/shm"]  # noqa: S108
        for folder in ("/tmp", "/box"):  # noqa: S108 - a folder of the sandbox itself
            args += ["--size", scratch, "--tmpfs", folder]
        for key, value in environment(limits, self.runtime.binds).items():
            args += ["--setenv", key, value]
        return args

    def start(self, code: str, files: Mapping[str, str], *, limits: Limits) -> subprocess.Popen[bytes]:
        """Start `python -c code` in the hardened profile; see Sandbox.start."""
        if not self.bwrap:
            raise SandboxError(
                "Bubblewrap is not installed.",
                why="There is no program `bwrap` on the PATH, and candidates run inside of it alone.",
                mend=INSTALL,
            )
        fds: list[int] = []
        prefix, binds = rebound(self.runtime)
        try:
            argv = [*prefix, self.bwrap, *self._isolation(limits)]
            for host, inside in binds:
                argv += ["--ro-bind", host, inside]
            for name, text in files.items():
                fds.append(data_fd(text.encode()))
                argv += ["--ro-bind-data", str(fds[-1]), f"/ddax/{name}"]
            program = build_filter()
            if program is not None:
                fds.append(data_fd(program))
                argv += ["--seccomp", str(fds[-1])]
            argv += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/box"]
            argv += self._command(code, limits)
            return launch(argv, tuple(fds), hidden=self.runtime.hidden, mend=INSTALL)
        finally:
            for fd in fds:
                os.close(fd)

    def _command(self, code: str, limits: Limits) -> list[str]:
        # The worker outlives its candidates: its own memory and processor time are theirs to bound.
        return [
            "prlimit", f"--nproc={limits.processes}", f"--fsize={limits.file * _MIB}",
            f"--nofile={limits.files}", "--core=0", self.runtime.python, "-S", "-s", "-P", "-B", "-c", code,
        ]  # fmt: skip

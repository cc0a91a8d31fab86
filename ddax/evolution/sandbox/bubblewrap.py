"""The bubblewrap back end, hardened: no environment, no host files, no network, no privileges."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping

from ddax.errors import SandboxError
from ddax.evolution.sandbox.protocol import Limits
from ddax.evolution.sandbox.runtime import NOBODY, PYTHON_HOME, Runtime, find_runtime
from ddax.evolution.sandbox.seccomp import build_filter

INSTALL = "Install it: apt install bubblewrap (or dnf, pacman, apk add bubblewrap)."
_MIB = 1 << 20
_NEUTRAL = "/mnt"
"""Covered by a tmpfs in a mount namespace of our own; the host's folder is not touched."""

_REBIND = """
set -e
mount -t tmpfs -o mode=755 ddax "$1"; shift
while [ "$1" != -- ]; do mkdir -p "$2"; mount --bind "$1" "$2"; shift 2; done
shift
exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --no-new-privs "$@"
"""


def _data_fd(data: bytes) -> int:
    fd = os.memfd_create("ddax")
    os.write(fd, data)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


class Bubblewrap:
    """Starts processes under ``bwrap``; needs Linux and unprivileged user namespaces."""

    name = "bubblewrap"

    def __init__(self, runtime: Runtime | None = None) -> None:
        self.runtime = runtime or find_runtime()
        self.bwrap = shutil.which("bwrap") or ""

    def _isolation(self, limits: Limits) -> list[str]:
        scratch = str(limits.scratch * _MIB)
        args = [
            "--unshare-all",
            "--unshare-user",
            "--disable-userns",
            "--die-with-parent",
            "--new-session",
            "--clearenv",
            "--cap-drop",
            "ALL",
            "--uid",
            str(NOBODY),
            "--gid",
            str(NOBODY),
            "--hostname",
            "box",
            "--ro-bind",
            "/usr",
            "/usr",
            "--symlink",
            "usr/lib",
            "/lib",
            "--symlink",
            "usr/bin",
            "/bin",
        ]
        if os.path.isdir("/usr/lib64"):
            args += ["--symlink", "usr/lib64", "/lib64"]
        args += ["--proc", "/proc", "--dev", "/dev", "--size", str(16 * _MIB), "--tmpfs", "/dev/shm"]  # noqa: S108
        for folder in ("/tmp", "/box"):  # noqa: S108 - a folder of the sandbox itself
            args += ["--size", scratch, "--tmpfs", folder]
        for key, value in (
            ("PATH", "/usr/bin:/bin"),
            ("HOME", "/box"),
            ("LANG", "C.UTF-8"),
            ("PYTHONHASHSEED", "0"),
            ("OMP_NUM_THREADS", "1"),
            ("OPENBLAS_NUM_THREADS", "1"),
        ):
            args += ["--setenv", key, value]
        return args

    def _rebound(self) -> tuple[list[str], list[tuple[str, str]]]:
        places = [(host, f"{_NEUTRAL}/{i}", inside) for i, (host, inside) in enumerate(self.runtime.binds)]
        wrapper = [
            "unshare",
            "--mount",
            "--propagation",
            "private",
            "--",
            "/bin/sh",
            "-c",
            _REBIND,
            "sh",
            _NEUTRAL,
        ]
        for host, place, _ in places:
            wrapper += [host, place]
        return [*wrapper, "--"], [(place, inside) for _, place, inside in places]

    def start(self, code: str, files: Mapping[str, str], *, limits: Limits) -> subprocess.Popen[bytes]:
        """Start `python -c code` in the hardened profile; see Sandbox.start."""
        if not self.bwrap:
            raise SandboxError("bubblewrap is not installed.", mend=INSTALL)
        fds: list[int] = []
        prefix, binds = self._rebound() if self.runtime.hidden else ([], list(self.runtime.binds))
        try:
            argv = [*prefix, self.bwrap, *self._isolation(limits)]
            for host, inside in binds:
                argv += ["--ro-bind", host, inside]
                if inside == PYTHON_HOME:
                    argv += ["--setenv", "LD_LIBRARY_PATH", f"{PYTHON_HOME}/lib"]
            for name, text in files.items():
                fds.append(_data_fd(text.encode()))
                argv += ["--ro-bind-data", str(fds[-1]), f"/ddax/{name}"]
            program = build_filter()
            if program is not None:
                fds.append(_data_fd(program))
                argv += ["--seccomp", str(fds[-1])]
            argv += [
                "--remount-ro",
                "/dev",
                "--remount-ro",
                "/",
                "--chdir",
                "/box",
                *self._command(code, limits),
            ]
            return self._popen(argv, tuple(fds))
        finally:
            for fd in fds:
                os.close(fd)

    def _command(self, code: str, limits: Limits) -> list[str]:
        # The worker outlives its candidates: its own memory and processor time are theirs to bound.
        return [
            "prlimit",
            f"--nproc={limits.processes}",
            f"--fsize={limits.file * _MIB}",
            f"--nofile={limits.files}",
            "--core=0",
            self.runtime.python,
            "-S",
            "-s",
            "-P",
            "-B",
            "-c",
            code,
        ]

    def _popen(self, argv: list[str], fds: tuple[int, ...]) -> subprocess.Popen[bytes]:
        hidden = self.runtime.hidden
        who = NOBODY if os.geteuid() == 0 and not hidden else None
        try:
            return subprocess.Popen(  # noqa: S603 - a fixed command
                argv,
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"} if hidden else {},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=fds,
                start_new_session=True,
                cwd="/",
                user=who,
                group=who,
                extra_groups=None if who is None else (),
            )
        except OSError as error:
            raise SandboxError("The sandbox did not start.", why=str(error), mend=INSTALL) from error

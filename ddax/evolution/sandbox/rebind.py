"""What the back ends share: reaching an interpreter under a closed home, and starting as nobody."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable

from ddax.errors import SandboxError
from ddax.evolution.sandbox.protocol import Limits
from ddax.evolution.sandbox.runtime import NOBODY, PYTHON_HOME, Runtime

NEUTRAL = ("/mnt", "/media", "/boot", "/home")
"""One of these is covered by a tmpfs in a mount namespace of our own; the host's folder is not touched."""

_REBIND = """
set -e
mount -t tmpfs -o mode=755 ddax "$1"; shift
while [ "$1" != -- ]; do mkdir -p "$2"; mount --bind "$1" "$2"; shift 2; done
shift
exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --no-new-privs "$@"
"""


def environment(limits: Limits, binds: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return all variables that a program in the sandbox sees."""
    found = {
        "PATH": "/usr/bin:/bin", "HOME": "/box", "LANG": "C.UTF-8", "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1", "PYTHONHASHSEED": str(limits.hash_seed),
    }  # fmt: skip
    there = any(inside == PYTHON_HOME for _, inside in binds)
    return found | ({"LD_LIBRARY_PATH": f"{PYTHON_HOME}/lib"} if there else {})


def data_fd(data: bytes) -> int:
    """Return a descriptor at the beginning of a file in memory that holds the data."""
    fd = os.memfd_create("ddax")
    os.write(fd, data)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def rebound(runtime: Runtime) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the words before a command that make the binds reachable, and where they are then."""
    if not runtime.hidden:
        return [], list(runtime.binds)
    free = (
        place for place in NEUTRAL
        if os.path.isdir(place) and not any(f"{host}/".startswith(f"{place}/") for host, _ in runtime.binds)
    )  # fmt: skip
    if not (neutral := next(free, "")):
        why = f"The repair reads from each of {', '.join(NEUTRAL)} that there is."
        raise SandboxError("No folder can be covered for the sandbox.", why=why, mend="Make a folder /mnt.")
    places = [(host, f"{neutral}/{i}", inside) for i, (host, inside) in enumerate(runtime.binds)]
    shell = ["/bin/sh", "-c", _REBIND, "sh", neutral]
    wrapper = ["unshare", "--mount", "--propagation", "private", "--", *shell]
    for host, place, _ in places:
        wrapper += [host, place]
    return [*wrapper, "--"], [(place, inside) for _, place, inside in places]


def launch(argv: list[str], fds: tuple[int, ...], *, hidden: bool, mend: str) -> subprocess.Popen[bytes]:
    """Start a back end's command with two pipes and an empty environment, never as root."""
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
        raise SandboxError("The sandbox did not start.", why=str(error), mend=mend) from error

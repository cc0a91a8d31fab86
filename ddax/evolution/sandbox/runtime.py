"""Finds the Python to run inside a sandbox and where its files must be bound.

The interpreter in use may lie where the sandbox's user cannot reach it (under a home of mode 700).
Root then first binds it to a neutral path in a mount namespace of its own.
"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from ddax.errors import UsageError

NOBODY = 65534
PYTHON_HOME, SITE_HOME = "/opt/python", "/opt/site"
OLDEST = (3, 11)
_QUESTION = (
    "import json, sys, sysconfig; print(json.dumps(['%d.%d' % sys.version_info[:2], sys.base_prefix,"
    " sysconfig.get_paths()['purelib']]))"
)


@dataclass(frozen=True)
class Runtime:
    """The interpreter `python` inside, `binds` of (host path, path inside), extra import folders.

    `hidden` says that user 65534 cannot reach a bind's source; `host` is the interpreter's name outside.
    """

    python: str
    binds: tuple[tuple[str, str], ...]
    path: tuple[str, ...]
    hidden: bool
    host: str = ""


def reachable(path: str) -> bool:
    """Say whether any user may read and enter a folder and all its parents."""
    here = Path(path).resolve()
    return all(stat.S_IMODE(p.stat().st_mode) & 0o1 for p in (here, *here.parents)) and bool(
        stat.S_IMODE(here.stat().st_mode) & 0o4
    )


def _describe(python: str | None) -> tuple[str, str, str]:
    """Return version, base prefix and package folder of an interpreter; raises UsageError."""
    if python is None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        return version, os.path.realpath(sys.base_prefix), os.path.realpath(sysconfig.get_paths()["purelib"])
    try:
        done = subprocess.run(  # noqa: S603 - the interpreter that the user named
            [python, "-c", _QUESTION], capture_output=True, timeout=20, check=True, text=True
        )
        version, base, site = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise UsageError(
            f"{python!r} is no Python that runs.",
            why=_why_not(error),
            mend="Name another by --python, or leave it out: then it is the Python that runs ddax.",
        ) from error
    if tuple(map(int, version.split("."))) < OLDEST:
        raise UsageError(
            f"{python!r} is Python {version}; at least 3.11 is needed.",
            why="What runs the candidates is written for 3.11.",
            mend="Name a newer one by --python, or leave it out: then it is the Python that runs ddax.",
        )
    return str(version), os.path.realpath(base), os.path.realpath(site)


def _why_not(error: Exception) -> str:
    """Say in plain words why a program did not answer as a Python does."""
    if isinstance(error, subprocess.CalledProcessError):
        last = (error.stderr or "").strip().rpartition("\n")[2][:200]
        said = f": {last}" if last else "."
        return f"Asked for its version, it ends with exit code {error.returncode}{said}"
    if isinstance(error, subprocess.TimeoutExpired):
        return f"Asked for its version, it gives no answer within {error.timeout:g} s."
    if isinstance(error, OSError):
        return f"It cannot be started: {error.strerror or error}."
    return "Asked for its version, it answers with something else."


def find_runtime(python: str | None = None) -> Runtime:
    """Describe an interpreter (default: the running one) and its installed packages for use inside."""
    host = python or sys.executable
    version, base, site = _describe(python)
    binds: list[tuple[str, str]] = []
    if base.startswith("/usr"):
        python = f"{base}/bin/python{version}"
    else:
        python = f"{PYTHON_HOME}/bin/python{version}"
        binds.append((base, PYTHON_HOME))
    path: tuple[str, ...] = ()
    if site.startswith(base + os.sep):
        path = (site if base.startswith("/usr") else PYTHON_HOME + site[len(base) :],)
    elif os.path.isdir(site):
        binds.append((site, SITE_HOME))
        path = (SITE_HOME,)
    hidden = os.geteuid() == 0 and not all(reachable(host) for host, _ in binds)
    return Runtime(python, tuple(binds), path, hidden, host)

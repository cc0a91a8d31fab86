"""Start ddax from the command line; an unsupported Python gets one clear line instead of a traceback.

This file and `ddax/__init__.py` keep to syntax that Python 3.7 parses, so that the line can be printed.
"""

from __future__ import annotations

import sys

OLDEST = (3, 11)
NEWEST = (3, 13)


def wrong_python(major: int, minor: int) -> str:
    """Return the line for an unsupported Python version, or "" for a supported one."""
    if OLDEST <= (major, minor) <= NEWEST:
        return ""
    return (
        f"error: ddax needs Python {OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]}, "
        f"this is {major}.{minor} ({sys.executable}). Start it with another one."
    )


def main() -> None:
    """Run the command line and end the process with its exit code."""
    line = wrong_python(*sys.version_info[:2])
    if line:
        sys.stderr.write(line + "\n")
        raise SystemExit(2)
    from ddax.cli.main import run_command

    raise SystemExit(run_command(sys.argv[1:]))


if __name__ == "__main__":
    main()

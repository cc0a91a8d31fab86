"""Start ddax from the command line; an unsupported Python gets one clear line instead of a traceback.

This file keeps to syntax that old Pythons parse, so that the line can be printed at all.
"""

import sys

OLDEST = (3, 11)
NEWEST = (3, 13)


def wrong_python(version):  # type: (tuple[int, ...]) -> str
    """Return the line for an unsupported Python version, or "" for a supported one."""
    if OLDEST <= tuple(version[:2]) <= NEWEST:
        return ""
    return "error: ddax needs Python %d.%d to %d.%d, this is %d.%d (%s). Start it with another one." % (
        OLDEST + NEWEST + tuple(version[:2]) + (sys.executable,)
    )


def main():  # type: () -> None
    """Run the command line and end the process with its exit code."""
    line = wrong_python(sys.version_info)
    if line:
        sys.stderr.write(line + "\n")
        raise SystemExit(2)
    from ddax.cli.main import run_command

    raise SystemExit(run_command(sys.argv[1:]))


if __name__ == "__main__":
    main()

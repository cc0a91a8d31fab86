"""Start ddax from the command line; an unsupported Python gets one clear line instead of a traceback.

This file and `ddax/__init__.py` keep to syntax that Python 3.7 parses, so that the line can be printed.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import types

from ddax import wrong_python

AGAIN = 0.05
"""Seconds until a dropped interrupt is given again."""
LEAVING = 5.0
"""Seconds that an interrupted process has for closing what it holds."""


def terminate(number: int, frame: types.FrameType | None) -> None:
    """Treat a request to end like Ctrl-C, so that the run is closed in order and can be resumed."""
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, signal.SIG_DFL, None):
        raise KeyboardInterrupt  # Ctrl-C is switched off here, as for a job in the background
    signal.raise_signal(signal.SIGINT)


def leave_in_order(code: int) -> None:
    """Let no further signal change the exit code, and end the process where its threads hold it up."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    overdue = threading.Timer(LEAVING, os._exit, (code,))
    overdue.daemon = True
    overdue.start()


def stand_in_for_closed_streams() -> None:
    """Open nothing in the place of streams that are closed (`>&-`): a file of ours would get their number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  # open to the end


def look_less_for_cycles() -> None:
    """Let the garbage collector look for cycles less often.

    A full look walks every object of the libraries, and a command lives for seconds.
    """
    gc.set_threshold(100_000, 20, 20)


def signal_again(dropped: sys.UnraisableHookArgs) -> None:
    """Give a Ctrl-C again that fell where Python drops what is raised, as in a callback of an import."""
    if not issubclass(dropped.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(dropped)
        return
    again = threading.Timer(AGAIN, os.kill, (os.getpid(), signal.SIGINT))
    again.daemon = True
    again.start()


def before_the_command(exc: BaseException) -> int:
    """Report an interrupt that came while the command line itself was loaded; return the exit code."""
    from ddax.cli.errors import report

    return report(exc, json="--json" in sys.argv)


def main() -> None:
    """Run the command line and end the process with its exit code."""
    stand_in_for_closed_streams()
    line = wrong_python(*sys.version_info[:2])
    if line:
        sys.stderr.write(line + "\n")
        raise SystemExit(2)
    look_less_for_cycles()
    signal.signal(signal.SIGTERM, terminate)
    sys.unraisablehook = signal_again
    code = None
    try:
        from ddax.cli.main import run_command

        code = run_command(sys.argv[1:])
    except KeyboardInterrupt as exc:
        code = 130 if code is not None else before_the_command(exc)
    if code == 130:
        leave_in_order(code)
    raise SystemExit(code)


if __name__ == "__main__":
    main()

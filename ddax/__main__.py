"""Start ddax from the command line; an unsupported Python gets one clear line instead of a traceback.

This file and `ddax/__init__.py` keep to syntax that Python 3.7 parses, so that the line can be printed.
"""

from __future__ import annotations

import os
import sys

from ddax import TYPE_CHECKING, wrong_python

if TYPE_CHECKING:  # everything else is imported where an interrupt is told
    import types

AGAIN = 0.05
"""Seconds until a dropped interrupt is given again."""
LEAVING = 5.0
"""Seconds that an interrupted process has for closing what it holds."""
ENDS: list[int] = []
"""The exit code of a process that was interrupted."""


def terminate(number: int, frame: types.FrameType | None) -> None:
    """Treat a request to end like Ctrl-C, so that the run is closed in order and can be resumed."""
    import signal

    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, signal.SIG_DFL, None):
        raise KeyboardInterrupt  # Ctrl-C is switched off here, as for a job in the background
    signal.raise_signal(signal.SIGINT)


def heed_no_more() -> None:
    """Let no further signal disturb what is told of the first one, nor change the exit code."""
    import signal

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def leave_in_order(code: int) -> None:
    """End the process where its threads hold it up, and at last with its own exit code."""
    import threading

    ENDS.append(code)
    overdue = threading.Timer(LEAVING, os._exit, (code,))
    overdue.daemon = True
    overdue.start()


def end() -> None:
    """End an interrupted process with its code; Python ends it by the signal where that met an `exec`."""
    if not ENDS:
        return
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # its reader left
            continue
    os._exit(ENDS[0])


def stand_in_for_closed_streams() -> None:
    """Open nothing in the place of streams that are closed (`>&-`): a file of ours would get their number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  # open to the end


def look_less_for_cycles() -> None:
    """Let the garbage collector look for cycles less often.

    A full look walks every object of the libraries, and a command lives for seconds.
    """
    import gc

    from ddax.collecting import SELDOM

    gc.set_threshold(*SELDOM)


def signal_again(dropped: sys.UnraisableHookArgs) -> None:
    """Give a Ctrl-C again that fell where Python drops what is raised, as in a callback of an import."""
    if not issubclass(dropped.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(dropped)
        return
    import signal
    import threading

    again = threading.Timer(AGAIN, os.kill, (os.getpid(), signal.SIGINT))
    again.daemon = True
    again.start()


def before_the_command(exc: BaseException) -> int:
    """Report an interrupt that came while the command line itself was loaded; return the exit code."""
    heed_no_more()
    from ddax.cli.errors import report

    return report(exc, json="--json" in sys.argv)


def prepare() -> None:
    """Set up the process for a command; raises SystemExit under a Python that ddax does not run on."""
    stand_in_for_closed_streams()
    line = wrong_python(*sys.version_info[:2])
    if line:
        sys.stderr.write(line + "\n")
        raise SystemExit(2)
    import atexit
    import signal

    atexit.register(end)  # the first to be registered is the last to be called
    look_less_for_cycles()
    signal.signal(signal.SIGTERM, terminate)
    sys.unraisablehook = signal_again


def main() -> None:
    """Run the command line and end the process with its exit code."""
    code = None
    try:
        prepare()
        from ddax.cli.main import run_command

        code = run_command(sys.argv[1:], at_interrupt=heed_no_more)
    except KeyboardInterrupt as exc:
        code = 130 if code is not None else before_the_command(exc)
    if code == 130:
        leave_in_order(code)
    raise SystemExit(code)


if __name__ == "__main__":
    main()

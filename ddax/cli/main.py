"""The command line as a function from arguments to an exit code.

The parser's own messages, our errors and unexpected ones all end here, in one shape.
"""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from ddax.cli.backend import Opener
from ddax.cli.errors import Interrupted, leave_stdout, report, usage
from ddax.errors import UsageError


def run_command(
    argv: Sequence[str], *, opener: Opener | None = None, at_interrupt: Callable[[], None] = lambda: None
) -> int:
    """Run one command and return its exit code; prints everything, raises nothing.

    `at_interrupt` is called before an interrupt is told.
    """
    import typer

    from ddax.cli.app import parser

    if "_DDAX_COMPLETE" in os.environ:  # a shell asks for words; typer knows shells only after this
        import_module("typer.completion").completion_init()
    codecs.register_error(PLAIN, plainly)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets a likeness or "?", not a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=PLAIN)
    keep_logs_clean()
    flags = list(argv)[: list(argv).index("--")] if "--" in argv else list(argv)
    json, verbose = "--json" in flags, any(map(VERBOSE.match, flags))
    try:
        code = parser()(args=list(argv), prog_name="ddax", standalone_mode=False, obj=opener)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except (KeyboardInterrupt, typer.Abort):
        at_interrupt()
        return report(KeyboardInterrupt(), json=json, verbose=verbose)
    except (BrokenPipeError, SystemExit) as exc:
        if isinstance(exc, SystemExit) and not isinstance(exc.__context__, BrokenPipeError):
            raise  # the parser makes the one of the other
        leave_stdout()  # the reader (head, less) has seen enough
        return 0
    except Exception as exc:  # the outermost loop: reported with its exit code, never swallowed
        parser_error = typer.BadParameter.__mro__[1]
        if isinstance(exc, parser_error):
            if "--json" not in flags and _shows_help(exc):
                return UsageError.exit_code
            exc = usage(*_parser_words(exc))
        if isinstance(exc, Interrupted):
            at_interrupt()
        return report(exc, json=json, verbose=verbose)


VERBOSE = re.compile(r"--verbose$|-q*v")
"""The flag for tracebacks, also together with others of one letter; of these -q alone takes no value."""
PLAIN = "ddax-plain"
LIKENESS = {
    "→": "->", "←": "<-", "ρ": "rho", "ε": "eps", "γ": "gamma", "Δ": "d", "…": "...", "“": '"', "”": '"',
    "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "×": "x", "≥": ">=", "≤": "<=", "·": ".", "°": " deg",
    "\xa0": " ",
}  # fmt: skip
"""What stands for a sign of ours on a terminal that has no such sign."""


def plainly(error: UnicodeError) -> tuple[str, int]:
    """Put a likeness, or "?", for what an encoding cannot show (a handler of `codecs`)."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(LIKENESS.get(sign, "?") for sign in error.object[error.start : error.end]), error.end


def keep_logs_clean() -> None:
    """Blot secrets out of what our own log says."""
    import logging

    from ddax.configs.secrets import RedactingFilter, Redactor

    log = logging.getLogger("ddax")
    for old in [found for found in log.filters if isinstance(found, RedactingFilter)]:
        log.removeFilter(old)
    log.addFilter(RedactingFilter(Redactor.of_process()))


def _shows_help(exc: BaseException) -> bool:
    """Print the help where no command was given at all; tell whether that was so."""
    if type(exc).__name__ != "NoArgsIsHelpError":
        return False
    print(getattr(exc, "format_message", exc.__str__)())
    return True


def _parser_words(exc: BaseException) -> tuple[str, str]:
    """Return the parser's message and where help is."""
    message = getattr(exc, "format_message", exc.__str__)()
    context = getattr(exc, "ctx", None)
    path = context.command_path if context is not None else "ddax"
    return str(message) or "A command is missing", f"`{path} --help` lists what is possible."

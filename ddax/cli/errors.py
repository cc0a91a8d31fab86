"""Errors as the user sees them: what, why and how to mend it, and the exit code.

Leaves out raising them. Foreign errors that mean "the disk does not take it" become `StorageError`
here, because any line of any library may meet a full disk.
"""

from __future__ import annotations

import difflib
import errno
import os
import re
import shlex
import sqlite3
import sys
import traceback
from typing import TYPE_CHECKING

from ddax.cli.text import clean, clean_block, dump_json, shorten, speaks_utf8
from ddax.errors import DdaxError, StorageError, UsageError, plain_fault
from ddax.registered import left_out
from ddax.wording import sentence

if TYPE_CHECKING:
    from ddax.configs.secrets import Redactor
    from ddax.types import JsonDict

INTERRUPTED = 130
NO_WHY = "What raised it says no more: an action, or a part of your own."
NO_MEND = "Run it again with -v for the traceback."
_STORAGE_ERRNOS = {
    errno.ENOSPC: "no space is left on the device",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "permission is denied",
    errno.EPERM: "the operation is not permitted",
    errno.EIO: "the device reports an input/output error",
}
_PATH_ERRNOS = {
    errno.ENAMETOOLONG: "Its name, or that of a folder in it, is too long.",
    errno.ELOOP: "Its links lead back to themselves.",
    errno.ENOTDIR: "What stands before a / in it is no folder.",
}
"""What makes a path one that nothing can stand at."""
_STORAGE_WORDS = ("disk is full", "readonly database", "unable to open database file", "disk i/o error")


class Interrupted(Exception):
    """Carry the command that goes on where Ctrl-C (or a cancel) stopped."""

    def __init__(self, resume: str = "") -> None:
        self.resume = resume
        super().__init__(resume)


def on_thread(words: str, thread: str, *, home: str = "") -> str:
    """Return the exact command whose words go before a thread's name; its settings are kept with it."""
    line = f"ddax {words} {shlex.quote(thread)}"
    return f"DDAX_HOME={shlex.quote(home)} {line}" if home else line


def as_ddax(exc: BaseException) -> DdaxError | None:
    """Map an error to one of ours; None where it is unexpected."""
    if isinstance(exc, DdaxError):
        return exc
    if isinstance(exc, ModuleNotFoundError):
        return left_out(exc)
    if isinstance(exc, sqlite3.Error) and any(word in str(exc).lower() for word in _STORAGE_WORDS):
        return _storage(str(exc))
    if type(exc).__module__.startswith("psycopg") and type(exc).__name__ == "OperationalError":
        return StorageError(
            "The Postgres of DDAX_CHECKPOINTS does not answer.",
            why=sentence(" ".join(str(exc).split())[:200]),
            mend="Check the address and that the server runs.",
        )
    if isinstance(exc, OSError) and exc.errno in _STORAGE_ERRNOS:
        place = f" ({exc.filename})" if exc.filename else ""
        return _storage(_STORAGE_ERRNOS[exc.errno] + place)
    if isinstance(exc, OSError) and exc.errno in _PATH_ERRNOS:
        named = f" {shorten(str(exc.filename), 100)!r}" if exc.filename else ""
        why = _PATH_ERRNOS[exc.errno]
        return UsageError(f"The path{named} cannot be used.", why=why, mend="Name another one.")
    if isinstance(exc, BaseExceptionGroup):
        found = [error for error in map(as_ddax, exc.exceptions) if error is not None]
        return found[0] if found else None
    return None


def _storage(why: str) -> StorageError:
    return StorageError(
        "The storage does not take or give what it should.",
        why=f"{why[:1].upper()}{why[1:]}.",
        mend="Free space or give write permission, or set DDAX_HOME elsewhere; what was saved is kept.",
    )


def report(exc: BaseException, *, json: bool, verbose: bool = False, beside: JsonDict | None = None) -> int:
    """Print an error, one JSON object on stdout with `json`, else lines on stderr; return the exit code.

    `beside` is what was found before, and stands in the same object.
    """
    from ddax.configs.secrets import Redactor

    redactor = Redactor.of_process()
    if verbose and not isinstance(exc, KeyboardInterrupt | Interrupted):
        sys.stderr.write(redactor.text(clean_block("".join(traceback.format_exception(exc)))))
    error, code = _describe(exc, redactor)
    error = redactor.value(error)
    if json and _is_told({**redactor.value(beside or {}), "error": error, "exit_code": code}):
        return code
    sys.stderr.write(f"error: {clean(error['what'])}\n")
    for word in ("why", "mend"):
        if error[word]:
            sys.stderr.write(f"{word}: {clean(error[word])}\n")
    return code


def _is_told(error: JsonDict) -> bool:
    """Print an error as the one JSON object; False where stdout does not take it, which may be the error."""
    try:
        print(dump_json(error, ascii_only=not speaks_utf8(sys.stdout)), flush=True)
    except OSError:
        leave_stdout()
        return False
    return True


def leave_stdout() -> None:
    """Write nowhere from now on: what waits for a reader that left, or a full disk, is given up."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _describe(exc: BaseException, redactor: Redactor) -> tuple[dict[str, str], int]:
    if isinstance(exc, KeyboardInterrupt | Interrupted):
        resume = exc.resume if isinstance(exc, Interrupted) else ""
        mend = f"Resume with: {resume}" if resume else "Nothing was begun yet: run the same command again."
        why = "It was stopped from outside, by Ctrl-C, a signal or a reader that left."
        error = {"what": "Interrupted.", "why": why, "mend": mend, "kind": "Interrupted"}
        return ({**error, "resume": resume} if resume else error), INTERRUPTED
    known = as_ddax(exc)
    if known is not None:
        return {
            "what": sentence(known.what),
            "why": sentence(known.why or NO_WHY),
            "mend": sentence(known.mend or NO_MEND),
            "kind": type(known).__name__,
        }, known.exit_code
    what = f"Unexpected {type(exc).__name__}: {clean(redactor.text(clean(exc)), 300)}"
    return {
        "what": what,
        "why": "Nothing in ddax expects it here: a fault of ddax, or of a part of your own.",
        "mend": NO_MEND,
        "kind": type(exc).__name__,
    }, 1


_PARSED = (
    (r"(.+?)[.]? Did you mean (.+,.+)\?", "The nearest ones are {}."),
    (r"(.+?)[.]? Did you mean (.+)\?", "The nearest one is {}."),
    (r"(Invalid value for [^:]+): (?:Value error, )?(.+)", "{}"),
    (r"(No such .+)", "Nothing of this name is known there."),
    (r"(Missing .+)", "The command cannot be run without it."),
    (r"(Got unexpected .+)", "The command takes no more words; several in one need quotes."),
)
"""What the parser says, parted into what is wrong and why."""


def _nearest(meant: str, known: list[str]) -> str:
    """Return the likeliest of several names, the others after it."""
    likely = difflib.get_close_matches(meant, known, len(known), 0.0)
    return likely[0] + (f"; others like it: {', '.join(likely[1:])}" if likely[1:] else "")


def usage(message: str, hint: str) -> UsageError:
    """Return a usage error from the parser's message."""
    several = re.fullmatch(r"(?>(.+?)[.]? \(Possible options?: )(.+)\)\.?", message, re.DOTALL)
    if several:
        why = f"The nearest one is {_nearest(several[1].split()[-1], several[2].split(', '))}."
        return UsageError(f"{several[1].rstrip('.')}.", why=why, mend=hint)
    for form, why in _PARSED:
        found = re.fullmatch(form, message, re.DOTALL)
        if found:
            what, reason = found[1].rstrip("."), plain_fault(why.format(*found.groups()[1:]))
            return UsageError(f"{what}.", why=reason if reason.endswith(".") else f"{reason}.", mend=hint)
    what = message if message.endswith((".", "?")) else f"{message}."
    return UsageError(what, why="The command does not take it so.", mend=hint)

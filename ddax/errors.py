"""The one error tree of ddax, and the exit code each branch ends with.

* DdaxError
  + UsageError (2)             the caller's words are off: flag, path, thread name, task
    - SettingsError            a settings file, environment variable or argument is wrong
    - SourceError              a source is missing, empty, binary or too large
    - MissingPart              a part of ddax is asked for that this installation was left without
  + SandboxError (3)           no sandbox on this machine holds
  + StateError (4)             stored state is damaged, foreign or of a newer version
  + ThreadInUse (5)            another live process owns the thread, or shares the memory with nobody
  + BudgetExceeded (6)         a cap was reached before the work was done
  + StorageError (7)           the disk is full, read-only or failing
  + ReasonerError (9)          the model or its provider failed
    - InvalidReply             a reply did not fit its schema, also after one repair
    - Unavailable              the provider answers nobody here: time or somebody mends it
      . RateLimited            it asks for a longer wait than a request has
  + ActionError (1)            a leaf action failed; carries the root cause, kept in the idea
    - Blocked                  the other side refuses us; the source cools down
    - NotAllowed               the policy refuses the action
  + InvariantError (1)         the DAG of ideas would be broken by a change

Foreign exceptions are mapped to these where the foreign library is called, with ``raise ... from``.
All are RuntimeErrors: of other kinds a LangGraph server tells its clients no words at all, and LangGraph's
default retry policy would do again what has had its retries here.
"""

from __future__ import annotations

import json
import re
import reprlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

UNDONE = "not_done"
"""The kind of error by which an action says that an order was not carried out."""


class DdaxError(RuntimeError):
    """Say what went wrong, why, and how to mend it; the base of every error of ddax."""

    exit_code = 1

    def __init__(self, what: str, *, why: str = "", mend: str = "") -> None:
        self.say(what, why, mend)

    def say(self, what: str, why: str, mend: str) -> None:
        """Set the three parts, and the one text that is told of them."""
        self.what, self.why, self.mend = what, why, mend
        self.args = (_in_a_row([part for part in (what, why, mend) if part]),)

    def reword(self, said: Callable[[str], str]) -> None:
        """Change each of the three parts, as where secrets are blotted out of them."""
        self.say(said(self.what), said(self.why), said(self.mend))


_ENDED = re.compile(r"[.!?…:;,][\"'”’»)\]]*$")


def _in_a_row(parts: Sequence[str]) -> str:
    """Join sentences; one that another follows ends with a point, which words from outside may lack."""
    ended = [part if _ENDED.search(part) else f"{part}." for part in parts[:-1]]
    return " ".join((*ended, *parts[-1:]))


@contextmanager
def of_setting(key: str) -> Iterator[None]:
    """Name the setting whose value leads to what the block refuses, or cannot write."""
    try:
        yield
    except (UsageError, StorageError) as error:
        error.say(f"Setting {key}: {error.what}", error.why, error.mend)
        raise


class UsageError(DdaxError):
    """Refuse input that the caller can correct."""

    exit_code = 2


def no_folder(file: Path) -> UsageError:
    """Return the error of a file that is to be written where there is no folder."""
    return UsageError(
        f"There is no folder {str(file.parent)!r}.",
        why=f"{file.name!r} would stand in it." if not file.parent.exists() else "A file is called so.",
        mend="Make the folder first, or give a file in one that is there.",
    )


class SettingsError(UsageError):
    """Refuse a setting; the message names the key, the file and the line."""


class SourceError(UsageError):
    """Refuse a source that cannot be read."""


class MissingPart(UsageError):
    """Refuse what needs a part of ddax that this installation was left without."""


class SandboxError(DdaxError):
    """Refuse to run candidate code without a sandbox that holds."""

    exit_code = 3


class StateError(DdaxError):
    """Refuse stored state that is damaged, foreign or newer than this release."""

    exit_code = 4


class ThreadInUse(DdaxError):
    """Refuse a thread that another live process owns, or a memory that it does not share."""

    exit_code = 5


class BudgetExceeded(DdaxError):
    """Stop before a call that would pass a cap."""

    exit_code = 6


class StorageError(DdaxError):
    """Stop because the disk does not take or give what it should."""

    exit_code = 7


class ReasonerError(DdaxError):
    """Report a failure of the model or its provider."""

    exit_code = 9


class InvalidReply(ReasonerError):
    """Report a reply that does not fit its schema, also after one repair."""


class Unavailable(ReasonerError):
    """Report a provider that answers nobody here: down, not reached, busy, or refusing key, account or model.

    Where a step needs the model the run breaks off, to be resumed: every further request would fail alike.
    """


class RateLimited(Unavailable):
    """Report a provider that asks for a longer wait than a request has."""


class ActionError(DdaxError):
    """Report the root cause of a failed leaf action.

    ``retriable`` says whether the same call may succeed later; ``kind`` is a short stable word
    (``timeout``, ``not_found``, ``http_503``) that statistics group by.
    """

    def __init__(
        self, what: str, *, why: str = "", mend: str = "", kind: str = "error", retriable: bool = False
    ) -> None:
        super().__init__(what, why=why, mend=mend)
        self.kind, self.retriable = kind, retriable


class Blocked(ActionError):
    """Report that the other side refuses us; ``cooldown`` is in seconds, ``status`` that of its answer.

    ``status`` is 0 where no status said it, as with a challenge.
    """

    def __init__(
        self, what: str, *, why: str = "", mend: str = "", cooldown: float = 300.0, status: int = 0
    ) -> None:
        super().__init__(what, why=why, mend=mend, kind="blocked")
        self.cooldown, self.status = cooldown, status


class NotAllowed(ActionError):
    """Report that the policy table refuses an action."""

    def __init__(self, what: str, *, why: str = "", mend: str = "") -> None:
        super().__init__(what, why=why, mend=mend, kind="not_allowed")


class InvariantError(DdaxError):
    """Refuse a change that would break an invariant of the DAG."""


_JSON_FAULTS = {
    "Expecting value": "A value is missing",
    "Expecting property name": "A name in double quotes is missing",
    "Expecting ',' delimiter": "A comma is missing",
    "Expecting ':' delimiter": "A colon is missing",
    "Illegal trailing comma": "A comma stands there before the end",
    "Unterminated string": "A text in quotes begins, and does not end,",
    "Invalid control character": "A text in quotes holds a line break or the like",
    "Invalid \\": "A backslash stands before what needs none",
    "Extra data": "More follows after the value",
}
"""How the parser of Python begins its words, and what they say to a reader."""


_TYPES = {
    "Input should": "It should", "String should": "It should", "Field required": "It is missing",
    "Extra inputs are not permitted": "It is not known here",
    "a valid dictionary": "a mapping of names to values",
    "a valid string": "a text", "a valid integer": "a whole number", "a valid number": "a number",
    "a valid boolean": "true or false", "a valid tuple": "a list", "a valid list": "a list",
}  # fmt: skip
"""What a check of types says, in plain words."""


def plain_fault(message: str) -> str:
    """Say what a check of types says of a value in plain words, not those of its parser."""
    said = re.sub(r", unable to .*| or instance of \w+", "", message.removeprefix("Value error, "))
    tag = r"^Input tag (?>(.*?) found using )(?>.*? expected tags: )(.*)"
    said = re.sub(tag, r"There is no \1; there are \2", said)
    for words, plain in _TYPES.items():
        said = said.replace(words, plain)
    return said


def first_fault(faults: Sequence[Mapping[str, Any]]) -> tuple[tuple[int | str, ...], str]:
    """Return where the first fault that a check of types found lies, and what it is in plain words.

    A name that is not known comes first: what is missing beside it may be what it was meant for.
    """
    first = min(faults, key=lambda fault: fault["type"] != "extra_forbidden")
    found = f", not {reprlib.repr(first['input'])}" if first["type"] == "literal_error" else ""
    return tuple(first["loc"]), plain_fault(first["msg"]) + found


def told_fault(faults: Sequence[Mapping[str, Any]]) -> str:
    """Return the first fault that a check of types found, with its place, in one line."""
    place, what = first_fault(faults)
    return f"{'.'.join(map(str, place))}: {what}" if place else what


def read_json_text(text: str | bytes) -> Any:
    """Return the value of a JSON text; raises `ValueError` for what is none, or is nested too deep."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("one value inside another, too deep to be read") from None


def json_fault(error: Exception, *, row: bool = False) -> str:
    """Say in plain words why a text is no JSON, the parser's own words after them.

    A `row` is one line of a file, whose number is told elsewhere: only the column is said.
    """
    if isinstance(error, UnicodeDecodeError):
        return f"It is no UTF-8 text from byte {error.start} on"
    if not isinstance(error, json.JSONDecodeError):
        return f"It holds what JSON has not ({error})"
    plain = (words for start, words in _JSON_FAULTS.items() if error.msg.startswith(start))
    said = next(plain, "It breaks off")
    line = "" if row else f"line {error.lineno}, "
    return f"{said} at {line}column {error.colno} ({error.msg})"

"""What is told of a reasoner that breaks its contract: what it raised, or returned instead of a reply."""

from __future__ import annotations

import numbers
import sqlite3
from dataclasses import replace
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from ddax.configs.secrets import Redactor
from ddax.errors import DdaxError, InvariantError
from ddax.reasoning.protocol import METHODS

MAX_SAID = 300
"""Characters of a foreign error that are told."""
_MEND = "Mend it, then resume the thread; `ReasonerContract` of ddax.testing tells what else does not hold."


def is_a_break(error: BaseException) -> bool:
    """Tell whether a reasoner may not raise an error: not one of ours, an interrupt, or that of a disk."""
    from langgraph.errors import GraphBubbleUp

    if isinstance(error, ConnectionError | TimeoutError):
        return True
    return not isinstance(error, DdaxError | GraphBubbleUp | OSError | sqlite3.Error)


def broke_off(name: str, method: str, error: BaseException) -> InvariantError:
    """Return the error for a reasoner that raised something else than ReasonerError."""
    said = Redactor.of_process().cut(f"{type(error).__name__}: {error}", MAX_SAID).rstrip(" .:")
    return InvariantError(
        f"the reasoner {name!r} broke off in {method!r}.",
        why=f"It raised {said}. Where it cannot answer it raises ReasonerError.",
        mend=_MEND,
    )


def no_reply(name: str, method: str, reply: object) -> InvariantError:
    """Return the error for a reasoner whose reply is none."""
    return InvariantError(
        f"the reasoner {name!r} gave no reply to {method!r}.",
        why=f"It returned {type(reply).__name__}, not {METHODS[method].__name__}.",
        mend=_MEND,
    )


def half_a_reply(name: str, method: str, fault: str) -> InvariantError:
    """Return the error for a reply with a field of another type."""
    return InvariantError(
        f"the reasoner {name!r} gave no whole reply to {method!r}.",
        why=f"In its {METHODS[method].__name__} {fault}.",
        mend=_MEND,
    )


def fault_of(reply: Any, method: str) -> str:
    """Say which field of a reply has another type than it is declared with; empty for none."""
    for name, hint in _hints()[method].items():
        value = getattr(reply, name)
        wanted = get_origin(hint) or hint
        if isinstance(wanted, type) and not _is_a(value, wanted):
            return f"{name!r} is a {type(value).__name__}, not a {wanted.__name__}"
        if wanted is tuple and isinstance(item := get_args(hint)[0], type):
            odd = next((one for one in value if not _is_a(one, item)), None)
            if odd is not None:
                return f"{name!r} holds a {type(odd).__name__}, not a {item.__name__}"
    return ""


def _is_a(value: object, kind: type) -> bool:
    """Tell whether a value has a type; whole numbers are numbers, and a list will do for a tuple."""
    if kind is float:
        return isinstance(value, numbers.Real) and not isinstance(value, bool)
    return isinstance(value, list | tuple) if kind is tuple else isinstance(value, kind)


def plain(reply: Any, method: str) -> Any:
    """Return a reply with its numbers as Python's own: one of numpy cannot be kept in a checkpoint."""
    numbered = {name: getattr(reply, name) for name, hint in _hints()[method].items() if hint is float}
    odd = {name: float(value) for name, value in numbered.items() if type(value) not in (int, float)}
    return replace(reply, **odd) if odd else reply


@cache
def _hints() -> dict[str, dict[str, Any]]:
    return {method: get_type_hints(kind) for method, kind in METHODS.items()}

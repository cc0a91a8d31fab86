"""What is told of a reasoner that breaks its contract: what it raised, or returned instead of a reply."""

from __future__ import annotations

import sqlite3

from ddax.errors import DdaxError, InvariantError
from ddax.reasoning.protocol import METHODS

MAX_SAID = 300
"""Characters of a foreign error that are told."""
_MEND = "Mend it, then resume the thread; `ReasonerContract` of ddax.testing tells what else does not hold."


def is_a_break(error: Exception) -> bool:
    """Tell whether a reasoner may not raise an error: not one of ours, an interrupt, or that of a disk."""
    from langgraph.errors import GraphBubbleUp

    if isinstance(error, ConnectionError | TimeoutError):
        return True
    return not isinstance(error, DdaxError | GraphBubbleUp | OSError | sqlite3.Error)


def broke_off(name: str, method: str, error: Exception) -> InvariantError:
    """Return the error for a reasoner that raised something else than ReasonerError."""
    said = f"{type(error).__name__}: {error}"[:MAX_SAID].rstrip(" .:")
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

"""What a search could not ask while others answered: kept in a log, so that the result tells it."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from ddax.actions.protocol import ActionContext
from ddax.errors import ActionError

UNSEARCHED = "unsearched"
"""The log of what could not be asked, with the task that asked it."""
TOLD = 300
_HEARD: ContextVar[list[ActionError] | None] = ContextVar("ddax_unsearched", default=None)


@contextmanager
def hearing() -> Iterator[list[ActionError]]:
    """Collect what is passed over for the length of the block; of other searches nothing is heard."""
    heard: list[ActionError] = []
    token = _HEARD.set(heard)
    try:
        yield heard
    finally:
        _HEARD.reset(token)


def pass_over(error: ActionError, *, searched: str) -> None:
    """Go on without what failed: say on stderr what alone was searched, and to whoever hears."""
    logging.getLogger("ddax").warning("only %s were searched: %s", searched, error)
    heard = _HEARD.get()
    if heard is not None:
        heard.append(error)


async def keep_unsearched(context: ActionContext, missed: Sequence[ActionError]) -> None:
    """Write down what was passed over, each once for a task."""
    for error in missed:
        said = context.redactor.cut(" ".join(f"{error.what} {error.why}".split()), TOLD)
        key = f"{context.task}:{context.redactor.cut(error.what, 100)}"
        await context.memory.log(UNSEARCHED, {"task": context.task, "said": said}, key=key)

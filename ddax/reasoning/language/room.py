"""How much of a task and of what was read fits a prompt; what does not fit is said, in the prompt and after.

A task is told whole where the context window of the model has room for it, else its beginning and its end:
what is asked stands at either.
"""

from __future__ import annotations

from dataclasses import replace

from ddax.reasoning.language.provider.retrying import Limits

CHARACTERS = 3
"""Characters of a token, at least, in most texts."""
OVERHEAD = 1500
"""Tokens of rules, instructions and the form of the reply."""
REPLY = 0.25
"""Share of the context that is kept for the reply, at most."""
HEAD = 0.6
"""Share of the room of a task that is too long which its beginning has."""
LEAST = 1000
"""Characters that a task, and what was read, are given in any context."""


def within(limits: Limits, window: int, share: float = 1.0) -> Limits:
    """Return the limits of what is put into a prompt for a model with a window; 0: it is not known.

    `share` makes them smaller, where a request came out longer than the window all the same.
    """
    if not window:
        return limits
    return replace(
        limits, context_tokens=max(1, int(window * share)),
        passage_characters=int(share * min(limits.passage_characters, window * 3 // 2)),
        text_characters=int(share * min(limits.text_characters, window * 3 // 8)),
    )  # fmt: skip


def room(limits: Limits) -> int:
    """Return the characters of task and passages together that fit a prompt."""
    if not limits.context_tokens:
        return limits.task_characters + limits.passage_characters
    reply = min(limits.output_tokens, int(limits.context_tokens * REPLY))
    return max(2 * LEAST, (limits.context_tokens - reply - OVERHEAD) * CHARACTERS)


def passage_room(limits: Limits, task: str) -> int:
    """Return the characters of passages in a prompt with a task."""
    return max(LEAST, min(limits.passage_characters, room(limits) - len(told_of(task, limits))))


def left_out(task: str, limits: Limits) -> int:
    """Return how many characters of a task are not told."""
    return max(0, len(task) - _task_room(limits))


def told_of(task: str, limits: Limits) -> str:
    """Return a task as it is told: whole, or its beginning and end with how much is left out between them."""
    most = _task_room(limits)
    if len(task) <= most:
        return task
    head = int(most * HEAD)
    missing = left_out(task, limits)
    return (
        f"{task[:head]}\n\n[Here {missing:,} characters of the task are left out: they do not fit the context"
        f" of the model. It goes on:]\n\n{task[len(task) - (most - head) :]}"
    )


def note_of(task: str, limits: Limits) -> str:
    """Say what of a task the model did not see; "" where it saw it whole."""
    missing = left_out(task, limits)
    return (
        f"The model did not see {missing:,} of the {len(task):,} characters of the task, from its middle:"
        " they do not fit its context window. Give long material as a source."
        if missing
        else ""
    )


def _task_room(limits: Limits) -> int:
    """Return the characters a task may have; in a small context what was read has as many."""
    return max(LEAST, min(limits.task_characters, room(limits) // 2 if limits.context_tokens else 10**9))

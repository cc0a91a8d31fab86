"""What is told beside a task: the tools as their authors describe them, and the turns before it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tool:
    """What the author of a tool says of it and its arguments; `foreign` words are data, never orders."""

    name: str
    text: str
    foreign: bool = False


@dataclass(frozen=True)
class Turn:
    """An earlier turn of the conversation: what was asked, what was answered, the titles of what it cites.

    `short` is the short answer, `read_as` the question with what it left to the turn before it.
    """

    question: str
    answer: str
    sources: tuple[str, ...] = ()
    short: str = ""
    read_as: str = ""

"""What is told beside a task: what holds for all of it, its tools, and the turns before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Knowledge = Literal["allow", "mark", "forbid"]
"""Whether a model may answer with what it knows of itself: yes, where it is marked, or not at all."""


@dataclass(frozen=True)
class Brief:
    """What holds for a whole task beside its words, and is told with its plans and its answer.

    `today` is the day the task was opened, `identity` who the agent is, `instructions` what the user
    wants of all answers; `knowledge` says whether what a model knows of itself counts as a source.
    """

    today: str = ""
    identity: str = ""
    instructions: str = ""
    knowledge: Knowledge = "forbid"


NO_BRIEF = Brief()
"""Nothing is said that holds for the whole task."""


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

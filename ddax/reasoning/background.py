"""What is told beside a task: what holds for all of it, its tools, earlier turns, what was found and seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ddax.types import Citation, Picture

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


@dataclass(frozen=True)
class Finding:
    """What a finished child found: `status` done or failed, `result` its summary."""

    idea_id: str
    title: str
    status: str
    result: str
    citations: tuple[Citation, ...] = ()
    action: str = ""


@dataclass(frozen=True)
class Seen:
    """What was seen last of the world a task is done in; from outside, so data as any passage.

    `elements` are the ids that can be acted on and do not stand in the text, each with its words;
    `picture` is there for a model that sees.
    """

    text: str
    elements: tuple[str, ...] = ()
    picture: Picture | None = None

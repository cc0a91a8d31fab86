"""One request: what is asked, what it runs under, and how far it is.

Leaves out how it is made (`call`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Generic, NamedTuple, TypeVar

from ddax.reasoning.budget import BudgetKeeper
from ddax.reasoning.language.acting import Acting
from ddax.reasoning.language.provider.channel import Hear, Sampling
from ddax.reasoning.language.provider.failures import Failure
from ddax.reasoning.language.provider.window import Measure
from ddax.reasoning.language.replies.schemas import Wire
from ddax.reasoning.prompts import Prompt
from ddax.types import Picture, Usage

R = TypeVar("R")
W = TypeVar("W", bound=Wire)


class Ask(NamedTuple, Generic[W, R]):
    """What is asked: a prompt, the form of the reply, and what makes sense of it.

    `read` raises `Unfit` where a reply has no sense. `choices` are the names the prompt offers, by the
    field of the reply that takes them. `picture` is for a model that sees; others get the prompt alone.
    `acting` are the tools it may call.
    """

    prompt: Prompt
    wire: type[W]
    read: Callable[[W], R]
    sampling: Sampling = Sampling()
    choices: Mapping[str, Sequence[str]] = MappingProxyType({})
    picture: Picture | None = None
    acting: Acting | None = None


@dataclass(frozen=True)
class Under:
    """What a request runs under: the caps, who listens to the reply, and the reasoning effort asked for.

    `spent` is what it has cost before and is not yet on the bill, `measure` how long it was found to be.
    """

    keeper: BudgetKeeper | None = None
    hear: Hear | None = None
    effort: str = ""
    spent: Usage = field(default_factory=Usage)
    measure: Measure = field(default_factory=Measure)


@dataclass
class Asked:
    """A request under way: when it began, what it has cost, and the calls that count as attempts.

    `key` is what its reply is kept under; empty where none is kept. `paid` counts the calls that may be
    charged for. `heard` has the pieces of the reply under way, `refused` how it was refused as too long.
    """

    under: Under
    began: float
    measure: Measure
    key: str = ""
    usage: Usage = field(default_factory=Usage)
    attempts: int = 0
    queued: float = 0.0
    paid: int = 0
    heard: list[str] = field(default_factory=list)
    refused: Failure | None = None

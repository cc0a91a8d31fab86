"""The reasoner that costs nothing: what nodes ask of it beside the requests of every reasoner."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NoReturn, Protocol, cast

from ddax.errors import MissingPart
from ddax.memory.protocol import Embedder
from ddax.reasoning.protocol import JudgeRequest, Judgment, MutateRequest, Patches, PatchRequest, Reasoner
from ddax.registered import PARTS, load

Patcher = Callable[[PatchRequest | MutateRequest], Awaitable[Patches]]
"""What proposes repairs without a model: the search over AST edits, given from outside."""


class FreeReasoner(Reasoner, Protocol):
    """A reasoner that asks no model, and embeds what it compares."""

    async def judge_all(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        """Value several results, each as `judge` does, at once."""
        ...

    def embedded_to_judge(self, request: JudgeRequest) -> list[str]:
        """Return most of the texts that it embeds to value a result, as they are embedded."""
        ...


def open_free(embedder: Embedder) -> FreeReasoner:
    """Return the reasoner without a model, or what stands in its place where it was left out."""
    try:
        opened: FreeReasoner = load("embedded")(embedder)
    except MissingPart:  # a model of the user's own may do all that a run asks for
        return cast(FreeReasoner, NoFreeReasoner())
    return opened


class NoFreeReasoner:
    """Stands where the reasoner without a model was left out: a run that comes to need it is told so."""

    name = "embedded"

    def __getattr__(self, method: str) -> NoReturn:
        raise PARTS["embedded"].missing()

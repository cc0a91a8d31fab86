"""A reasoner that replies from a script: for tests of the graph, and for users' own tests."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from ddax.errors import ReasonerError, UsageError
from ddax.reasoning import protocol as p
from ddax.reasoning.protocol import METHODS

Scripted: TypeAlias = Any
"""A reply of the protocol, an exception to raise, or a function of the request (async too) to either."""

ReplyT = TypeVar("ReplyT")


class ScriptedReasoner:
    """Reply to each method from its own list, in order; raises `ReasonerError` when a list is exhausted.

    `requests` records every request with its method. With `repeat` the last entry of a list is given
    again instead of failing. Raises `UsageError` for a method that is not in the protocol.
    """

    def __init__(
        self, replies: Mapping[str, Sequence[Scripted]], *, name: str = "scripted", repeat: bool = False
    ) -> None:
        unknown = sorted(set(replies) - set(METHODS))
        if unknown:
            raise UsageError(
                f"The script has replies for {unknown}.",
                why="A reasoner has no methods of these names.",
                mend=f"Known are {', '.join(METHODS)}.",
            )
        self.name = name
        self.requests: list[tuple[str, Any]] = []
        self._repeat = repeat
        self._replies = {method: list(entries) for method, entries in replies.items()}

    def left(self, method: str) -> int:
        """Return how many replies a method still has."""
        return len(self._replies.get(method, ()))

    async def _next(self, method: str, request: Any, kind: type[ReplyT]) -> ReplyT:
        self.requests.append((method, request))
        entries = self._replies.get(method, [])
        if not entries:
            asked = sum(made == method for made, _ in self.requests)
            raise ReasonerError(
                f"The script has no reply number {asked} for {method!r}.",
                why=f"It was written with {asked - 1}.",
                mend="Add it to the script.",
            )
        entry = entries[0] if self._repeat and len(entries) == 1 else entries.pop(0)
        return await _resolved(method, entry, request, kind)

    async def expand(self, request: p.ExpandRequest) -> p.Expansion:
        return await self._next("expand", request, p.Expansion)

    async def predict(self, request: p.PredictRequest) -> p.Prediction:
        return await self._next("predict", request, p.Prediction)

    async def extract(self, request: p.ExtractRequest) -> p.Extraction:
        return await self._next("extract", request, p.Extraction)

    async def argue(self, request: p.ArgueRequest) -> p.Argument:
        return await self._next("argue", request, p.Argument)

    async def judge(self, request: p.JudgeRequest) -> p.Judgment:
        return await self._next("judge", request, p.Judgment)

    async def merge(self, request: p.MergeRequest) -> p.Synthesis:
        return await self._next("merge", request, p.Synthesis)

    async def reflect(self, request: p.ReflectRequest) -> p.Lesson:
        return await self._next("reflect", request, p.Lesson)

    async def propose_patches(self, request: p.PatchRequest) -> p.Patches:
        return await self._next("propose_patches", request, p.Patches)

    async def mutate_patch(self, request: p.MutateRequest) -> p.Patches:
        return await self._next("mutate_patch", request, p.Patches)

    async def ask(self, request: p.AskRequest) -> p.Question:
        return await self._next("ask", request, p.Question)

    async def act(self, request: p.ActRequest) -> p.Acted:
        return await self._next("act", request, p.Acted)


async def _resolved(method: str, entry: Scripted, request: Any, kind: type[ReplyT]) -> ReplyT:
    """Turn an entry of a script into a reply of the right type, or raise what it says."""
    reply: Any = entry(request) if callable(entry) and not isinstance(entry, type) else entry
    if inspect.isawaitable(reply):
        reply = await reply
    if isinstance(reply, BaseException):
        raise reply
    if not isinstance(reply, kind):
        raise UsageError(
            f"The script replies {reply!r} to {method!r}.",
            why=f"It is a {type(reply).__name__}.",
            mend=f"Give a {kind.__name__}.",
        )
    return reply

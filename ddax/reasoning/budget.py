"""Cost accounting: caps checked before every paid call, spending added after it.

A cap is passed by one call at most: while calls are under way their cost counts as the largest one
seen, and a call that would not fit beside them waits until one has ended. Leaves out prices (`configs`)
and the caps that are not about the model (steps, ideas, depth: the engine's).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Protocol, TypeVar

from ddax.configs.settings import Budget
from ddax.errors import BudgetExceeded
from ddax.reasoning import protocol as p
from ddax.types import Usage

FREE = frozenset({"embedded"})
"""Reasoners that cost nothing: no cap applies to them."""

ReplyT = TypeVar("ReplyT", bound="_Costs")


class _Costs(Protocol):
    @property
    def usage(self) -> Usage: ...


def charge(error: BaseException, usage: Usage) -> None:
    """Note on an error what the failed request cost."""
    error.__dict__["usage"] = usage


def usage_of(error: BaseException) -> Usage:
    """Return what a failed request cost; nothing where none was noted."""
    noted = error.__dict__.get("usage")
    return noted if isinstance(noted, Usage) else Usage()


class BudgetKeeper:
    """Keep what was spent, and refuse the call after a cap.

    `clock` is monotonic and in seconds; `seconds` have passed in earlier processes of the same run.
    Where a price is unknown `spent.usd` is None and the known part still counts against `max_usd`.
    """

    def __init__(
        self, limits: Budget, spent: Usage | None = None, *, clock: Callable[[], float], seconds: float = 0.0
    ) -> None:
        self.limits = limits
        self._spent = spent or Usage()
        self._known_usd = self._spent.usd or 0.0
        self._clock, self._opened = clock, clock() - seconds
        self._under_way = 0
        self._largest = Usage()
        self._ended = asyncio.Condition()

    @property
    def spent(self) -> Usage:
        """Return the cost so far, `usd` None where any price was unknown."""
        return self._spent

    @property
    def known_usd(self) -> float:
        """Return the dollars of the calls whose price is known."""
        return self._known_usd

    @property
    def seconds(self) -> float:
        """Return the wall time of the run so far."""
        return self._clock() - self._opened

    def check(self, pending: Usage | None = None, *, free: bool = False) -> None:
        """Raise `BudgetExceeded` naming the first cap reached.

        `pending` is spent but not yet added; `free` says that the next call costs no money.
        """
        reached = self._reached(pending or Usage(), free=free)
        if reached:
            name, value, cap = reached
            raise BudgetExceeded(
                f"the cap {name}={cap:g} is reached ({value:g} spent).",
                mend=f"Raise budget.{name} and resume the thread.",
            )

    def _reached(self, pending: Usage, *, free: bool) -> tuple[str, float, float] | None:
        caps = self.limits
        table = (
            ("max_model_calls", self._spent.model_calls + pending.model_calls, caps.max_model_calls),
            ("max_tokens", self._spent.tokens + pending.tokens, caps.max_tokens),
            ("max_usd", self._known_usd + (pending.usd or 0.0), caps.max_usd),
            ("max_seconds", self.seconds, caps.max_seconds),
        )
        for name, value, cap in table:
            if value >= cap and not (free and name == "max_usd"):
                return name, float(value), float(cap)
        return None

    def add(self, usage: Usage) -> None:
        """Add the cost of a call that was made."""
        self._spent = self._spent + usage
        self._known_usd += usage.usd or 0.0
        if usage.model_calls:
            self._largest = Usage(
                max(self._largest.model_calls, usage.model_calls),
                max(self._largest.tokens, usage.tokens),
                max(self._largest.usd or 0.0, usage.usd or 0.0),
            )

    def _fits(self, *, free: bool) -> bool:
        """Say whether one more call fits beside those under way."""
        if not self._under_way:
            return True
        if not self._largest.model_calls:
            return False
        n, largest = self._under_way, self._largest
        pending = Usage(n * largest.model_calls, n * largest.tokens, n * (largest.usd or 0.0))
        return self._reached(pending, free=free) is None

    @asynccontextmanager
    async def call(self, *, free: bool = False) -> AsyncIterator[None]:
        """Hold a place for one request; waits beside others near a cap, raises `BudgetExceeded` at it."""
        async with self._ended:
            await self._ended.wait_for(lambda: self._fits(free=free))
            self.check(free=free)
            self._under_way += 1
        try:
            yield
        finally:
            async with self._ended:
                self._under_way -= 1
                self._ended.notify_all()


class MeteredReasoner:
    """A reasoner whose every request is checked against the caps before it and charged after it.

    An inner reasoner with a method `bound(keeper)` also has its calls within one request checked.
    """

    def __init__(self, inner: p.Reasoner, keeper: BudgetKeeper) -> None:
        bound: Callable[[BudgetKeeper], p.Reasoner] | None = getattr(inner, "bound", None)
        self.inner, self.keeper = bound(keeper) if bound else inner, keeper
        self.name = inner.name
        self._free = bool(getattr(inner, "free_of_charge", False))

    @property
    def spent(self) -> Usage:
        """Return what this run has cost so far."""
        return self.keeper.spent

    async def _metered(self, ask: Callable[[Any], Awaitable[ReplyT]], request: Any) -> ReplyT:
        if self.name in FREE:
            reply = await ask(request)
            self.keeper.add(reply.usage)
            return reply
        async with self.keeper.call(free=self._free):
            try:
                reply = await ask(request)
            except BaseException as error:
                self.keeper.add(usage_of(error))
                raise
            self.keeper.add(reply.usage)
            return reply

    async def expand(self, request: p.ExpandRequest) -> p.Expansion:
        return await self._metered(self.inner.expand, request)

    async def predict(self, request: p.PredictRequest) -> p.Prediction:
        return await self._metered(self.inner.predict, request)

    async def extract(self, request: p.ExtractRequest) -> p.Extraction:
        return await self._metered(self.inner.extract, request)

    async def argue(self, request: p.ArgueRequest) -> p.Argument:
        return await self._metered(self.inner.argue, request)

    async def judge(self, request: p.JudgeRequest) -> p.Judgment:
        return await self._metered(self.inner.judge, request)

    async def merge(self, request: p.MergeRequest) -> p.Synthesis:
        return await self._metered(self.inner.merge, request)

    async def reflect(self, request: p.ReflectRequest) -> p.Lesson:
        return await self._metered(self.inner.reflect, request)

    async def propose_patches(self, request: p.PatchRequest) -> p.Patches:
        return await self._metered(self.inner.propose_patches, request)

    async def mutate_patch(self, request: p.MutateRequest) -> p.Patches:
        return await self._metered(self.inner.mutate_patch, request)

    async def ask(self, request: p.AskRequest) -> p.Question:
        return await self._metered(self.inner.ask, request)

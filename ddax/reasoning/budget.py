"""Cost accounting: caps checked before every paid call, spending added after it.

A cap is passed by one call at most: while calls are under way their cost counts as the largest one
seen, and a call that would not fit beside them waits until one has ended. The cap of wall time ends a
call that is under way. Leaves out prices (`configs`) and the caps that are not about the model (steps,
ideas, depth: the engine's).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from ddax.configs.settings import Budget
from ddax.errors import BudgetExceeded
from ddax.reasoning import protocol as p
from ddax.reasoning.breaks import broke_off, fault_of, half_a_reply, is_a_break, no_reply, plain
from ddax.reasoning.protocol import METHODS
from ddax.types import JsonDict, Usage

FREE = frozenset({"embedded"})
"""Reasoners that cost nothing: no cap applies to them."""
_RAISE = "Ask again with a higher budget.{}; on the same thread what was read is kept."
"""The mend of a cap: the run it ended is over, so that nothing is left to resume."""


REACHED = " is reached"
"""What stands behind the name of a cap in the reason of a stop."""


def _figure(name: str, value: float) -> str:
    """Write what was spent of a cap as a person reads it."""
    if name == "max_seconds":
        return f"{value:.1f} s"
    return f"${value:.4g}" if name == "max_usd" else f"{value:,.0f}"


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
        self._clock, self._opened = clock, clock() - seconds
        self._under_way = 0
        self._largest = Usage()
        self._uncounted: set[str] = set()
        self._named: set[str] = set()
        self._ended = asyncio.Condition()

    @property
    def spent(self) -> Usage:
        """Return the cost so far, `usd` None where any price was unknown."""
        return self._spent

    @property
    def known_usd(self) -> float:
        """Return the dollars of the calls whose price is known."""
        return self._spent.known_usd

    @property
    def seconds(self) -> float:
        """Return the wall time of the run so far."""
        return self._clock() - self._opened

    def go_on(self, seconds: float) -> None:
        """Count on from the seconds a run has taken, after a time when it did not go on."""
        self._opened = self._clock() - seconds

    @property
    def left(self) -> float:
        """Return the seconds until the cap of wall time; below 0 where it is passed."""
        return self.limits.max_seconds - self.seconds

    def check(self, pending: Usage | None = None, *, free: bool = False) -> None:
        """Raise `BudgetExceeded` naming the first cap reached.

        `pending` is spent but not yet added; `free` says that the next call costs no money.
        """
        reached = self._reached(pending or Usage(), free=free)
        if reached:
            name, value, cap = reached
            raise BudgetExceeded(
                f"the cap {name}={cap:.15g}{REACHED} ({_figure(name, value)} spent).",
                why="A run stops before the call that would pass a cap.",
                mend=_RAISE.format(name),
            )

    def out_of_time(self, spent: Usage) -> BudgetExceeded:
        """Return the error of a request that was given up when its time was over, with what it cost."""
        cap = self.limits.max_seconds
        error = BudgetExceeded(
            f"the cap max_seconds={cap:.15g}{REACHED}"
            f" ({_figure('max_seconds', max(cap, self.seconds))} spent).",
            why="A request to a model ends when the time of its run does.",
            mend=_RAISE.format("max_seconds"),
        )
        charge(error, spent)
        return error

    def _reached(self, pending: Usage, *, free: bool) -> tuple[str, float, float] | None:
        caps = self.limits
        table = (
            ("max_model_calls", self._spent.model_calls + pending.model_calls, caps.max_model_calls),
            ("max_tokens", self._spent.tokens + pending.tokens, caps.max_tokens),
            ("max_usd", self.known_usd + pending.known_usd, caps.max_usd),
            ("max_seconds", self.seconds, caps.max_seconds),
        )
        for name, value, cap in table:
            if value >= cap and not (free and name == "max_usd"):
                return name, float(value), float(cap)
        return None

    def add(self, usage: Usage) -> None:
        """Add the cost of a call that was made."""
        self._spent = self._spent + usage
        if usage.model_calls:
            self._largest = Usage(
                max(self._largest.model_calls, usage.model_calls),
                max(self._largest.tokens, usage.tokens),
                max(self._largest.known_usd, usage.known_usd),
            )

    def add_once(self, name: str, usage: Usage) -> None:
        """Add the cost of a reply that is given again from its row, unless it was paid in this process."""
        if name not in self._named:
            self._named.add(name)
            self.add(usage)

    def paid(self, name: str) -> None:
        """Note that the cost of a reply with a row of this name was added when it was asked for."""
        self._named.add(name)

    def counts_nothing(self, name: str) -> None:
        """Take it from a first reply that the calls of a reasoner do not count, so that many may begin."""
        self._uncounted.add(name)

    def _fits(self, name: str, *, free: bool) -> bool:
        """Say whether one more call of a reasoner fits beside those under way."""
        if not self._under_way:
            return True
        if not self._largest.model_calls:
            return name in self._uncounted
        n, largest = self._under_way, self._largest
        pending = Usage(n * largest.model_calls, n * largest.tokens, n * largest.known_usd)
        return self._reached(pending, free=free) is None

    @asynccontextmanager
    async def call(self, name: str, *, free: bool = False) -> AsyncIterator[None]:
        """Hold a place for one request; waits beside others near a cap, raises `BudgetExceeded` at it."""
        async with self._ended:
            await self._ended.wait_for(lambda: self._fits(name, free=free))
            self.check(free=free)
            self._under_way += 1
        try:
            yield
        finally:
            async with self._ended:
                self._under_way -= 1
                self._ended.notify_all()


@dataclass(frozen=True)
class Place:
    """Where in a run a reasoner is asked: the node and its step, and who is told of replies and costs.

    `tell` takes an event for each piece of a reply while it is written; None asks for whole replies.
    `calls` collects a row for each request, for the log that `ddax costs` reads, `doubts` one for each that
    was weighed before, for the ledger of decisions.
    """

    node: str
    step: int
    idea: str = ""
    tell: Callable[[JsonDict], None] | None = None
    calls: list[JsonDict] = field(default_factory=list)
    doubts: list[JsonDict] = field(default_factory=list)

    @property
    def paid(self) -> Usage:
        """Return what the requests cost together, also those that failed."""
        return sum((Usage.of_row(call) for call in self.calls), Usage())

    def hear(self, request: str) -> Callable[[str], None] | None:
        """Return what takes the pieces of one reply."""
        tell = self.tell
        if tell is None:
            return None

        def heard(text: str) -> None:
            data = {"idea": self.idea, "request": request, "text": text}
            tell({"type": "token", "node": self.node, "step": self.step, "data": data})

        return heard

    def note(self, request: str, usage: Usage, *, ok: bool) -> None:
        """Keep what a request cost."""
        self.calls.append({"idea": self.idea, "request": request, "ok": ok, **usage.row()})


class MeteredReasoner:
    """A reasoner whose every request is checked against the caps before it and charged after it.

    An inner reasoner with a method `bound(keeper, effort=, hear=)` also has its calls within one
    request checked, is told how much effort the budget allows, and may tell its reply piece by piece.
    """

    def __init__(
        self, inner: p.Reasoner, keeper: BudgetKeeper, *, effort: str = "full", place: Place | None = None
    ) -> None:
        self.inner, self.keeper, self.name = inner, keeper, inner.name
        self._effort, self._place = effort, place
        self._free = bool(getattr(inner, "free_of_charge", False))

    @property
    def spent(self) -> Usage:
        """Return what this run has cost so far."""
        return self.keeper.spent

    def _bound(self, method: str) -> p.Reasoner:
        bound: Callable[..., p.Reasoner] | None = getattr(self.inner, "bound", None)
        if bound is None:
            return self.inner
        hear = self._place.hear(method) if self._place else None
        return bound(self.keeper, effort=self._effort, hear=hear)

    async def _metered(self, method: str, request: Any) -> Any:
        if self.name in FREE:
            reply = await self._asked(method, request)
            self.keeper.add(reply.usage)
            return reply
        limit = asyncio.timeout(self.keeper.left)
        try:
            async with limit:
                return await self._paid(method, request)
        except TimeoutError as error:
            raise self.keeper.out_of_time(usage_of(error.__cause__ or error)) from error

    async def _asked(self, method: str, request: Any) -> Any:
        """Ask the reasoner itself; a break of its contract is told with its name and the method."""
        try:
            reply = await getattr(self._bound(method), method)(request)
        except (Exception, SystemExit) as error:
            if not is_a_break(error):
                raise
            broken = await asyncio.to_thread(broke_off, self.name, method, error)
            charge(broken, usage_of(error))
            raise broken from error
        if not isinstance(reply, METHODS[method]):
            raise no_reply(self.name, method, reply)
        if fault := fault_of(reply, method):
            broken = half_a_reply(self.name, method, fault)
            used = getattr(reply, "usage", None)
            charge(broken, used if isinstance(used, Usage) else Usage())
            raise broken
        return plain(reply, method)

    async def _paid(self, method: str, request: Any) -> Any:
        async with self.keeper.call(self.name, free=self._free):
            try:
                reply = await self._asked(method, request)
            except BaseException as error:
                self._add(method, usage_of(error), ok=False)
                raise
            self._add(method, reply.usage, ok=True)
            if not (reply.usage.model_calls or reply.usage.hits):
                self.keeper.counts_nothing(self.name)
            return reply

    def _add(self, method: str, usage: Usage, *, ok: bool) -> None:
        self.keeper.add(usage)
        if self._place is not None:
            self._place.note(method, usage, ok=ok)

    async def expand(self, request: p.ExpandRequest) -> p.Expansion:
        return await self._metered("expand", request)  # type: ignore[no-any-return]  # one body for all

    async def predict(self, request: p.PredictRequest) -> p.Prediction:
        return await self._metered("predict", request)  # type: ignore[no-any-return]  # one body for all

    async def extract(self, request: p.ExtractRequest) -> p.Extraction:
        return await self._metered("extract", request)  # type: ignore[no-any-return]  # one body for all

    async def argue(self, request: p.ArgueRequest) -> p.Argument:
        return await self._metered("argue", request)  # type: ignore[no-any-return]  # one body for all

    async def judge(self, request: p.JudgeRequest) -> p.Judgment:
        return await self._metered("judge", request)  # type: ignore[no-any-return]  # one body for all

    async def merge(self, request: p.MergeRequest) -> p.Synthesis:
        return await self._metered("merge", request)  # type: ignore[no-any-return]  # one body for all

    async def reflect(self, request: p.ReflectRequest) -> p.Lesson:
        return await self._metered("reflect", request)  # type: ignore[no-any-return]  # one body for all

    async def propose_patches(self, request: p.PatchRequest) -> p.Patches:
        return await self._metered("propose_patches", request)  # type: ignore[no-any-return]  # one body for all

    async def mutate_patch(self, request: p.MutateRequest) -> p.Patches:
        return await self._metered("mutate_patch", request)  # type: ignore[no-any-return]  # one body for all

    async def ask(self, request: p.AskRequest) -> p.Question:
        return await self._metered("ask", request)  # type: ignore[no-any-return]  # one body for all

    async def act(self, request: p.ActRequest) -> p.Acted:
        return await self._metered("act", request)  # type: ignore[no-any-return]  # one body for all
